package record_test

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
)

// The vectors were produced by RocketMQ's own encoder.
const (
	goldenHeader = `daa320a7 3610a686 00000003 00000000 0000000000000007 0000000000001000 00000000
		0000018bcfe56800 0a010203 0000d431 0000018bcfe5687b 7f000001 00002a9f 00000000 0000000000000000
		00000005 68656c6c6f 09 546f70696354657374`
	goldenA = "000000a8" + goldenHeader + `003f
		54414753 01 54616741 02 4b455953 01 6b31206b32 02 554e49515f4b4559 01
		4143313130303031303030303241394630303030303030303030303030303031 02`
	goldenB1 = `000000ff daa320ab 58932aac 00000000 00000000 0000000000000000 0000000000000000 00000030
		0000018bcfe56800 20010db8000000000000000000000001 00000001
		0000018bcfe56801 20010db8000000000000000000000002 0000ffff 00000000 0000000000000000
		00000002 6869 0082 255245545259 25`
	goldenB2 = `0007 54414753 01 61 02`
	goldenC  = "00000087" + goldenHeader + `001e 54414753 01 54616741 02
		5f5f435243333223 01 38373639383436363231 02`
	goldenD  = "0000007d" + goldenHeader + `0014 5f5f435243333223 01 33323534393136373731 02`
	goldenE1 = `00000066 daa320a7 7a6c86f1 00000001 00000000 0000000000000064 0000000000002000 00000000 0000018bcfe56800
		0a010203 0000d431 0000018bcfe5687b 7f000001 00002a9f 00000000 0000000000000000 00000003 6f6e65 01 54 0007 54414753 01 78 02`
	goldenE2 = `0000005e daa320a7 16fd19d8 00000001 00000000 0000000000000065 0000000000002066 00000000 0000018bcfe56800
		0a010203 0000d431 0000018bcfe5687b 7f000001 00002a9f 00000000 0000000000000000 00000002 7979 01 54 0000`
	goldenBody = `00000020 00000000 00000000 00000000 00000003 6f6e65 0007 5441475301 7802
		00000018 00000000 00000000 00000000 00000002 7979 0000`
)

var goldenB = goldenB1 + strings.Repeat("74", 123) + goldenB2

func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		panic(err)
	}
	return b
}

func host(s string) netip.AddrPort { return netip.MustParseAddrPort(s) }

const born, stored = 1700000000000, 1700000000123

// hello is the message of vectors A, C and D but for its properties.
func hello(p record.Properties) record.Message {
	return record.Message{Topic: "TopicTest", QueueID: 3, BornTimestamp: born,
		BornHost: host("10.1.2.3:54321"), StoreHost: host("127.0.0.1:10911"), Properties: p, Body: []byte("hello")}
}

type golden struct {
	name string
	hex  string
	enc  record.Encoder
	m    record.Message
	pos  record.Position
}

func goldens() []golden {
	at := record.Position{QueueOffset: 7, PhysicalOffset: 4096, StoreTimestamp: stored}
	b := record.Message{Topic: "%RETRY%" + strings.Repeat("t", 123), BornTimestamp: born,
		BornHost: host("[2001:db8::1]:1"), StoreHost: host("[2001:db8::2]:65535"),
		Properties: record.NewProperties("TAGS", "a"), Body: []byte("hi")}
	e1 := hello(record.NewProperties("TAGS", "x"))
	e1.Topic, e1.QueueID, e1.Body = "T", 1, []byte("one")
	e2 := hello(nil)
	e2.Topic, e2.QueueID, e2.Body = "T", 1, []byte("yy")
	crc := record.Encoder{AppendPropCRC: true}
	return []golden{
		{"A v1", goldenA, record.Encoder{}, hello(record.NewProperties("TAGS", "TagA", "KEYS", "k1 k2",
			"UNIQ_KEY", "AC11000100002A9F0000000000000001")), at},
		{"B v2 IPv6", goldenB, record.Encoder{}, b, record.Position{StoreTimestamp: 1700000000001}},
		{"C checksum, no separator", goldenC, crc, hello(record.Properties("TAGS\x01TagA")), at},
		{"D checksum, no properties", goldenD, crc, hello(nil), at},
		{"E first of a batch", goldenE1, record.Encoder{}, e1,
			record.Position{QueueOffset: 100, PhysicalOffset: 8192, StoreTimestamp: stored}},
		{"E second of a batch", goldenE2, record.Encoder{}, e2,
			record.Position{QueueOffset: 101, PhysicalOffset: 8294, StoreTimestamp: stored}},
	}
}

func encode(e record.Encoder, m record.Message, pos record.Position) []byte {
	dst := make([]byte, e.Size(&m))
	if n := e.Encode(dst, &m, pos); n != len(dst) {
		panic("Encode and Size differ")
	}
	return dst
}

