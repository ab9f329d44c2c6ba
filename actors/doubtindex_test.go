package actors

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/reader"
)

// A store that opens read-only is left as it is, its index too; whoever asks that
// is told that it may lack something.
func TestReadOnlyStoreLeavesItsIndex(t *testing.T) {
	for name, end := range map[string]func(*rig) mappedtest.Rule{
		"it cannot be made durable": func(r *rig) mappedtest.Rule {
			r.disk = r.disk.Kill()
			return mappedtest.Rule{Op: mappedtest.OpDatasync, Path: root + "/commitlog/*", Forever: true, Err: syscall.EIO}
		},
		"its end is in doubt": func(r *rig) mappedtest.Rule {
			r.close()
			r.lose("commitlog", 2)
			return mappedtest.Rule{}
		},
	} {
		t.Run(name, func(t *testing.T) {
			options := func(o *Options) {
				o.MappedFileSizeCommitLog, o.MaxIndexNum, o.FlushIntervalCommitLog = foreignSegment, 5000, time.Hour
			}
			r := open(t, asyncFlush, options)
			body := strings.Repeat("x", 10<<10)
			for range 60 {
				r.put("a", 0, body)
			}
			r.reopen(asyncFlush, options) // up to here it is known to be on disk
			for range 40 {
				r.put("a", 0, body)
			}
			r.dispatched()
			rule := end(r)
			r.lose("index", 0)
			r.start(asyncFlush, options, func(*Options) { r.script.Add(rule) })
			if state, err := r.s.State(); err != nil || state.ReadOnly == nil {
				t.Fatalf("read-only: %v, %v", state.ReadOnly, err)
			}
			r.dispatched()
			rd, err := r.s.Reader()
			if err != nil {
				t.Fatal(err)
			}
			if got, err := rd.Query(r.ctx, reader.QueryRequest{Topic: "a", Key: "k"}); err != nil || !got.Incomplete {
				t.Errorf("a query that finds %d says incomplete: %t, %v", len(got.Messages), got.Incomplete, err)
			}
			_ = r.s.Close(r.ctx)
			if now, err := r.disk.ReadDir(root + "/index"); err != nil || len(now) > 0 {
				t.Errorf("%d index files were made: %v", len(now), err)
			}
		})
	}
}
