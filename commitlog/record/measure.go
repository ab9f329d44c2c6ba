package record

import "bytes"

// Kind tells the two things that stand in a log apart.
type Kind uint8

// The kinds.
const (
	KindRecord Kind = iota // a message, magic v1 or v2
	KindBlank              // the filler at the end of a segment
)

// String gives "record" or "BLANK".
func (k Kind) String() string {
	if k == KindBlank {
		return "BLANK"
	}
	return "record"
}

// Measure looks at the first 8 bytes of b only: which kind starts here and how
// many bytes it takes. A record's size is at least that of the smallest record,
// a BLANK's (which reaches to the end of its segment) at least 8; neither is
// compared with len(b). The error is *CorruptionError with Offset 0.
func Measure(b []byte) (size int, kind Kind, err error) {
	k := faultShort
	if len(b) >= BlankSize {
		size, kind, k = measure(b)
	}
	if k != sound {
		return 0, 0, k.corrupt(b, nil, 0)
	}
	return size, kind, nil
}

func measure(b []byte) (int, Kind, fault) {
	size := int(int32(be.Uint32(b)))
	switch be.Uint32(b[atMagic:]) {
	case MagicV1, MagicV2:
		if size < minRecord {
			return 0, 0, faultSize
		}
		return size, KindRecord, sound
	case MagicBlank:
		if size < BlankSize {
			return 0, 0, faultSize
		}
		return size, KindBlank, sound
	}
	return 0, 0, faultMagic
}

// FindMagic gives the first index of b at which a record could start, that is
// the index four bytes in front of a v1 or v2 magic code, or -1. It allocates
// nothing: a scan for records behind damage calls it over and over.
func FindMagic(b []byte) int {
	for at := atMagic; at+4 <= len(b); at++ {
		i := bytes.IndexByte(b[at:len(b)-3], byte(MagicV1>>24))
		if i < 0 {
			return -1
		}
		at += i
		if m := be.Uint32(b[at:]); m == MagicV1 || m == MagicV2 {
			return at - atMagic
		}
	}
	return -1
}

// IsTransactionPending reports whether a record with this sysFlag is in no
// queue: a prepared or rolled-back half of a transaction.
func IsTransactionPending(sysFlag int32) bool {
	t := sysFlag & SysTransactionMask
	return t == SysTransactionPrepared || t == SysTransactionRollback
}