func TestGoldenEncode(t *testing.T) {
	for _, g := range goldens() {
		want := unhex(g.hex)
		if got := encode(g.enc, g.m, g.pos); !bytes.Equal(got, want) {
			t.Errorf("%s:\n got %x\nwant %x", g.name, got, want)
		}
	}
}

func TestGoldenDecode(t *testing.T) {
	for _, g := range goldens() {
		b := unhex(g.hex)
		if err := record.Verify(b, g.pos.PhysicalOffset, record.CRCRecord); err != nil {
			t.Errorf("%s: Verify: %v", g.name, err)
		}
		if got := record.HasRecordCRC(b); got != g.enc.AppendPropCRC {
			t.Errorf("%s: HasRecordCRC = %v", g.name, got)
		}
		var m record.MessageExt
		if err := record.Decode(append(b, 1, 2, 3), &m); err != nil {
			t.Errorf("%s: Decode: %v", g.name, err)
			continue
		}
		if got := (record.Position{QueueOffset: m.QueueOffset, PhysicalOffset: m.PhysicalOffset, StoreTimestamp: m.StoreTimestamp}); got != g.pos {
			t.Errorf("%s: position %+v, want %+v", g.name, got, g.pos)
		}
		if int(m.StoreSize) != len(b) || m.BodyCRC != record.BodyCRC(g.m.Body) {
			t.Errorf("%s: size %d CRC %d", g.name, m.StoreSize, m.BodyCRC)
		}
		sameMessage(t, &m.Message, &g.m)
	}
}

// sameMessage compares a decoded message with the one that was put, which may
// lack the host bits and a last separator.
func sameMessage(t interface{ Errorf(string, ...any) }, got, put *record.Message) {
	want := *put
	if want.BornHost.Addr().Is6() {
		want.SysFlag |= record.SysBornHostV6
	}
	if want.StoreHost.Addr().Is6() {
		want.SysFlag |= record.SysStoreHostV6
	}
	if got.Topic != want.Topic || got.QueueID != want.QueueID || got.Flag != want.Flag || got.SysFlag != want.SysFlag ||
		got.BornTimestamp != want.BornTimestamp || got.BornHost != want.BornHost || got.StoreHost != want.StoreHost ||
		got.ReconsumeTimes != want.ReconsumeTimes || got.PreparedTransactionOffset != want.PreparedTransactionOffset ||
		got.Properties.Sorted() != want.Properties.Sorted() || !bytes.Equal(got.Body, want.Body) {
		t.Errorf("message differs:\n got %+v\nwant %+v", got, want)
	}
}

func TestGoldenDispatch(t *testing.T) {
	var req record.DispatchRequest
	if err := record.ParseDispatch(unhex(goldenA), &req, nil); err != nil {
		t.Fatal(err)
	}
	if req.Topic != "TopicTest" || req.QueueID != 3 || req.Size != 168 || req.PhysicalOffset != 4096 || req.QueueOffset != 7 ||
		req.StoreTimestamp != stored || req.TagsCode != 2598919 || string(req.UniqKey) != "AC11000100002A9F0000000000000001" ||
		string(req.Keys) != "k1 k2" || string(req.Tags) != "TagA" || req.InnerBase != -1 || req.InnerNum != 0 ||
		req.MultiDispatch != nil || req.MultiOffset != nil || req.SysFlag != 0 {
		t.Errorf("A: %+v", req)
	}
	if err := record.ParseDispatch(unhex(goldenB), &req, record.NewInterner(1)); err != nil {
		t.Fatal(err)
	}
	if req.Size != 255 || req.StoreTimestamp != 1700000000001 || req.SysFlag != 0x30 || string(req.Tags) != "a" || req.Keys != nil || req.UniqKey != nil {
		t.Errorf("B: %+v", req)
	}
}

func TestGoldenBlank(t *testing.T) {
	b := make([]byte, 8)
	(&record.Encoder{}).EncodeBlank(b, 100)
	if want := unhex("00000064 cbd43194"); !bytes.Equal(b, want) {
		t.Errorf("got %x, want %x", b, want)
	}
}

func TestGoldenInnerBatch(t *testing.T) {
	msgs := []record.Message{{Body: []byte("one"), Properties: record.NewProperties("TAGS", "x")}, {Body: []byte("yy")}}
	if got := record.EncodeInnerBatch(nil, msgs); !bytes.Equal(got, unhex(goldenBody)) {
		t.Errorf("got %x", got)
	}
	got, err := record.DecodeInnerBatch(unhex(goldenBody))
	if err != nil || len(got) != 2 || string(got[0].Body) != "one" || got[0].Tags() != "x" || string(got[1].Body) != "yy" || len(got[1].Properties) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
