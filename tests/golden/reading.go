package golden

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Reading is everything that was read from one store.
type Reading struct {
	Min, Max int64 // physical offsets of the log; Max is exclusive
	Queues   []Queue
	Queries  []Query
	Times    []Time
}

// Queue is one queue and its messages in order.
type Queue struct {
	Topic     string
	Queue     int32
	MinOffset int64
	MaxOffset int64 // exclusive
	Messages  []Message
}

// Message is one message as a queue returned it. Topic, Queue and Offset are
// those of the record: in a queue that a message was dispatched to in
// addition they are not the queue's.
type Message struct {
	Topic     string
	Queue     int32
	Offset    int64
	Phy       int64 // physical offset of the record
	Size      int32 // bytes of the record
	Flag      int32
	SysFlag   int32
	Born      int64  // ms
	Stored    int64  // ms
	BornHost  string // as Java prints it: /127.0.0.1:5555, /[2001:db8:0:0:0:0:0:1]:6001
	StoreHost string // likewise
	Recon     int32  // times it was consumed again
	Prep      int64  // prepared transaction offset
	CRC       int32  // of the body, as the record has it
	Len       int    // bytes of the body
	MD5       string // of the body, hexadecimal
	Props     string // name=value; for each property, sorted by name
}

// Span returns how many offsets of its queue the message takes: one, or as
// many as an inner batch has members.
func (m *Message) Span() int64 {
	for prop := range strings.SplitSeq(m.Props, ";") {
		if num, ok := strings.CutPrefix(prop, "INNER_NUM="); ok {
			if n, err := strconv.ParseInt(num, 10, 16); err == nil {
				return n
			}
		}
	}
	return 1
}

// Query is a key query over all times, at most 64 matches.
type Query struct {
	Topic, Key string
	Offsets    []int64 // physical, in the order returned
}

// Time asks for the queue offsets that a time selects.
type Time struct {
	Topic        string
	Queue        int32
	Time         int64 // ms
	Lower, Upper int64
}

// line has every field of every kind of line; pointers tell the kinds apart.
type line struct {
	Message
	Min, Max             *int64
	MinOffset, MaxOffset *int64
	Phy                  *int64
	Query                *string
	Offsets              string
	Time                 *int64
	Lower, Upper         int64
}

// Parse parses the lines of a reading. The error names the first line, from
// one, that is none or stands where it cannot.
func Parse(lines []string) (*Reading, error) {
	r := new(Reading)
	for i, text := range lines {
		var l line
		err := json.Unmarshal([]byte(text), &l)
		if err == nil {
			err = r.add(i, &l)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w: %s", i+1, err, text)
		}
	}
	for _, q := range r.Queues {
		var span int64
		for _, m := range q.Messages {
			span += m.Span()
		}
		if span != q.MaxOffset-q.MinOffset {
			return nil, fmt.Errorf("queue %s/%d has messages for %d offsets between %d and %d",
				q.Topic, q.Queue, span, q.MinOffset, q.MaxOffset)
		}
	}
	return r, nil
}

func (r *Reading) add(i int, l *line) error {
	switch {
	case i == 0 && l.Min != nil && l.Max != nil:
		r.Min, r.Max = *l.Min, *l.Max
	case l.MinOffset != nil && l.MaxOffset != nil:
		r.Queues = append(r.Queues, Queue{Topic: l.Topic, Queue: l.Message.Queue,
			MinOffset: *l.MinOffset, MaxOffset: *l.MaxOffset})
	case l.Phy != nil && len(r.Queues) > 0:
		l.Message.Phy = *l.Phy
		q := &r.Queues[len(r.Queues)-1]
		q.Messages = append(q.Messages, l.Message)
	case l.Query != nil:
		return r.addQuery(*l.Query, l.Offsets)
	case l.Time != nil:
		r.Times = append(r.Times, Time{Topic: l.Topic, Queue: l.Message.Queue,
			Time: *l.Time, Lower: l.Lower, Upper: l.Upper})
	default:
		return fmt.Errorf("unexpected line")
	}
	return nil
}

func (r *Reading) addQuery(query, offsets string) error {
	topic, key, ok := strings.Cut(query, "/")
	if !ok {
		return fmt.Errorf("query without a slash")
	}
	q := Query{Topic: topic, Key: key}
	for _, field := range strings.Fields(offsets) {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return err
		}
		q.Offsets = append(q.Offsets, n)
	}
	r.Queries = append(r.Queries, q)
	return nil
}
