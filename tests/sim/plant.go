package sim

import "github.com/actorstore/actorstore/commitlog/mapped/mappedtest"

// Plant is a fault of the store that the simulation must find. The cores are as
// they are: it is the shells around them, or the disk, that do wrong.
type Plant uint8

// The plants.
const (
	None           Plant = iota
	AckBeforeFlush       // the gate is opened before the sync
	LyingSync            // the disk says that it has synced, and has not
	ConfirmEarly         // records are shown before they are durable
	SkipReplay           // a sink that lost a window goes on behind it
	SkipCut              // after a failure the tail behind appended stays
	KeepOffsets          // after a failure offsets of lost puts stay taken
	RetryFlush           // a failed flush is forgotten
	LoseBack             // dispatch does not hear that a sink has caught up
	KeepTopic            // a deletion is not written down
	Plants               // how many there are
)

// String is the name of the constant.
func (p Plant) String() string {
	return [...]string{"None", "AckBeforeFlush", "LyingSync", "ConfirmEarly", "SkipReplay", "SkipCut", "KeepOffsets",
		"RetryFlush", "LoseBack", "KeepTopic"}[p]
}

// rules are what a plant does to the disk.
func (p Plant) rules() []mappedtest.Rule {
	if p != LyingSync {
		return nil
	}
	return []mappedtest.Rule{
		{Op: mappedtest.OpDatasync, Path: "000*", Forever: true, Lie: true},
		{Op: mappedtest.OpFlush, Path: "000*", Forever: true, Lie: true},
	}
}
