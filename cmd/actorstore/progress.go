package main

import (
	"cmp"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/actorstore/actorstore"
)

// bar shows how far recovery or verification has come, on a terminal, and is
// silent elsewhere.
type bar struct {
	a *app

	mu    sync.Mutex // recovery tells from several goroutines
	meter *meter
	phase string
}

// barDelay is how long something may take without a bar: what is over at once only
// flickers. barPause is between two drawings; rateLeast is how long must have been
// measured before a rate says anything.
const (
	barDelay  = 300 * time.Millisecond
	barPause  = 100 * time.Millisecond
	rateLeast = time.Second
)

// meter is one bar, with a rate of what was done since it was made.
type meter struct {
	bar   *progressbar.ProgressBar
	what  string
	bytes bool
	total int64 // -1 if it is not known
	from  int64 // done before the bar was made
	began time.Time
	drawn time.Time
}

func (a *app) meter(what string, from, total int64, bytes bool) *meter {
	return &meter{what: what, bytes: bytes, total: total, from: from, began: time.Now(), bar: progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(a.err), progressbar.OptionSetVisibility(a.errTerminal),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30), progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false))}
}

// at draws how far it is.
func (m *meter) at(done int64) {
	now := time.Now()
	if now.Sub(m.began) < barDelay || now.Sub(m.drawn) < barPause {
		return
	}
	m.drawn = now
	m.bar.Describe(m.text(done, now.Sub(m.began)))
	_ = m.bar.Set64(done)
}

func (m *meter) finish() {
	if !m.drawn.IsZero() {
		_ = m.bar.Finish()
	}
}

// text is what stands beside the bar. What was done before the first drawing took
// a time that is not known: it is no part of the rate.
func (m *meter) text(done int64, took time.Duration) string {
	amount := countText
	if m.bytes {
		amount = bytesText
	}
	text := m.what + " " + amount(done)
	if m.total >= 0 {
		text += " of " + amount(m.total)
	}
	if took >= rateLeast {
		text += ", " + amount(int64(float64(done-m.from)/took.Seconds())) + "/s"
	}
	return text
}

// phases are what recovery and verification do, in plain words.
var phases = map[string]string{
	"scan": "log scanned", "rewrite": "end of the log written again", "queues": "queues read",
	"replay": "queues and index held against the log", "index": "index built",
}

// event is for actorstore.Events.
func (b *bar) event(e actorstore.RecoveryEvent) {
	if !b.a.errTerminal {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.meter == nil || b.phase != e.Phase {
		b.finish()
		b.meter, b.phase = b.a.meter(cmp.Or(phases[e.Phase], e.Phase), e.Done, e.Total, e.Phase != "queues"), e.Phase
	}
	b.meter.at(e.Done)
}

// end takes the bar away.
func (b *bar) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.finish()
}

func (b *bar) finish() {
	if b.meter != nil {
		b.meter.finish()
		b.meter = nil
	}
}
