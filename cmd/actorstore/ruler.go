package main

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/actorstore/actorstore/commitlog/record"
)

// rulerField is one field of a record: its place, name and value.
type rulerField struct {
	name  string
	at, n int
	value string
}

// rulerScan takes the bytes of a record apart, as far as they go: damaged
// lengths end it, and what is left is shown as it is.
type rulerScan struct {
	b      []byte
	at     int
	fields []rulerField
}

func (s *rulerScan) take(name string, n int, value func(b []byte) string) []byte {
	n = min(max(n, 0), len(s.b)-s.at)
	if n == 0 {
		return nil
	}
	b := s.b[s.at : s.at+n]
	f := rulerField{name: name, at: s.at, n: n}
	if value != nil {
		f.value = value(b)
	}
	s.fields = append(s.fields, f)
	s.at += n
	return b
}

// rulerFields are the fields of a record or a BLANK, in order.
func rulerFields(b []byte) []rulerField {
	s := &rulerScan{b: b}
	s.take("size", 4, number)
	magic := s.take("magic", 4, magicText)
	if len(magic) == 4 && binary.BigEndian.Uint32(magic) == record.MagicBlank {
		return s.fields
	}
	s.take("bodyCRC", 4, number)
	s.take("queueId", 4, number)
	s.take("flag", 4, number)
	s.take("queueOffset", 8, number)
	s.take("physicalOffset", 8, number)
	flag := int32(integer(s.take("sysFlag", 4, func(b []byte) string { return sysFlagText(int32(integer(b))) })))
	s.take("bornTimestamp", 8, millis)
	s.take("bornHost", hostSize(flag&record.SysBornHostV6), hostText)
	s.take("storeTimestamp", 8, millis)
	s.take("storeHost", hostSize(flag&record.SysStoreHostV6), hostText)
	s.take("reconsumeTimes", 4, number)
	s.take("preparedTransactionOffset", 8, number)
	body := integer(s.take("bodyLength", 4, number))
	s.take("body", int(body), nil)
	topicWidth := 1
	if len(magic) == 4 && binary.BigEndian.Uint32(magic) == record.MagicV2 {
		topicWidth = 2
	}
	topic := integer(s.take("topicLength", topicWidth, number))
	s.take("topic", int(topic), func(b []byte) string { return harmless(string(b), false) })
	props := integer(s.take("propertiesLength", 2, number))
	s.take("properties", int(props), nil)
	s.take("rest", len(s.b)-s.at, nil)
	return s.fields
}

func integer(b []byte) int64 {
	switch len(b) {
	case 1:
		return int64(int8(b[0]))
	case 2:
		return int64(int16(binary.BigEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(b)))
	case 8:
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

func number(b []byte) string { return strconv.FormatInt(integer(b), 10) }

func millis(b []byte) string { return timeText(integer(b)) }

func magicText(b []byte) string {
	switch binary.BigEndian.Uint32(append(make([]byte, 4-len(b)), b...)) {
	case record.MagicV1:
		return "v1"
	case record.MagicV2:
		return "v2"
	case record.MagicBlank:
		return "BLANK"
	}
	return "none"
}

func hostSize(v6 int32) int {
	if v6 != 0 {
		return 20
	}
	return 8
}

func hostText(b []byte) string {
	if len(b) < 8 {
		return ""
	}
	var ip []string
	for _, c := range b[:4] {
		ip = append(ip, strconv.Itoa(int(c)))
	}
	if len(b) == 20 {
		ip = ip[:0]
		for i := 0; i < 16; i += 2 {
			ip = append(ip, strconv.FormatUint(uint64(binary.BigEndian.Uint16(b[i:])), 16))
		}
		return "[" + strings.Join(ip, ":") + "]:" + number(b[16:])
	}
	return strings.Join(ip, ".") + ":" + number(b[4:])
}
