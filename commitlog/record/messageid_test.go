package record_test

import (
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/actorstore/actorstore/commitlog/record"
)

func TestMessageID(t *testing.T) {
	for _, c := range []struct {
		host netip.AddrPort
		at   int64
		id   string
	}{
		{host("127.0.0.1:10911"), 4096, "7F00000100002A9F0000000000001000"},
		{host("[2001:db8::2]:65535"), 1<<63 - 1, "20010DB80000000000000000000000020000FFFF7FFFFFFFFFFFFFFF"},
		{host("0.0.0.0:0"), 0, strings.Repeat("0", 32)},
	} {
		if got := record.EncodeMessageID(c.host, c.at); got != c.id {
			t.Errorf("%v %d: %s", c.host, c.at, got)
		}
		for _, id := range []string{c.id, strings.ToLower(c.id)} {
			if h, at, err := record.DecodeMessageID(id); h != c.host || at != c.at || err != nil {
				t.Errorf("%s: %v %d %v", id, h, at, err)
			}
		}
	}
	if got := record.EncodeMessageID(netip.AddrPort{}, 0); got != strings.Repeat("0", 32) {
		t.Errorf("zero host: %s", got)
	}
	if got := record.EncodeMessageID(host("[::ffff:127.0.0.1]:10911"), 4096); got != "7F00000100002A9F0000000000001000" {
		t.Errorf("IPv4 in IPv6: %s", got)
	}
	for _, id := range []string{"", "7F", strings.Repeat("0", 31), strings.Repeat("0", 40), strings.Repeat("g", 32),
		"7F000001000100000000000000001000", "7F00000100002A9F8000000000001000", "7F000001FFFFFFFF0000000000001000"} {
		if _, _, err := record.DecodeMessageID(id); err == nil || !strings.Contains(err.Error(), "message id") {
			t.Errorf("%q: %v", id, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		h, at := genHost().Draw(t, "host"), rapid.Int64Min(0).Draw(t, "offset")
		if h2, at2, err := record.DecodeMessageID(record.EncodeMessageID(h, at)); h2 != h || at2 != at || err != nil {
			t.Fatal(h2, at2, err)
		}
	})
}

// A message that was read could not tell its id: who had read it had to know that
// EncodeMessageID makes one from host and offset.
func TestReadMessageKnowsItsIDs(t *testing.T) {
	enc := record.Encoder{Host: host("127.0.0.1:10911")}
	in := record.Message{Topic: "TopicTest"}
	in.Properties.Set(record.PropertyUniqKey, "AC11000100002A9F0000000000000001")
	b := make([]byte, enc.Size(&in))
	enc.Encode(b, &in, record.Position{PhysicalOffset: 4096})
	var m record.MessageExt
	if err := record.Decode(b, &m); err != nil {
		t.Fatal(err)
	}
	if id, key := m.MsgID(), m.UniqKey(); id != "7F00000100002A9F0000000000001000" || key != "AC11000100002A9F0000000000000001" {
		t.Errorf("id %s, unique key %s", id, key)
	}
}
