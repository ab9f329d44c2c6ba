package actors

import "github.com/actorstore/actorstore/progress"

// mostSent is how many windows on their way are remembered, of which one sink may
// lack any number.
const mostSent = 4096

// note remembers a window. Of too many every other one is forgotten: the last
// record that all have is then told of a little later.
func (d *dispatchActor) note(window progress.Record) {
	if len(d.sent) >= mostSent {
		kept := d.sent[:0]
		for i := 1; i < len(d.sent); i += 2 {
			kept = append(kept, d.sent[i])
		}
		d.sent = kept
	}
	d.sent = append(d.sent, window)
}

// position is how far the slowest sink has come of those that get windows.
func (d *dispatchActor) position() int64 {
	least := d.t.log().Confirm()
	for _, s := range d.t.sinks {
		if !s.away {
			least = min(least, s.Applied())
		}
	}
	return least
}

// applied is how far the slowest sink has come that is not parked.
func (d *dispatchActor) applied() int64 {
	least := d.t.log().Confirm()
	for _, s := range d.t.sinks {
		if !s.parked {
			least = min(least, s.Applied())
		}
	}
	return least
}

// progress publishes what all sinks have taken in.
func (d *dispatchActor) progress() {
	applied := d.applied()
	n := 0
	for n < len(d.sent) && d.sent[n].End <= applied {
		n++
	}
	if n > 0 {
		if r := d.sent[n-1]; r.Start >= 0 {
			d.t.dispatched.Store(&r)
		}
		d.sent = append(d.sent[:0], d.sent[n:]...)
	}
	d.t.log().SetDispatched(applied)
}

// rewind starts again from the slowest sink.
func (d *dispatchActor) rewind() {
	at := d.position()
	d.reput.Rewind(at)
	d.t.read.Store(d.reput.Pos())
	for len(d.sent) > 0 && d.sent[len(d.sent)-1].End > at {
		d.sent = d.sent[:len(d.sent)-1]
	}
}
