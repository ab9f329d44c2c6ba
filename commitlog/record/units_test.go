package record_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
)

func TestUnits(t *testing.T) {
	base := record.DispatchRequest{Topic: "T", QueueID: 3, QueueOffset: 7, InnerBase: -1}
	with := func(change func(*record.DispatchRequest)) record.DispatchRequest {
		r := base
		change(&r)
		return r
	}
	lmq := func(names, offsets string) func(*record.DispatchRequest) {
		return func(r *record.DispatchRequest) {
			r.MultiDispatch, r.MultiOffset = []byte(names), []byte(offsets)
		}
	}
	for _, c := range []struct {
		name  string
		req   record.DispatchRequest
		multi bool
		want  []string
	}{
		{"plain", base, true, []string{"T-3 7"}},
		{"prepared", with(func(r *record.DispatchRequest) { r.SysFlag = record.SysTransactionPrepared }), true, nil},
		{"rolled back", with(func(r *record.DispatchRequest) { r.SysFlag = record.SysTransactionRollback }), true, nil},
		{"committed", with(func(r *record.DispatchRequest) { r.SysFlag = record.SysTransactionCommit }), true, []string{"T-3 7"}},
		{"inner batch", with(func(r *record.DispatchRequest) { r.SysFlag, r.InnerNum, r.InnerBase = record.SysInnerBatch, 4, 20 }), true, []string{"T-3 7 or 20+4 inner"}},
		{"inner batch without the bit", with(func(r *record.DispatchRequest) { r.InnerNum, r.InnerBase = 4, 20 }), true, []string{"T-3 7 or 20+4"}},
		{"inner batch of one", with(func(r *record.DispatchRequest) { r.SysFlag, r.InnerNum, r.InnerBase = record.SysInnerBatch, 1, 20 }), true, []string{"T-3 7 or 20+1 inner"}},
		{"bit without INNER_NUM", with(func(r *record.DispatchRequest) { r.SysFlag = record.SysInnerBatch }), true, []string{"T-3 7 inner"}},
		{"inner batch with light queues", with(func(r *record.DispatchRequest) {
			lmq("%LMQ%a", "5")(r)
			r.SysFlag, r.InnerNum, r.InnerBase = record.SysInnerBatch, 4, 20
		}), true, []string{"T-3 7 or 20+4 inner", "%LMQ%a-0 5"}},
		{"inner batch without base", with(func(r *record.DispatchRequest) { r.SysFlag, r.InnerNum = record.SysInnerBatch, 4 }), true, []string{"T-3 7 or 7+4 inner"}},
		{"light queues", with(lmq("%LMQ%a,%LMQ%b", "5,6")), true, []string{"T-3 7", "%LMQ%a-0 5", "%LMQ%b-0 6"}},
		{"light queues off", with(lmq("%LMQ%a", "5")), false, []string{"T-3 7"}},
		{"name without prefix", with(lmq("x", "5")), true, []string{"T-3 7", "x-3 5"}},
		{"offset missing", with(lmq("%LMQ%a,%LMQ%b", ",6")), true, []string{"T-3 7", "%LMQ%b-0 6"}},
		{"offset no number", with(lmq("%LMQ%a,%LMQ%b", "x,-1")), true, []string{"T-3 7"}},
		{"fewer offsets", with(lmq("%LMQ%a,%LMQ%b", "5")), true, []string{"T-3 7", "%LMQ%a-0 5"}},
		{"retry topic", with(func(r *record.DispatchRequest) { lmq("%LMQ%a", "5")(r); r.Topic = "%RETRY%g" }), true, []string{"%RETRY%g-3 7"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			c.req.Units(c.multi, nil, func(u record.QueueUnit) {
				simple, one := u.At(false)
				base, num := u.At(true)
				if one != 1 {
					t.Errorf("%d messages in a simple unit", one)
				}
				text := fmt.Sprintf("%s-%d %d", u.Topic, u.QueueID, simple)
				if num != 1 || base != simple {
					text += fmt.Sprintf(" or %d+%d", base, num)
				}
				if u.Inner {
					text += " inner"
				}
				got = append(got, text)
			})
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestVerifyUnwrittenEnd: zeros at the end of the properties are a write that
// was lost, whatever the checksum of the body says.
func TestVerifyUnwrittenEnd(t *testing.T) {
	for _, crc := range []bool{true, false} {
		enc := record.Encoder{AppendPropCRC: crc}
		m := &record.Message{Topic: "T", Body: []byte("body"), Properties: record.NewProperties("KEYS", "k1")}
		b := make([]byte, enc.Size(m))
		enc.Encode(b, m, record.Position{})
		if err := record.Verify(b, 0, record.CRCRecord); err != nil {
			t.Fatal(err)
		}
		for n := len(b) - 1; n > 0; n-- {
			clear(b[n:])
			if record.Verify(b, 0, record.CRCRecord) == nil {
				t.Errorf("checksum %v: %d of %d bytes pass", crc, n, len(b))
			}
		}
	}
}
