package repair_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/recoverer"
)

// indexSize is the length of an index file of the options: 7 slots, 30 entries.
const indexSize = 40 + 4*7 + 20*30

// TestForeignIndexFile: a file among those of the index that is none is told,
// also where no message has a key, and repair moves it away. One that was made and
// never used is not: RocketMQ and a kill leave such.
func TestForeignIndexFile(t *testing.T) {
	noise := make([]byte, 2000)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	negative := bytes.Clone(noise)
	copy(negative[36:], []byte{0xff, 0xff, 0xff, 0xf0}) // a count below 0 was taken for none
	late := make([]byte, 5000)
	late[4321] = 1
	for _, c := range []struct {
		name string
		b    []byte
		told bool
	}{
		{"text", []byte("a letter"), true},
		{"noise", noise, true},
		{"noise of the right length", noise[:indexSize], true},
		{"noise with a negative count", negative, true},
		{"the same of the right length", negative[:indexSize], true},
		{"one byte in zeros", late, true},
		{"one byte in zeros of the right length", append(make([]byte, indexSize-1), 1), false}, // in an entry that a put will write
		{"a slot in zeros of the right length", append(append(make([]byte, 40), 0, 0, 0, 9), make([]byte, indexSize-44)...), true},
		{"unused, another geometry", make([]byte, 4000), false},
		{"unused", make([]byte, indexSize), false},
		{"empty", nil, false},
	} {
		for _, keys := range []bool{true, false} {
			t.Run(c.name, func(t *testing.T) {
				fsys := mappedtest.NewFS()
				must(t, fsys.MkdirAll(root))
				s, err := actorstore.Open(t.Context(), options(fsys))
				must(t, err)
				if keys {
					put(t, s, "plain", 0)
				} else {
					_, err = s.Put(t.Context(), &actorstore.Message{Topic: "plain", Body: []byte("0,")})
					must(t, err)
				}
				must(t, s.Dispatched(t.Context()))
				must(t, s.Close(context.Background()))
				save(t, fsys, root+"/index/20990101000000000", c.b)
				found := verify(t, fsys)
				for _, f := range found {
					if f.Where != recoverer.Index {
						t.Error(f)
					}
				}
				if (len(found) > 0) != c.told {
					t.Errorf("verify tells %v", found)
				}
				r, err := actorstore.Repair(t.Context(), options(fsys), actorstore.RepairOptions{})
				must(t, err)
				if (len(r.Kept) > 0) != c.told || len(r.Left) > 0 {
					t.Errorf("repair: %v, kept %v, left %v", r.Steps, r.Kept, r.Left)
				}
				if again := plan(t, fsys); len(again.Steps) > 0 {
					t.Errorf("a second repair finds %v", again.Steps)
				}
			})
		}
	}
}
