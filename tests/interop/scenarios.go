package interop

import "github.com/actorstore/actorstore/tests/golden"

// Scenario is one store to be written by one engine and read by the other.
type Scenario struct {
	Name string
	Settings
	Writing
	// Reopen, if not zero, is how many further messages are put after the
	// store was closed (or killed) and opened again.
	Reopen int
}

// small are the golden stores' sizes: a few hundred messages fill several
// segments, queue files and index files.
func small() golden.Settings { return golden.SettingsOf(golden.Clean) }

func with(change func(*golden.Settings)) Settings {
	s := small()
	change(&s)
	return Settings{Settings: s}
}

// Scenarios returns the stores of both directions:
//
//   - RocketMQ writes, RocketMQ reads: what it read equals what it put. This
//     proves the Java program, and is the yardstick for the others.
//   - actorstore writes, RocketMQ reads: what it read equals what was put.
//   - RocketMQ writes, actorstore reads: likewise.
//   - One writes, the other opens the store in place and writes on (Reopen),
//     both read: nothing of either is lost.
func Scenarios() []Scenario {
	plain := Settings{Settings: small()}
	sync := plain
	sync.SyncFlush = true
	inner := plain
	inner.BatchTopic = "inner"
	return []Scenario{
		{Name: "clean", Settings: plain, Writing: Writing{Count: 600, Seed: 1}},
		{Name: "halt", Settings: plain, Writing: Writing{Count: 600, Seed: 2, Halt: true}},
		{Name: "sync-halt", Settings: sync, Writing: Writing{Count: 300, Seed: 3, Halt: true}},
		{Name: "append-crc", Settings: with(func(s *golden.Settings) { s.AppendCRC = true }),
			Writing: Writing{Count: 300, Seed: 4}},
		{Name: "multi-dispatch", Settings: with(func(s *golden.Settings) { s.LMQ = true }),
			Writing: Writing{Count: 300, Seed: 5}},
		{Name: "topic-127", Settings: plain, Writing: Writing{Count: 150, Seed: 6, LongTopic: 127}},
		{Name: "topic-128", Settings: plain, Writing: Writing{Count: 150, Seed: 7, LongTopic: 128}},
		{Name: "topic-255", Settings: plain, Writing: Writing{Count: 150, Seed: 8, LongTopic: 255}},
		{Name: "inner-batch", Settings: inner, Writing: Writing{Count: 300, Seed: 9}},
		{Name: "default-sizes", Writing: Writing{Count: 150, Seed: 10}},
		{Name: "reopen", Settings: plain, Writing: Writing{Count: 300, Seed: 11}, Reopen: 300},
		{Name: "halt-reopen", Settings: plain, Writing: Writing{Count: 300, Seed: 12, Halt: true}, Reopen: 300},
	}
}
