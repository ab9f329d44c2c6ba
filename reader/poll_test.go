package reader

import "testing"

// An offset far above a queue's end made Poll return at once, which nothing said:
// it is what RocketMQ's pull does, for every offset that cannot be right, and
// NextOffset is where a consumer goes on.
func TestPollWaitsForNoWrongOffset(t *testing.T) {
	s := newStore(t, shape{})
	for range 10 {
		s.put(message("T", 0, "x"))
	}
	n := s.r.Notifier()
	for _, c := range []struct {
		topic  string
		offset int64
		status GetMessageStatus
		next   int64
	}{
		{"T", 50, OffsetOverflowBadly, 10},
		{"T", -1, OffsetTooSmall, 0},
		{"none", 7, NoMatchedLogicQueue, 0},
	} {
		var g GetResult
		if err := s.r.Poll(t.Context(), n, GetRequest{Topic: c.topic, Offset: c.offset}, &g); err != nil ||
			g.Status != c.status || g.NextOffset != c.next || len(g.Messages) != 0 {
			t.Errorf("%s at %d: %v %+v", c.topic, c.offset, err, g.Place)
		}
	}
}
