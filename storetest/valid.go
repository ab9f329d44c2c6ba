package storetest

import (
	"fmt"
	"regexp"
)

// actorNames are the actors of a store, their supervisor among them.
var actorNames = regexp.MustCompile(`^(store|append|flusher|dispatch|index|allocator|checkpoint|retention|(queues|reader)-\d+)$`)

// Validate finds faults that could never strike, such as one of an actor whose
// name is misspelled: a test would pass with them that tests nothing.
func (s Script) Validate() error {
	for _, f := range s {
		if why := f.wrong(); why != "" {
			return fmt.Errorf("storetest.%v: %s", f, why)
		}
	}
	return nil
}

// wrong says why a fault cannot strike; "" if it can.
func (f Fault) wrong() string {
	ofActor := f.deed != doFailCall && f.deed != doPanicCall && f.deed != doHangCall && f.deed != doPause
	switch {
	case ofActor && !actorNames.MatchString(f.actor):
		return fmt.Sprintf("a store has no actor %q", f.actor)
	case f.deed != doPause && f.at < 1:
		return "the first message, signal or call is number 1"
	case f.deed == doFailCall && f.err == nil:
		return "a call that fails needs an error"
	case f.after < 0 || f.length < 0 || f.times < 0:
		return "no time and no count is negative"
	}
	return ""
}
