package record_test

import (
	"net/netip"
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
)

// kilobyte is the usual message of the benchmarks: 1 KiB body, tag, key, id.
func kilobyte() record.Message {
	return record.Message{
		Topic: "TopicTest", QueueID: 3,
		BornTimestamp: 1700000000000,
		BornHost:      netip.MustParseAddrPort("10.1.2.3:54321"),
		StoreHost:     netip.MustParseAddrPort("127.0.0.1:10911"),
		Body:          make([]byte, 1024),
		Properties: record.NewProperties("TAGS", "TagA", "KEYS", "k1 k2",
			"UNIQ_KEY", "AC11000100002A9F0000000000000001"),
	}
}

func benchEncoded(e record.Encoder) []byte {
	m := kilobyte()
	b := make([]byte, e.Size(&m))
	e.Encode(b, &m, record.Position{QueueOffset: 7, PhysicalOffset: 4096, StoreTimestamp: 1700000000123})
	return b
}

func BenchmarkSize(b *testing.B) {
	m := kilobyte()
	e := record.Encoder{}
	for b.Loop() {
		e.Size(&m)
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, bb := range []struct {
		name string
		e    record.Encoder
	}{{"plain", record.Encoder{}}, {"crc", record.Encoder{AppendPropCRC: true}}} {
		b.Run(bb.name, func(b *testing.B) {
			m := kilobyte()
			dst := make([]byte, bb.e.Size(&m))
			b.SetBytes(int64(len(dst)))
			b.ReportAllocs()
			for b.Loop() {
				bb.e.Encode(dst, &m, record.Position{QueueOffset: 7, PhysicalOffset: 4096, StoreTimestamp: 1700000000123})
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	m := kilobyte()
	l := record.Limits{}
	b.ReportAllocs()
	for b.Loop() {
		if err := l.Check(&m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	r := benchEncoded(record.Encoder{})
	var m record.MessageExt
	b.ReportAllocs()
	for b.Loop() {
		if err := record.Decode(r, &m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseDispatch(b *testing.B) {
	r := benchEncoded(record.Encoder{})
	var req record.DispatchRequest
	topics := record.NewInterner(10)
	b.ReportAllocs()
	for b.Loop() {
		if err := record.ParseDispatch(r, &req, topics); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	for _, bb := range []struct {
		name string
		e    record.Encoder
	}{{"body", record.Encoder{}}, {"record", record.Encoder{AppendPropCRC: true}}} {
		b.Run(bb.name, func(b *testing.B) {
			r := benchEncoded(bb.e)
			b.SetBytes(int64(len(r)))
			b.ReportAllocs()
			for b.Loop() {
				if err := record.Verify(r, 4096, record.CRCRecord); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkJavaHash(b *testing.B) {
	key := []byte("TopicTest#AC11000100002A9F0000000000000001")
	for b.Loop() {
		record.JavaHash(key)
	}
}
