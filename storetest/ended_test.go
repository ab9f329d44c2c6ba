package storetest

import (
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// A hang that was met when the store ended, but begins behind that, would find
// nobody to release it.
func TestHangBehindTheEnd(t *testing.T) {
	e := newEngine()
	e.disk = mappedtest.NewScript(mappedtest.NewFS())
	e.end()
	gone := make(chan struct{})
	go func() { e.stand(0); close(gone) }()
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Error("it stands for ever")
		e.release()
	}
}
