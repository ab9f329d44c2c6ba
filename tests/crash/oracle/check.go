package oracle

import (
	"context"
	"fmt"
	"strings"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/reader"
	"github.com/actorstore/actorstore/recoverer"
)

// Log is the whole log of a store and the store's own check;
// *actors.Inspection has both.
type Log interface {
	Bounds() (min, end int64)
	Walk(ctx context.Context, from, to int64, visit func(commitlog.Entry, error) error) error
	Verify(ctx context.Context, visit func(recoverer.Finding)) error
}

// Violation is what a check found wrong.
type Violation struct {
	Cut  Cut
	What []string // the first ones
	More int      // how many beyond those
}

// Error lists what was found.
func (v *Violation) Error() string {
	s := fmt.Sprintf("after %s:\n  %s", v.Cut, strings.Join(v.What, "\n  "))
	if v.More > 0 {
		s += fmt.Sprintf("\n  and %d more", v.More)
	}
	return s
}

// orNil is the violation as an error, nil if nothing was found.
func (v *Violation) orNil() error {
	if len(v.What) == 0 {
		return nil
	}
	return v
}

// mostViolations bounds what one check tells.
const mostViolations = 12

// Options say how a store was opened.
type Options struct {
	MultiDispatch bool // light queues exist
	NoIndex       bool
	MaxMatches    int // MaxMsgsNumBatch
	// InOrder: one client of one process has sent all messages one after the other,
	// and no actor has died: what is left is a prefix of what was sent.
	InOrder bool
	// Unmarked: recovery had no mark to go by, because writing the first one has
	// failed. Such a log is judged like one of RocketMQ, where good records behind
	// a bad one are kept.
	Unmarked bool
}

// check is one run of Check.
type check struct {
	m    *Model
	at   Snapshot
	cut  Cut
	o    Options
	view *reader.Reader
	log  Log
	f    *Found
	v    Violation
}

func (c *check) bad(format string, args ...any) {
	if len(c.v.What) >= mostViolations {
		c.v.More++
		return
	}
	c.v.What = append(c.v.What, fmt.Sprintf(format, args...))
}

// Check holds a store that was opened after a cut against the model. view must
// show what stands there, with dispatch at rest; log is the same store. The
// error is *Violation or the context's.
func (m *Model) Check(ctx context.Context, view *reader.Reader, log Log, at Snapshot, cut Cut, o Options) (*Found, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	c := &check{m: m, at: at, cut: cut, o: o, view: view, log: log, v: Violation{Cut: cut},
		f: &Found{gone: make(map[string]int), epochs: m.epoch}}
	for _, step := range []func(context.Context) error{c.records, c.queues, c.keys, c.places, c.own} {
		if err := step(ctx); err != nil {
			return nil, err
		}
		if c.f.Doubtful {
			break
		}
	}
	return c.f, c.v.orNil()
}

// own wants the store's own check to find nothing.
func (c *check) own(ctx context.Context) error {
	return c.log.Verify(ctx, func(f recoverer.Finding) {
		for _, d := range c.m.deletions {
			if strings.Contains(f.Path, d.topic) && c.halfGone(d.topic) {
				return
			}
		}
		c.bad("verify: %s", f)
	})
}
