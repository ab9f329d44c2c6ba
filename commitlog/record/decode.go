package record

import "fmt"

// Decode reads the record that starts at b[0]; b may be longer. The structure
// is checked in full: magic, and lengths that add up to the size. Body and
// Properties alias b, and Properties end in front of a checksum trailer. m.Topic
// is kept if it is the record's, so decoding one queue into one MessageExt
// allocates nothing; a topic that is not UTF-8 is decoded as Java does. On an
// error, *CorruptionError with Offset 0, m is as it was.
func Decode(b []byte, m *MessageExt) error {
	var f frame
	if k := f.parse(b); k != sound {
		return k.corrupt(b, &f, 0)
	}
	b = b[:f.size:f.size]
	born, okBorn := getHost(b[atBornHost : atBornHost+f.bornLen])
	store, okStore := getHost(b[f.storeTime+8 : f.storeTime+8+f.storeLen])
	if !okBorn || !okStore {
		return &CorruptionError{Want: "ports of at most 65535",
			Got: fmt.Sprintf("%x and %x", b[atBornHost:atBornHost+f.bornLen], b[f.storeTime+8:f.storeTime+8+f.storeLen]), Next: int64(f.size)}
	}
	if topic := f.topic(b); m.Topic != string(topic) {
		m.Topic = ToValidUTF8(topic)
	}
	m.QueueID = int32(be.Uint32(b[atQueueID:]))
	m.Flag = int32(be.Uint32(b[atFlag:]))
	m.SysFlag = f.sysFlag
	m.BornTimestamp = int64(be.Uint64(b[atBornTimestamp:]))
	m.BornHost, m.StoreHost = born, store
	m.ReconsumeTimes = int32(be.Uint32(b[f.bodyAt-16:]))
	m.PreparedTransactionOffset = int64(be.Uint64(b[f.bodyAt-12:]))
	m.Properties = f.userProperties(b)
	m.Body = b[f.bodyAt : f.bodyAt+f.bodyLen : f.bodyAt+f.bodyLen]
	m.QueueOffset = int64(be.Uint64(b[atQueueOffset:]))
	m.PhysicalOffset = int64(be.Uint64(b[atPhysicalOffset:]))
	m.StoreTimestamp = int64(be.Uint64(b[f.storeTime:]))
	m.StoreSize = int32(f.size)
	m.BodyCRC = int32(be.Uint32(b[atBodyCRC:]))
	return nil
}

// userProperties gives the properties without a checksum trailer.
func (f *frame) userProperties(b []byte) Properties {
	p := f.properties(b)
	if isTrailer(p) {
		n := len(p) - CRCTrailer
		p = p[:n:n]
	}
	return p
}
