package actors

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
)

// ending begins a put whose answer harms whoever gives it.
func (r *rig) ending(m *record.Message, told *atomic.Int64, end func()) {
	r.t.Helper()
	p := newRequest()
	p.message, p.aside = *m, true
	p.OnSettled = func(*flusher.Waiter) { told.Add(1); end() }
	if _, err := r.s.post(r.tree(), p, weight(&p.message)); err != nil {
		r.t.Error(err)
	}
}

// Answers that ended the goroutine of the actor that gave them, or panicked, lost the
// rest of the group commit: those puts were never answered, and their bytes stayed in
// flight for ever.
func TestAnswersThatEndInTheMiddle(t *testing.T) {
	noWait := message("a", 0, "x")
	noWait.Properties = record.NewProperties("WAIT", "false")
	for name, c := range map[string]struct {
		hold    string // while the puts gather
		message *record.Message
		flush   func(*Options)
		after   func(r *rig)
	}{
		"flush":     {flusherName, message("a", 0, "x"), syncFlush, func(*rig) {}},
		"publish":   {appendName, message("a", 0, "x"), asyncFlush, func(*rig) {}},
		"hand over": {appendName, noWait, syncFlush, func(*rig) {}},
		"abort":     {flusherName, message("a", 0, "x"), syncFlush, func(r *rig) { r.kill(flusherName) }},
		"settle": {appendName, message("a", 0, "x"), syncFlush, func(r *rig) {
			r.tree().failed(errors.New("the log takes nothing more"))
		}},
		"failed flush": {flusherName, message("a", 0, "x"), syncFlush, func(r *rig) {
			r.script.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Path: root + "/commitlog/*", Err: errors.New("disk")})
		}},
	} {
		for how, end := range map[string]func(){"panics": func() { panic("answer") }, "goexits": runtimeGoexit} {
			t.Run(fmt.Sprint(name, " ", how), func(t *testing.T) {
				virtual(t, func(t *testing.T) {
					r := open(t, c.flush, func(o *Options) { o.RestartBudget, o.HangTimeout = 1000, 0 })
					r.put("a", 0, "0")
					release := r.hold(c.hold)
					var told atomic.Int64
					var waiting []Pending
					for range 20 {
						p, err := r.s.begin(c.message, true)
						if err != nil {
							t.Fatal(err)
						}
						waiting = append(waiting, p)
						r.ending(c.message, &told, end)
					}
					time.Sleep(time.Second)
					c.after(r)
					release()
					time.Sleep(time.Minute)
					for i, p := range waiting {
						if !p.r.Done() {
							t.Errorf("put %d is not answered", i)
						}
					}
					if n := r.tree().admission.inFlight.Load(); n != 0 || told.Load() != 20 {
						t.Errorf("%d bytes in flight, %d answers of 20", n, told.Load())
					}
					r.limited()
					if r.tree().writable() == nil {
						r.put("a", 0, "again")
					}
					_ = r.s.Close(r.ctx)
					if n, m := r.disk.OpenFiles(), r.disk.Mappings(); n != 0 || m != 0 {
						t.Errorf("%d files and %d mappings are open", n, m)
					}
				})
			})
		}
	}
}

// The same of a flusher on its way out: protoactor left it between life and death, and
// append and flusher never came back.
func TestStopThatEndsInTheMiddle(t *testing.T) {
	virtual(t, func(t *testing.T) {
		f := &seam{}
		r := open(t, syncFlush, func(o *Options) { o.Faults, o.RestartBudget, o.HangTimeout = f, 1000, 0 })
		r.put("a", 0, "0")
		inside, gate := make(chan struct{}), make(chan struct{})
		f.next(r, flusherName, func() { close(inside); <-gate })
		<-inside
		f.mu.Lock()
		f.hooks[flusherName] = func() { panic("with puts at the gate") }
		f.mu.Unlock()
		var told atomic.Int64
		p, err := r.s.begin(message("a", 0, "x"), true)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			r.ending(message("a", 0, "x"), &told, runtimeGoexit)
		}
		time.Sleep(time.Second)
		close(gate)
		time.Sleep(time.Minute)
		if n := r.tree().admission.inFlight.Load(); n != 0 || told.Load() != 3 || !p.r.Done() {
			t.Errorf("%d bytes in flight, %d answers", n, told.Load())
		}
		r.limited()
		r.put("a", 0, "again")
		r.close()
	})
}

// limited lets the rest of a test fail instead of wait.
func (r *rig) limited() {
	ctx, cancel := context.WithTimeout(r.ctx, time.Minute)
	r.t.Cleanup(cancel)
	r.ctx = ctx
}
