package record_test

import (
	"fmt"
	"net/netip"

	"github.com/actorstore/actorstore/commitlog/record"
)

// A message goes through Limits, is written, and is read back.
func Example() {
	m := record.Message{Topic: "TopicTest", QueueID: 3, Body: []byte("hello")}
	m.SetTags("TagA")
	m.SetKeys("k1", "k2")
	limits := record.Limits{}
	if err := limits.Check(&m); err != nil {
		fmt.Println(err)
		return
	}

	enc := record.Encoder{Host: netip.MustParseAddrPort("127.0.0.1:10911")}
	b := make([]byte, enc.Size(&m))
	enc.Encode(b, &m, record.Position{QueueOffset: 7, PhysicalOffset: 4096, StoreTimestamp: 1700000000123})

	if err := record.Verify(b, 4096, record.CRCRecord); err != nil {
		fmt.Println(err)
		return
	}
	var got record.MessageExt
	if err := record.Decode(b, &got); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(got.Topic, got.QueueID, got.QueueOffset, string(got.Body), got.Keys())
	fmt.Println(got.MsgID())
	// Output:
	// TopicTest 3 7 hello [k1 k2]
	// 7F00000100002A9F0000000000001000
}

// What cannot be stored is refused before anything is written.
func ExampleLimits_Check() {
	m := record.Message{Topic: "../../etc"}
	fmt.Println((&record.Limits{}).Check(&m))
	m.Topic = "orders"
	m.Properties.Set("note", "a\x02b")
	fmt.Println((&record.Limits{}).Check(&m))
	// Output:
	// message refused: topic: want no separator or control character, got "../../etc"
	// message refused: properties: want a name without 0x01 and 0x02 and a value without 0x02, got "note"
}

// The derived files need less than the whole message.
func ExampleParseDispatch() {
	m := record.Message{Topic: "TopicTest", Properties: record.NewProperties("TAGS", "TagA", "KEYS", "k1 k2")}
	enc := record.Encoder{}
	b := make([]byte, enc.Size(&m))
	enc.Encode(b, &m, record.Position{})

	topics := record.NewInterner(1000)
	var req record.DispatchRequest
	if err := record.ParseDispatch(b, &req, topics); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(req.Topic, req.TagsCode, req.Size)
	for key := range record.SplitKeys(req.Keys) {
		fmt.Println(string(key))
	}
	// Output:
	// TopicTest 2598919 121
	// k1
	// k2
}
