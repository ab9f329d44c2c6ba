package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// Violation is an invariant that does not hold: I1 to I7 as package commitlog
// counts them, "history" for what was put and answered, and "progress" for a
// store that does not come to rest.
type Violation struct {
	Invariant string
	Text      string
}

// String is both.
func (v Violation) String() string { return v.Invariant + ": " + v.Text }

// patience is how long a check waits for a store to come to rest.
const patience = 30 * time.Second

// Check fails the test for each invariant that does not hold in the stores, with
// the script that shows it. It waits until what was put is dispatched, so call
// it when nobody puts any more. It looks at the files past all faults, so it
// works on stores that are read-only, or are closed as well; and on those in which
// somebody stands still by a Hang or HangCall: there it does not ask for progress.
// What no fault explains may take it 30 seconds. It logs the faults that have not
// struck; MustStrike demands them.
func Check(t testing.TB, stores ...*Store) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, s := range stores {
		if err := s.Verify(ctx); err != nil {
			t.Errorf("%v\n%s", err, s.replay())
		}
		if list := s.Missed(); len(list) > 0 {
			t.Logf("has not struck (yet): %s", strings.Join(list, ", "))
		}
	}
}

// Verify is Check for programs: the error joins what does not hold.
func (s *Store) Verify(ctx context.Context) error {
	var errs []error
	for _, v := range s.Violations(ctx) {
		errs = append(errs, errors.New(v.String()))
	}
	return errors.Join(errs...)
}

// Violations lists what does not hold, at most 20 of each kind.
func (s *Store) Violations(ctx context.Context) []Violation {
	var list []Violation
	if err := s.rest(ctx); err != nil {
		list = append(list, Violation{"progress", err.Error()})
	}
	list = append(list, s.engine.watch.violations()...)
	l, err := s.look(context.WithoutCancel(ctx)) // though resting has taken all of it
	if err != nil {
		return append(list, Violation{"I3", fmt.Sprintf("the store cannot be looked at: %v", err)})
	}
	defer l.close()
	list = append(list, l.ordered()...)
	list = append(list, l.segments()...)
	list = append(list, l.unchanged(s.seen)...)
	list = append(list, l.dense(s.History.reset)...)
	list = append(list, l.pointed(s.History.reset)...)
	list = append(list, s.History.violations(l)...)
	return few(list)
}

// few keeps 20 of each kind.
func few(list []Violation) []Violation {
	count := make(map[string]int)
	return slices.DeleteFunc(list, func(v Violation) bool {
		count[v.Invariant]++
		return count[v.Invariant] > 20
	})
}

// ordered is I1 at rest.
func (l *look) ordered() []Violation {
	if !l.running {
		return nil
	}
	return order(l.state, l.sync)
}

// segments is I2: records lie inside of segments, each full one ends with one
// BLANK or a record, and everything stands back to back.
func (l *look) segments() (list []Violation) {
	m := l.state.Watermarks
	if l.end < m.Confirm {
		list = append(list, Violation{"I3", fmt.Sprintf("the log ends at %d in the files, confirm is %d", l.end, m.Confirm)})
	}
	at := m.Min
	for _, e := range l.entries {
		end := e.offset + int64(e.size)
		switch last := (end - 1) / l.segment; {
		case e.offset != at:
			list = append(list, Violation{"I2", fmt.Sprintf("an entry stands at %d where %d is due", e.offset, at)})
		case e.broken != nil:
			list = append(list, Violation{"I3", fmt.Sprintf("[%d, %d) cannot be read: %v", e.offset, end, e.broken)})
		case e.offset/l.segment != last:
			list = append(list, Violation{"I2", fmt.Sprintf("the record [%d, %d) crosses the segment's end at %d", e.offset, end, last*l.segment)})
		case e.blank && end%l.segment != 0:
			list = append(list, Violation{"I2", fmt.Sprintf("the BLANK at %d ends at %d, in the middle of its segment", e.offset, end)})
		}
		at = end
	}
	return list
}

// unchanged is I3: what an earlier check has seen below appended is still so.
func (l *look) unchanged(seen map[int64]uint32) (list []Violation) {
	found := make(map[int64]bool, len(l.entries))
	for _, e := range l.entries {
		if e.blank || e.broken != nil {
			continue
		}
		found[e.offset] = true
		if sum, ok := seen[e.offset]; ok && sum != e.sum {
			list = append(list, Violation{"I3", fmt.Sprintf("the record at %d has changed: its checksum was %08x and is %08x", e.offset, sum, e.sum)})
		}
		seen[e.offset] = e.sum
	}
	for at := range seen {
		switch {
		case at < l.state.Watermarks.Min:
			delete(seen, at)
		case !found[at]:
			list = append(list, Violation{"I3", fmt.Sprintf("the record at %d is gone", at)})
			delete(seen, at)
		}
	}
	return list
}

// dense is I4: the numbers of each queue follow one another in log order.
func (l *look) dense(reset map[string]bool) (list []Violation) {
	next := make(map[queueKey]int64)
	for _, e := range l.entries {
		if e.blank || e.broken != nil || e.apart {
			continue
		}
		want, known := next[e.queue]
		if known && e.number != want && !(reset[e.queue.topic] && e.number == 0) {
			list = append(list, Violation{"I4", fmt.Sprintf("%s-%d: the record at %d has queue offset %d where %d is due", e.queue.topic, e.queue.id, e.offset, e.number, want)})
		}
		next[e.queue] = e.number + 1
	}
	return list
}
