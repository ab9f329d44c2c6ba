package record_test

import (
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
)

func TestNoAllocation(t *testing.T) {
	m := kilobyte()
	m.Properties.Set("INNER_MULTI_DISPATCH", "%LMQ%a")
	wide := m
	wide.Topic = strings.Repeat("題", 43)
	plain, crc := record.Encoder{}, record.Encoder{AppendPropCRC: true}
	stale := m
	stale.Properties = append(m.Properties[:len(m.Properties):len(m.Properties)], "__CRC32#\x011234567890\x02"...)
	dst := make([]byte, 4096)
	pos := record.Position{PhysicalOffset: 4096}
	rec, recCRC := encode(plain, m, pos), encode(crc, wide, pos)
	odd := m
	odd.Topic = "odd\xff"
	recOdd := encode(plain, odd, pos)
	var ext, extWide record.MessageExt
	var req record.DispatchRequest
	topics := record.NewInterner(8)
	keys := []byte("k1 k2 k3")
	emoji := strings.Repeat("題😀", 20)
	found := 0
	limits := record.Limits{}
	simple := kilobyte()
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"Size", func() { crc.Size(&m) }},
		{"Encode", func() { plain.Encode(dst, &m, pos) }},
		{"Encode with checksum", func() { crc.Encode(dst, &wide, pos) }},
		{"Encode over an old checksum", func() { crc.Encode(dst[:crc.Size(&stale)], &stale, pos) }},
		{"Decode", func() { _ = record.Decode(rec, &ext) }},
		{"Decode v2", func() { _ = record.Decode(recCRC, &extWide) }},
		{"ParseDispatch", func() { _ = record.ParseDispatch(rec, &req, topics) }},
		{"ParseDispatch of three topics", func() {
			for _, r := range [][]byte{rec, recCRC, recOdd} {
				_ = record.ParseDispatch(r, &req, topics)
			}
		}},
		{"Properties.Bytes", func() { m.Properties.Bytes("UNIQ_KEY") }},
		{"Verify", func() { _ = record.Verify(rec, 4096, record.CRCRecord) }},
		{"Verify with checksum", func() { _ = record.Verify(recCRC, 4096, record.CRCRecord) }},
		{"Measure", func() { _, _, _ = record.Measure(rec) }},
		{"FindMagic", func() { record.FindMagic(dst) }},
		{"StoreTimestampOf", func() { _, _ = record.StoreTimestampOf(rec) }},
		{"JavaHash of a string", func() { record.JavaHash(emoji) }},
		{"SplitKeys", func() {
			for range record.SplitKeys(keys) {
				found++
			}
		}},
		{"CheckTopic", func() { _ = record.CheckTopic(wide.Topic) }},
		{"Check", func() { _ = limits.Check(&simple) }},
	} {
		if n := testing.AllocsPerRun(100, c.do); n != 0 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
	if string(req.UniqKey) != "AC11000100002A9F0000000000000001" || ext.Topic != m.Topic || found == 0 {
		t.Error("the calls did not do their work")
	}
}
