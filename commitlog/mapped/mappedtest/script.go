package mappedtest

import (
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// Rule makes chosen calls fail, wait or lie.
type Rule struct {
	Op      Op     // OpAny: every call
	Path    string // pattern of filepath.Match for the whole path or its last step; "" matches all
	At      int    // which of the matching calls, 1 is the next; 0 counts as 1
	Forever bool   // and all after it
	There   bool   // and those after it that do the same with the same path
	Err     error  // what the call reports, as the cause of an *fs.PathError; nil: it goes through
	Lie     bool   // calls that return only an error: report success and do nothing
	Landed  int    // failing syncs: so many of the dirty pages, lowest first, reach the disk
	Short   int    // failing writes: so many bytes are written first
	Delay   time.Duration
	Before  func() // runs before the call, without a lock held; it may block
	Then    func() // runs after the call

	seen int
	from func(place) bool // nil: from anywhere
}

// Script is a mapped.FS before another one. It counts and traces the calls, and
// carries out rules. A failing sync is also told to an FS below, whose dirty
// pages then count as clean without being durable.
type Script struct {
	fs    mapped.FS
	mu    sync.Mutex
	rules []*Rule
	calls int
	count [ops]int
	fault *Call
	trace []Call
	keep  int
}

// NewScript wraps fsys. Where several rules fit a call the first one counts.
func NewScript(fsys mapped.FS, rules ...Rule) *Script {
	s := &Script{fs: fsys, keep: 1 << 12}
	s.Add(rules...)
	return s
}

// Add appends rules; they count calls from now on.
func (s *Script) Add(rules ...Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range rules {
		r.seen = 0
		s.rules = append(s.rules, &r)
	}
}

// Clear drops all rules: the disk is healthy again.
func (s *Script) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = nil
}

// FailAt makes the k-th call from now fail, whatever it is. For a sweep: run
// once to learn Calls, then once for each k.
func (s *Script) FailAt(k int, err error) { s.Add(Rule{At: k, Err: err}) }

// Calls is the number of calls so far.
func (s *Script) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// Count is the number of calls of one kind so far; OpAny counts all.
func (s *Script) Count(op Op) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if op == OpAny {
		return s.calls
	}
	return s.count[op]
}

// Failed is the first call that a rule made fail.
func (s *Script) Failed() (Call, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault == nil {
		return Call{}, false
	}
	return *s.fault, true
}

// Trace is the latest calls (at most 4096) in the order of their ends.
func (s *Script) Trace() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.trace[max(0, len(s.trace)-s.keep):]...)
}

// TraceString is the trace for a failure message, a line for each call.
func (s *Script) TraceString() string {
	var b strings.Builder
	for _, c := range s.Trace() {
		b.WriteString(c.String() + "\n")
	}
	return b.String()
}

// arrive numbers a call and finds the rule that it meets.
func (s *Script) arrive(c *Call) Rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	s.count[c.Op]++
	c.N = s.calls
	var hit *Rule
	for _, r := range s.rules {
		if !r.fits(c) {
			continue
		}
		r.seen++
		if at := max(r.At, 1); hit == nil && (r.seen == at || r.Forever && r.seen > at) {
			hit = r
		}
	}
	if hit == nil {
		return Rule{}
	}
	if hit.There {
		s.rules = append(s.rules, &Rule{Op: c.Op, Path: c.Path, Forever: true, Err: hit.Err})
	}
	return *hit
}

func (r *Rule) fits(c *Call) bool {
	if r.Op != OpAny && r.Op != c.Op {
		return false
	}
	if r.from != nil && !r.from(here()) {
		return false
	}
	if r.Path == "" || r.Path == c.Path {
		return true
	}
	whole, _ := filepath.Match(r.Path, c.Path)
	last, _ := filepath.Match(r.Path, filepath.Base(c.Path))
	return whole || last
}

// leave notes how a call ended, and whether a rule made it fail.
func (s *Script) leave(c Call, made bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if made && s.fault == nil {
		s.fault = &c
	}
	if len(s.trace) >= 2*s.keep {
		s.trace = append(s.trace[:0], s.trace[len(s.trace)-s.keep:]...)
	}
	s.trace = append(s.trace, c)
}

// do carries a call out under the rules; failed, if any, is what the disk does
// when the call fails.
func (s *Script) do(c Call, run func() error, failed func(*Rule)) error {
	r := s.arrive(&c)
	if r.Before != nil {
		r.Before()
	}
	if r.Delay > 0 {
		time.Sleep(r.Delay)
	}
	switch {
	case r.Err != nil:
		if failed != nil {
			failed(&r)
		}
		c.Err = &fs.PathError{Op: c.Op.String(), Path: c.Path, Err: r.Err}
	case r.Lie && c.Op.canLie():
	default:
		c.Err = run()
	}
	if r.Then != nil {
		r.Then()
	}
	s.leave(c, r.Err != nil)
	return c.Err
}

// canLie tells whether success without the deed can be reported at all.
func (o Op) canLie() bool {
	switch o {
	case OpMkdirAll, OpMkdir, OpRename, OpRemove, OpSyncDir, OpSyncFS, OpTruncate, OpAllocate, OpWriteback,
		OpSync, OpDatasync, OpFlush, OpPopulate, OpRandom:
		return true
	}
	return false
}
