package leak

import (
	"strings"
	"testing"
	"time"
)

func standStill(gate <-chan struct{}) { <-gate }

// Who stays is named; who ends in time is not.
func TestFind(t *testing.T) {
	if err := Find(); err != nil {
		t.Fatal(err)
	}
	gate := make(chan struct{})
	go standStill(gate)
	if err := within(time.Second); err == nil || !strings.Contains(err.Error(), "standStill") {
		t.Errorf("found %v", err)
	}
	time.AfterFunc(time.Second, func() { close(gate) })
	if err := Find(); err != nil {
		t.Errorf("it has ended: %v", err)
	}
}
