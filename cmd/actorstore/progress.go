package main

import (
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
	bar   *progressbar.ProgressBar
	phase string
}

// barPause is between two drawings.
const barPause = 100 * time.Millisecond

func (a *app) progress(what string, total int64, bytes bool) *progressbar.ProgressBar {
	options := []progressbar.Option{
		progressbar.OptionSetWriter(a.err), progressbar.OptionSetDescription(what),
		progressbar.OptionSetVisibility(a.errTerminal), progressbar.OptionThrottle(barPause),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(total > 0),
	}
	if bytes {
		options = append(options, progressbar.OptionShowBytes(true), progressbar.OptionUseIECUnits(true))
	}
	return progressbar.NewOptions64(total, options...)
}

// event is for actorstore.Events.
func (b *bar) event(e actorstore.RecoveryEvent) {
	if !b.a.errTerminal {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar == nil || b.phase != e.Phase {
		b.finish()
		b.bar, b.phase = b.a.progress("recover: "+e.Phase, e.Total, e.Phase != "queues"), e.Phase
	}
	_ = b.bar.Set64(e.Done)
}

// end takes the bar away.
func (b *bar) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.finish()
}

func (b *bar) finish() {
	if b.bar != nil {
		_ = b.bar.Finish()
		b.bar = nil
	}
}
