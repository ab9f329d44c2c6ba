package storetest

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/actorstore/actorstore/actors"
)

// actorNames are the actors of a store, their supervisor among them.
var actorNames = regexp.MustCompile(`^(store|append|flusher|dispatch|index|allocator|checkpoint|retention|queues|reader)(-\d+)?$`)

// kinds are the messages that an actor comes to, besides StepPoke and StepStarted.
// The first of those that are signals, if any, can be lost, late or doubled.
var kinds = map[string][]actors.Step{
	"store": {actors.StepAsk, actors.StepOther}, "append": {actors.StepWake, actors.StepPut, actors.StepOther},
	"flusher":  {actors.StepTick, actors.StepPuts, actors.StepFlush},
	"dispatch": {actors.StepWake, actors.StepOther}, "queues": {actors.StepWindow, actors.StepOther}, "index": {actors.StepWindow, actors.StepOther},
	"allocator": {actors.StepWake}, "checkpoint": {actors.StepTick}, "retention": {actors.StepTick, actors.StepOther}, "reader": {actors.StepAsk},
}

// Validate finds faults that could never strike, such as one of an actor whose
// name is misspelled, and words that a fault has no use for: a test would pass with
// them that tests nothing, or less than it says. Open and Add look also whether the
// store has such an actor. Whether the n-th message ever comes nobody can say before:
// see MustStrike.
func (s Script) Validate() error {
	for _, f := range s {
		if why := f.wrong(); why != "" {
			return fmt.Errorf("storetest.%v: %s", f, why)
		}
	}
	return nil
}

// wrong says why a fault cannot strike as it says; "" if it can.
func (f Fault) wrong() string {
	ofDisk := f.deed == doFailCall || f.deed == doPanicCall || f.deed == doHangCall
	_, bad := filepath.Match(f.path, "")
	switch {
	case f.deed != doPause && f.at < 1:
		return "the first message, signal or call is number 1"
	case f.deed == doFailCall && f.err == nil:
		return "a call that fails needs an error"
	case f.after < 0 || f.length < 0 || f.times < 0:
		return "no time and no count is negative"
	case f.times > 0 && f.every == 0:
		return "Times bounds what repeats, and needs Every"
	case ofDisk && f.every > 1 && f.times == 0:
		return "a fault of the disk that does not come Every(1) needs Times"
	case f.every > 0 && (f.atOnce() || f.deed == doPause):
		return "it happens once"
	case f.length > 0 && !slices.Contains([]deed{doHang, doHangCall, doPause, doDelay}, f.deed):
		return "only a hang or a pause lasts"
	case f.path != "" && !ofDisk:
		return "Under narrows calls of the file system"
	case errors.Is(bad, filepath.ErrBadPattern):
		return "the pattern is none of filepath.Match"
	case ofDisk || f.deed == doPause:
		if f.on != "" {
			return "On narrows messages and signals of an actor"
		}
		return ""
	}
	return f.wrongActor()
}

// wrongActor says why an actor does not come to what a fault waits for.
func (f Fault) wrongActor() string {
	name := actorNames.FindStringSubmatch(f.actor)
	if name == nil || (name[2] != "") != (name[1] == "queues" || name[1] == "reader") {
		return fmt.Sprintf("a store has no actor %q", f.actor)
	}
	list := kinds[name[1]]
	signal := list[0] == actors.StepWake || list[0] == actors.StepTick
	switch {
	case f.ofSignal() && !signal:
		return fmt.Sprintf("%s gets no wakes and no ticks", f.actor)
	case f.ofSignal() && f.on != "" && f.on != list[0]:
		return fmt.Sprintf("the signals of %s are %q", f.actor, string(list[0]))
	case f.on == "" || f.on == actors.StepStarted || f.on == actors.StepPoke:
	case !slices.Contains(list, f.on):
		return fmt.Sprintf("%s comes to no %q", f.actor, string(f.on))
	case f.on == actors.StepOther && f.deed != doPanicAfter && name[1] != "store":
		return fmt.Sprintf("only behind %q something can fail, but for the store", string(f.on))
	}
	return ""
}
