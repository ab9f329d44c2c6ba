package actors

import (
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// contents are the checksums of all files, but for what says that a store is open.
func contents(t *testing.T, fs mapped.FS, dir string, into map[string]uint32) map[string]uint32 {
	t.Helper()
	entries, err := fs.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			contents(t, fs, path, into)
		case path != root+"/abort" && path != root+"/lock":
			b, err := readAll(fs, path)
			if err != nil {
				t.Fatal(err)
			}
			into[path] = crc32.ChecksumIEEE(b)
		}
	}
	return into
}

// The end of a log was in doubt, and the store opened read-only as it must. A
// second later it had marked the shorter log as whole. The next start had no doubt
// left: it took puts, cut queues and index, and gave their offsets out again.
func TestReadOnlyStaysReadOnly(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		virtual(t, func(t *testing.T) {
			short := func(o *Options) {
				o.FileReservedTime, o.FlushIntervalCommitLog = time.Hour, time.Minute
				o.DeleteWhen = "00;01;02;03;04;05;06;07;08;09;10;11;12;13;14;15;16;17;18;19;20;21;22;23"
			}
			r := open(t, flush, short)
			for i := range 200 {
				r.put("a", 0, fmt.Sprint(i, strings.Repeat("x", 1000)))
			}
			r.dispatched()
			r.close()
			r.lose("commitlog", 3)
			before := contents(t, r.disk, root, map[string]uint32{})
			for round := 1; round <= 3; round++ {
				r.start(flush, short)
				if got := r.told("read-only"); got != round {
					t.Fatalf("told %d times of %d that it is read-only: %q", got, round, r.events)
				}
				time.Sleep(3 * time.Hour)
				if err := r.s.Close(r.ctx); err == nil {
					t.Error("close tells of nothing")
				}
				after := contents(t, r.disk, root, map[string]uint32{})
				for path, sum := range before {
					if now, there := after[path]; !there || now != sum {
						t.Errorf("round %d: %s has changed (%t)", round, path, there)
					}
				}
				for path := range after {
					if _, there := before[path]; !there {
						t.Errorf("round %d: %s is new", round, path)
					}
				}
			}
		})
	})
}
