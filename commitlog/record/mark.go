package record

import "strings"

// A mark stands for a pair that cannot be stored: 0x01 0x01 and the name. Every
// parser skips it, for its name is empty, and no writer makes one by chance.
const mark = "\x01\x01"

// expressible reports whether a parser would give the pair back.
func expressible(name, value string) bool {
	return name != "" && !strings.ContainsAny(name, "\x01\x02") && value != "" && strings.IndexByte(value, itemEnd) < 0
}

// appendMark adds the mark of a name.
func appendMark(p Properties, name string) Properties {
	p = append(p, mark...)
	p = append(p, strings.ReplaceAll(name, "\x02", "?")...)
	return append(p, itemEnd)
}

// marked finds the first mark in p and gives the name it stands for.
func (p Properties) marked() (name string, found bool) {
	for len(p) > 0 {
		var item []byte
		item, p = splitItem(p)
		if len(item) >= len(mark) && string(item[:len(mark)]) == mark {
			return ToValidUTF8(item[len(mark):]), true
		}
	}
	return "", false
}
