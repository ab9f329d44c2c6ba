package record

import "fmt"

// The functions here read one field of the record that starts at b[0] and check
// only its magic and that the field is there. The error is *CorruptionError
// with Offset 0.

// QueueIDOf is the queue number in the topic.
func QueueIDOf(b []byte) (int32, error) {
	b, err := field(b, atQueueID, 4)
	if err != nil {
		return 0, err
	}
	return int32(be.Uint32(b)), nil
}

// QueueOffsetOf is the logical position in the queue.
func QueueOffsetOf(b []byte) (int64, error) { return field64(b, atQueueOffset) }

// PhysicalOffsetOf is the place in the log that the record claims for itself.
func PhysicalOffsetOf(b []byte) (int64, error) { return field64(b, atPhysicalOffset) }

// SysFlagOf gives the Sys* bits.
func SysFlagOf(b []byte) (int32, error) {
	b, err := field(b, atSysFlag, 4)
	if err != nil {
		return 0, err
	}
	return int32(be.Uint32(b)), nil
}

// StoreTimestampOf is the store's clock at the put, in ms.
func StoreTimestampOf(b []byte) (int64, error) {
	flag, err := SysFlagOf(b)
	if err != nil {
		return 0, err
	}
	born, _ := hostLengths(flag)
	return field64(b, atBornHost+born)
}

func field64(b []byte, at int) (int64, error) {
	b, err := field(b, at, 8)
	if err != nil {
		return 0, err
	}
	return int64(be.Uint64(b)), nil
}

func field(b []byte, at, n int) ([]byte, error) {
	if len(b) < at+n {
		return nil, &CorruptionError{
			Want: fmt.Sprintf("at least %d bytes", at+n), Got: fmt.Sprintf("%d", len(b)), Next: -1}
	}
	if m := be.Uint32(b[atMagic:]); m != MagicV1 && m != MagicV2 {
		return nil, faultMagic.corrupt(b, nil, 0)
	}
	return b[at : at+n], nil
}
