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

// Scenarios returns the stores that RocketMQ writes first.
func Scenarios() []Scenario {
	plain := Settings{Settings: small()}
	sync := plain
	sync.SyncFlush = true
	inner := plain
	inner.BatchTopic = "inner"
	ext := plain
	ext.ConsumeExt = true
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
		{Name: "consume-queue-ext", Settings: ext, Writing: Writing{Count: 150, Seed: 13}},
		{Name: "default-sizes", Writing: Writing{Count: 150, Seed: 10}},
		{Name: "reopen", Settings: plain, Writing: Writing{Count: 300, Seed: 11}, Reopen: 300},
		{Name: "halt-reopen", Settings: plain, Writing: Writing{Count: 300, Seed: 12, Halt: true}, Reopen: 300},
	}
}

// OurScenario is a store that actorstore writes first: Count messages. Then
// RocketMQ puts Reopen more, and closes or halts.
type OurScenario struct {
	Scenario
	Kill bool // our process is killed; else it closes the store
}

// OurScenarios returns the stores that actorstore writes first. Each setting
// stands there with a close and with a kill, in the one or the other scenario.
func OurScenarios() []OurScenario {
	type change = func(*OurScenario)
	crc := func(s *OurScenario) { s.AppendCRC = true }
	sync := func(s *OurScenario) { s.SyncFlush = true }
	kill := func(s *OurScenario) { s.Kill = true }
	halt := func(s *OurScenario) { s.Halt = true }
	lmq := func(s *OurScenario) { s.LMQ = true }
	inner := func(s *OurScenario) { s.BatchTopic = "inner" }
	ext := func(s *OurScenario) { s.ConsumeExt = true }
	long := func(n int) change { return func(s *OurScenario) { s.LongTopic = n } }
	size := func(n int) change { return func(s *OurScenario) { s.Count = n } }
	defaults := func(s *OurScenario) { s.Settings = Settings{} }
	var list []OurScenario
	for _, c := range []struct {
		name    string
		changes []change
	}{
		{"clean", []change{size(600)}},
		{"clean-crc", []change{size(600), crc, halt}},
		{"sync-crc", []change{sync, crc}},
		{"killed", []change{size(600), kill, halt}},
		{"killed-crc", []change{size(600), kill, crc}},
		{"killed-sync", []change{kill, sync, halt}},
		{"killed-sync-crc-lmq", []change{kill, sync, crc, lmq}},
		{"lmq", []change{lmq, halt}},
		{"topic-127", []change{long(127), kill, halt}},
		{"topic-128", []change{long(128), halt}},
		{"topic-255-crc", []change{long(255), kill, crc}},
		{"inner-batch", []change{inner, crc, halt}},
		{"inner-batch-killed", []change{inner, kill}},
		{"ext", []change{ext, kill, halt}},
		{"more-than-ten-segments", []change{size(2000), kill, halt}},
		{"default-sizes", []change{defaults, crc}},
	} {
		s := OurScenario{Scenario: Scenario{Name: c.name, Settings: Settings{Settings: small()},
			Writing: Writing{Count: 300, Seed: int64(100 + len(list))}, Reopen: 150}}
		for _, change := range c.changes {
			change(&s)
		}
		list = append(list, s)
	}
	return list
}
