package record

import (
	"encoding/binary"
	"fmt"
)

var be = binary.BigEndian

// frame is where the variable parts of a record stand. All lengths have been
// checked against each other, so slicing by them cannot fail.
type frame struct {
	size      int
	sysFlag   int32
	bornLen   int // of bornHost, 8 or 20
	storeLen  int // of storeHost, 8 or 20
	bodyAt    int
	bodyLen   int
	topicAt   int
	topicLen  int
	propsAt   int
	propsLen  int // with the CRC trailer
	storeTime int // offset of storeTimestamp
}

// fault is what a structure check found. Hot paths carry this number; words are
// made from it only when an error is needed.
type fault uint8

const (
	sound fault = iota
	faultShort
	faultMagic
	faultBlank
	faultSize
	faultBeyond
	faultBody
	faultTopic
	faultProps
	faultSum
)

// parse checks the structure of the record that starts at b[0]. It reads the
// header and the two lengths behind the body, never the body.
func (f *frame) parse(b []byte) fault {
	if len(b) < BlankSize {
		return faultShort
	}
	magic := be.Uint32(b[atMagic:])
	if magic != MagicV1 && magic != MagicV2 {
		if magic == MagicBlank {
			return faultBlank
		}
		return faultMagic
	}
	size := int(int32(be.Uint32(b)))
	if size < minRecord {
		return faultSize
	}
	if size > len(b) {
		return faultBeyond
	}
	b = b[:size]
	f.size = size
	f.sysFlag = int32(be.Uint32(b[atSysFlag:]))
	f.bornLen, f.storeLen = hostLengths(f.sysFlag)
	f.storeTime = atBornHost + f.bornLen
	return f.parseVariable(b, magic)
}

func (f *frame) parseVariable(b []byte, magic uint32) fault {
	f.bodyAt = f.storeTime + 8 + f.storeLen + 4 + 8 + 4
	if f.bodyAt > len(b) {
		return faultSum
	}
	f.bodyLen = int(int32(be.Uint32(b[f.bodyAt-4:])))
	if f.bodyLen < 0 || f.bodyLen > len(b)-f.bodyAt {
		return faultBody
	}
	at := f.bodyAt + f.bodyLen
	if magic == MagicV1 {
		if at+1 > len(b) {
			return faultSum
		}
		f.topicLen, f.topicAt = int(int8(b[at])), at+1
	} else {
		if at+2 > len(b) {
			return faultSum
		}
		f.topicLen, f.topicAt = int(int16(be.Uint16(b[at:]))), at+2
	}
	if f.topicLen < 0 {
		return faultTopic
	}
	at = f.topicAt + f.topicLen
	if at+2 > len(b) {
		return faultSum
	}
	f.propsLen, f.propsAt = int(int16(be.Uint16(b[at:]))), at+2
	if f.propsLen < 0 {
		return faultProps
	}
	if f.propsAt+f.propsLen != len(b) {
		return faultSum
	}
	return sound
}

// hostLengths gives the lengths of bornHost and storeHost.
func hostLengths(sysFlag int32) (born, store int) {
	born, store = hostV4, hostV4
	if sysFlag&SysBornHostV6 != 0 {
		born = hostV6
	}
	if sysFlag&SysStoreHostV6 != 0 {
		store = hostV6
	}
	return born, store
}

// topic gives the topic's bytes, properties all property bytes.
func (f *frame) topic(b []byte) []byte { return b[f.topicAt : f.topicAt+f.topicLen] }
func (f *frame) properties(b []byte) []byte {
	return b[f.propsAt:f.size:f.size]
}

// corrupt puts a fault of the bytes b into words.
func (k fault) corrupt(b []byte, f *frame, offset int64) *CorruptionError {
	e := &CorruptionError{Offset: offset, Next: -1}
	switch k {
	case faultShort:
		e.Want, e.Got = "at least 8 bytes", fmt.Sprintf("%d", len(b))
	case faultMagic:
		e.Want, e.Got = "a magic code", fmt.Sprintf("%08x", be.Uint32(b[atMagic:]))
	case faultBlank:
		e.Want, e.Got = "a record", "a BLANK filler"
	case faultSize:
		e.Want, e.Got = "a plausible size", fmt.Sprintf("%d", int32(be.Uint32(b)))
	case faultBeyond:
		e.Want, e.Got = fmt.Sprintf("a size of at most %d", len(b)), fmt.Sprintf("%d", int32(be.Uint32(b)))
	case faultBody:
		e.Want, e.Got = fmt.Sprintf("a body inside %d bytes", f.size), fmt.Sprintf("bodyLength %d", f.bodyLen)
	case faultTopic:
		e.Want, e.Got = "topicLength >= 0", fmt.Sprintf("%d", f.topicLen)
	case faultProps:
		e.Want, e.Got = "propertiesLength >= 0", fmt.Sprintf("%d", f.propsLen)
	default:
		e.Want, e.Got = fmt.Sprintf("parts that add up to %d bytes", f.size), "other lengths"
	}
	return e
}
