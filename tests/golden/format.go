package golden

import (
	"fmt"
	"strconv"
	"strings"
)

// Lines formats a reading; the opposite of [Parse].
func (r *Reading) Lines() []string {
	lines := []string{fmt.Sprintf(`{"min":%d,"max":%d}`, r.Min, r.Max)}
	for i := range r.Queues {
		q := &r.Queues[i]
		lines = append(lines, q.Line())
		for j := range q.Messages {
			lines = append(lines, q.Messages[j].Line())
		}
	}
	for i := range r.Queries {
		lines = append(lines, r.Queries[i].Line())
	}
	for i := range r.Times {
		lines = append(lines, r.Times[i].Line())
	}
	return lines
}

// Line formats the queue's own line, without its messages.
func (q *Queue) Line() string {
	return fmt.Sprintf(`{"topic":%s,"queue":%d,"minOffset":%d,"maxOffset":%d}`,
		quote(q.Topic), q.Queue, q.MinOffset, q.MaxOffset)
}

// Line formats the message's line.
func (m *Message) Line() string {
	return fmt.Sprintf(`{"topic":%s,"queue":%d,"offset":%d,"phy":%d,"size":%d,`+
		`"flag":%d,"sysFlag":%d,"born":%d,"stored":%d,"bornHost":%s,"storeHost":%s,`+
		`"recon":%d,"prep":%d,"crc":%d,"len":%d,"md5":%s,"props":%s}`,
		quote(m.Topic), m.Queue, m.Offset, m.Phy, m.Size,
		m.Flag, m.SysFlag, m.Born, m.Stored, quote(m.BornHost), quote(m.StoreHost),
		m.Recon, m.Prep, m.CRC, m.Len, quote(m.MD5), quote(m.Props))
}

// Line formats the query's line.
func (q *Query) Line() string {
	offsets := make([]string, len(q.Offsets))
	for i, n := range q.Offsets {
		offsets[i] = strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf(`{"query":%s,"offsets":"%s"}`, quote(q.Topic+"/"+q.Key), strings.Join(offsets, " "))
}

// Line formats the line of the time and its two offsets.
func (t *Time) Line() string {
	return fmt.Sprintf(`{"topic":%s,"queue":%d,"time":%d,"lower":%d,"upper":%d}`,
		quote(t.Topic), t.Queue, t.Time, t.Lower, t.Upper)
}

// quote escapes what JSON demands and nothing else: the files have plain
// UTF-8, where encoding/json would escape '<' and the like.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
