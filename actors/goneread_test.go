package actors

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/reader"
)

// reads are all ways to read something that is there.
var reads = map[string]func(context.Context, *reader.Reader) error{
	"get": func(ctx context.Context, r *reader.Reader) error {
		return r.Get(ctx, reader.GetRequest{Topic: "a"}, new(reader.GetResult))
	},
	"get at the end": func(ctx context.Context, r *reader.Reader) error {
		return r.Get(ctx, reader.GetRequest{Topic: "a", Offset: 3}, new(reader.GetResult))
	},
	"get of no queue": func(ctx context.Context, r *reader.Reader) error {
		return r.Get(ctx, reader.GetRequest{Topic: "b"}, new(reader.GetResult))
	},
	"view": func(ctx context.Context, r *reader.Reader) error {
		_, err := r.View(ctx, reader.GetRequest{Topic: "a"}, func(*record.MessageExt) error { return nil })
		return err
	},
	"query": func(ctx context.Context, r *reader.Reader) error {
		_, err := r.Query(ctx, reader.QueryRequest{Topic: "a", Key: "k-0"})
		return err
	},
	"lookup":         func(ctx context.Context, r *reader.Reader) error { _, err := r.Lookup(ctx, 0); return err },
	"min":            func(_ context.Context, r *reader.Reader) error { _, err := r.MinOffset("a", 0); return err },
	"max":            func(_ context.Context, r *reader.Reader) error { _, err := r.MaxOffset("a", 0); return err },
	"time":           func(_ context.Context, r *reader.Reader) error { _, err := r.MessageTime("a", 0, 1); return err },
	"offset by time": func(_ context.Context, r *reader.Reader) error { _, err := r.OffsetByTime("a", 0, 0, 0); return err },
}

// withReader opens a store with three messages, and a reader of it.
func withReader(t *testing.T) (*rig, *reader.Reader) {
	t.Helper()
	r := open(t)
	r.puts("a", 0, 3)
	r.dispatched()
	rd, err := r.s.Reader()
	if err != nil {
		t.Fatal(err)
	}
	return r, rd
}

// A reader that somebody has kept over the end of its store says that it is over, and
// not that there is nothing, or nothing new.
func TestReadsOfAnEndedStore(t *testing.T) {
	for name, read := range reads {
		t.Run(name, func(t *testing.T) {
			r, kept := withReader(t)
			if err := read(r.ctx, kept); err != nil && name != "get of no queue" {
				t.Errorf("while it is open: %v", err)
			}
			r.close()
			if err := read(r.ctx, kept); !errors.Is(err, ErrClosed) {
				t.Errorf("after that: %v", err)
			}
		})
	}
}

// withContext are those that something can happen to when they have begun.
var withContext = map[string]bool{"get": true, "get at the end": true, "get of no queue": true, "view": true, "query": true, "lookup": true}

// meets lets something happen when a call has begun.
type meets struct {
	context.Context
	do func()
}

func (m meets) Err() error {
	m.do()
	return m.Context.Err()
}

// The same for a call that has begun before.
func TestReadMeetsClose(t *testing.T) {
	for name, read := range reads {
		t.Run(name, func(t *testing.T) {
			r, at := withReader(t)
			r.leaky = true // a query holds the file that it looks into
			closed := sync.OnceFunc(r.close)
			if err := read(meets{r.ctx, closed}, at); !errors.Is(err, ErrClosed) && withContext[name] {
				t.Errorf("got %v", err)
			}
			closed()
		})
	}
}

// A consumer at the end of its queue hears of a store that was opened again under the
// same handle: its reader is that of the one before.
func TestReaderKeptOverARestart(t *testing.T) {
	r, kept := withReader(t)
	before := r.tree()
	r.kill(storeName)
	eventually(t, "it is open again", func() bool { now := r.tree(); return now != nil && now != before })
	r.puts("a", 3, 5)
	r.dispatched()
	for name, read := range reads {
		if err := read(r.ctx, kept); !errors.Is(err, ErrRestarting) {
			t.Errorf("%s with the reader of the store before: %v", name, err)
		}
	}
	r.close()
}
