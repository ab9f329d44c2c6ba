package interop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/actorstore/actorstore/tests/golden"
)

// Settings are the settings RocketMQ opens a store with. Zero means its own
// default.
type Settings struct {
	golden.Settings
	SyncFlush  bool
	ConsumeExt bool   // enableConsumeQueueExt
	BatchTopic string // a topic whose queues hold inner batches (queue.type BatchCQ)
}

func (s Settings) args() []string {
	var args []string
	number := func(name string, value int) {
		if value != 0 {
			args = append(args, name, strconv.Itoa(value))
		}
	}
	number("--segment", s.SegmentSize)
	number("--queue-file", s.QueueFileSize)
	number("--slots", s.MaxHashSlotNum)
	number("--entries", s.MaxIndexNum)
	for name, on := range map[string]bool{"--append-crc": s.AppendCRC, "--lmq": s.LMQ, "--ext": s.ConsumeExt} {
		if on {
			args = append(args, name)
		}
	}
	if s.SyncFlush {
		args = append(args, "--flush", "sync")
	}
	if s.BatchTopic != "" {
		args = append(args, "--batch-topic", s.BatchTopic)
	}
	return args
}

// Export opens a copy of a store that the caller made, lets RocketMQ recover
// and dispatch it, and returns the lines of everything it reads, followed by
// its answers to the queries and times that ask holds; ask may be nil.
func (e *Engine) Export(ctx context.Context, copyOfStore string, s Settings, ask *golden.Reading) ([]string, error) {
	args := append([]string{"export", copyOfStore, "--ask", "-"}, s.args()...)
	var questions strings.Builder
	if ask != nil {
		for _, q := range ask.Queries {
			fmt.Fprintf(&questions, "query\t%s\t%s\n", q.Topic, q.Key)
		}
		for _, t := range ask.Times {
			fmt.Fprintf(&questions, "time\t%s\t%d\t%d\n", t.Topic, t.Queue, t.Time)
		}
	}
	return e.Run(ctx, questions.String(), args...)
}

// Hold opens a store with RocketMQ and keeps it open. It returns when the
// program has been started, which is before it has the store; release ends it.
func (e *Engine) Hold(ctx context.Context, dir string, s Settings) (release func() error, err error) {
	// It waits for questions on its standard input.
	cmd := e.command(ctx, append([]string{"export", dir, "--ask", "-"}, s.args()...))
	questions, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() error { return errors.Join(questions.Close(), cmd.Wait()) }, nil
}

// Writing says what RocketMQ shall put.
type Writing struct {
	From, Count int // numbers of the messages; see the kinds in golden's data
	Seed        int64
	LongTopic   int  // bytes of the topic of kind 12; zero is the topic t127
	Halt        bool // stop without shutdown, log flushed
}

// Put is a record that RocketMQ put.
type Put struct {
	I      int    // number of the message
	N      int    // place in its batch, else 0
	Status string // PUT_OK
	Queued bool   // whether a queue gets it: false for prepared and rolled back ones
	// The fields that a reader must find. Props lacks __CRC32#, which the
	// engine adds to the record alone.
	golden.Message
}

// Write lets RocketMQ put messages of all kinds into a store, new or not.
func (e *Engine) Write(ctx context.Context, dir string, s Settings, w Writing) ([]Put, error) {
	args := []string{"write", dir, "--from", strconv.Itoa(w.From), "--count", strconv.Itoa(w.Count),
		"--seed", strconv.FormatInt(w.Seed, 10), "--long-topic", strconv.Itoa(w.LongTopic)}
	if w.Halt {
		args = append(args, "--halt")
	}
	lines, err := e.Run(ctx, "", append(args, s.args()...)...)
	if err != nil {
		return nil, err
	}
	puts := make([]Put, len(lines))
	for i, l := range lines {
		if err := json.Unmarshal([]byte(l), &puts[i]); err != nil {
			return nil, fmt.Errorf("put %d: %w: %s", i, err, l)
		}
	}
	return puts, nil
}

// Load is what Bench runs. Zero means the program's default.
type Load struct {
	Producers, Window, Size, Count, Queues, Warmup, Readers int
	Keyed                                                   bool // with tag and key: builds the index
}

// Figures are what Bench measured. Latencies are microseconds from the call of
// a put to its answer.
type Figures struct {
	PutPerS float64 `json:"put_per_s"` // until every queue holds every message
	AckPerS float64 `json:"ack_per_s"` // until every put was answered
	P50     float64 `json:"p50_us"`
	P99     float64 `json:"p99_us"`
	P999    float64 `json:"p999_us"`
	Max     float64 `json:"max_us"`
	Mean    float64 `json:"mean_us"`
	GetPerS float64 `json:"get_per_s"`
}

// Bench measures RocketMQ in an empty directory and leaves what it wrote.
func (e *Engine) Bench(ctx context.Context, dir string, s Settings, l Load) (Figures, error) {
	args := []string{"bench", dir}
	for _, f := range []struct {
		name  string
		value int
	}{
		{"--producers", l.Producers}, {"--window", l.Window}, {"--size", l.Size}, {"--count", l.Count},
		{"--queues", l.Queues}, {"--warmup", l.Warmup}, {"--readers", l.Readers},
	} {
		if f.value != 0 {
			args = append(args, f.name, strconv.Itoa(f.value))
		}
	}
	if l.Keyed {
		args = append(args, "--keyed")
	}
	lines, err := e.Run(ctx, "", append(args, s.args()...)...)
	if err != nil {
		return Figures{}, err
	}
	var figures Figures
	if len(lines) != 1 {
		return Figures{}, fmt.Errorf("bench printed %d lines", len(lines))
	}
	return figures, json.Unmarshal([]byte(lines[0]), &figures)
}

// Opening is what Recover measured.
type Opening struct {
	Ms     float64 `json:"ms"`      // until queues and index hold what the log holds
	LoadMs float64 `json:"load_ms"` // of them in load(), where RocketMQ recovers
	End    int64   `json:"max_phy_offset"`
	Ends   string  `json:"ends"` // of the queues of Bench's topic, in order
}

// Recover measures how long RocketMQ takes to open a store that Bench or a kill
// has left. It stops as a kill does.
func (e *Engine) Recover(ctx context.Context, dir string, s Settings, queues int) (Opening, error) {
	lines, err := e.Run(ctx, "", append([]string{"recover", dir, "--queues", strconv.Itoa(queues)}, s.args()...)...)
	if err != nil {
		return Opening{}, err
	}
	var o Opening
	if len(lines) != 1 {
		return Opening{}, fmt.Errorf("recover printed %d lines", len(lines))
	}
	return o, json.Unmarshal([]byte(lines[0]), &o)
}
