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

// markedName is the name that the mark at the start of p stands for.
func markedName(p []byte) string {
	item, _ := splitItem(p)
	return ToValidUTF8(item[len(mark):])
}
