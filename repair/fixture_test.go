package repair_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/repair"
)

// Small geometry, so that every part of the store has several files.
const (
	root        = "/store"
	segmentSize = 4096
	queueSize   = 200
	messages    = 40 // in each of two queues
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func options(fsys mapped.FS) actorstore.Options {
	o := actorstore.DefaultOptions(root)
	o.FS = fsys
	o.MappedFileSizeCommitLog, o.MappedFileSizeConsumeQueue = segmentSize, queueSize
	o.MapperFileSizeBatchConsumeQueue = 46 * 10
	o.MaxHashSlotNum, o.MaxIndexNum = 7, 30
	return o
}

// closed is a store that was closed in order: messages of a plain and of a batch
// topic, all with keys, over several segments.
func closed(t testing.TB) *mappedtest.FS {
	t.Helper()
	fsys := mappedtest.NewFS()
	must(t, fsys.MkdirAll(root))
	s, err := actorstore.Open(t.Context(), options(fsys))
	must(t, err)
	for i := range messages {
		for _, topic := range []string{"plain", "other"} {
			put(t, s, topic, i)
		}
		m := &actorstore.Message{Topic: "inner", Body: []byte(strconv.Itoa(i)), SysFlag: record.SysInnerBatch,
			Properties: actorstore.NewProperties("INNER_NUM", "2")}
		_, err := s.Put(t.Context(), m)
		must(t, err)
	}
	must(t, s.Dispatched(t.Context()))
	must(t, s.Close(context.Background()))
	return fsys
}

func put(t testing.TB, s *actorstore.Store, topic string, i int) actorstore.PutResult {
	t.Helper()
	m := &actorstore.Message{Topic: topic, Body: []byte(strings.Repeat(strconv.Itoa(i)+",", 20))}
	m.SetKeys("k" + strconv.Itoa(i))
	r, err := s.Put(t.Context(), m)
	must(t, err)
	return r
}

// reader is what an open store and a look at one have in common.
type reader interface {
	Get(context.Context, actorstore.GetRequest, *actorstore.GetResult) error
	Query(context.Context, actorstore.QueryRequest) (actorstore.QueryResult, error)
}

// read reads all plain queues: for each message "topic-offset", and separately
// those that a typed error stands for. Any other error, or an order that is not
// that of the offsets, fails the test.
func read(t testing.TB, r reader) (good, bad map[string]bool) {
	t.Helper()
	good, bad = map[string]bool{}, map[string]bool{}
	for _, topic := range []string{"plain", "other", "inner"} {
		for at := int64(0); at < messages; {
			var g actorstore.GetResult
			err := r.Get(t.Context(), actorstore.GetRequest{Topic: topic, Offset: at, MaxCount: 1}, &g)
			var ce *actorstore.CorruptionError
			switch {
			case errors.As(err, &ce):
				if g.NextOffset <= at {
					t.Fatalf("%s: offset %d: %v, and no way to go on: %d", topic, at, err, g.NextOffset)
				}
				for ; at < g.NextOffset; at++ {
					bad[fmt.Sprintf("%s-%d", topic, at)] = true
				}
				continue
			case err != nil:
				t.Fatalf("%s: offset %d: %v", topic, at, err)
			case len(g.Messages) == 0:
				if g.NextOffset <= at || g.NextOffset >= messages {
					at = messages
				} else {
					at = g.NextOffset
				}
				continue
			}
			m := &g.Messages[0]
			body, _, _ := strings.Cut(string(m.Body), ",")
			want := strconv.FormatInt(m.QueueOffset, 10)
			if topic == "inner" {
				want = strconv.FormatInt(m.QueueOffset/2, 10)
			}
			if body != want || m.Topic != topic {
				t.Fatalf("%s: offset %d: message %q of %s", topic, m.QueueOffset, m.Body, m.Topic)
			}
			good[fmt.Sprintf("%s-%d", topic, m.QueueOffset)] = true
			at = max(g.NextOffset, at+1)
		}
	}
	return good, bad
}

// keyed wants each message of the plain topic under its key.
func keyed(t testing.TB, r reader, good map[string]bool) {
	t.Helper()
	for i := range messages {
		q, err := r.Query(t.Context(), actorstore.QueryRequest{Topic: "plain", Key: "k" + strconv.Itoa(i), MaxCount: 4})
		if want := good["plain-"+strconv.Itoa(i)]; want && (err != nil || len(q.Messages) != 1) {
			t.Errorf("key k%d: %d messages, %v", i, len(q.Messages), err)
		}
	}
}

// files are the contents of a store.
func files(t testing.TB, fsys mapped.FS) map[string]string {
	t.Helper()
	out := map[string]string{}
	var walk func(string)
	walk = func(dir string) {
		list, err := fsys.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		must(t, err)
		for _, e := range list {
			path := filepath.Join(dir, e.Name())
			if e.IsDir() {
				out[path] = "directory"
				walk(path)
				continue
			}
			out[path] = string(load(t, fsys, path))
		}
	}
	walk(root)
	return out
}

func same(a, b map[string]string) string {
	for _, path := range slices.Sorted(maps.Keys(a)) {
		if c, ok := b[path]; !ok || c != a[path] {
			return path
		}
	}
	for _, path := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[path]; !ok {
			return path
		}
	}
	return ""
}

func load(t testing.TB, fsys mapped.FS, path string) []byte {
	t.Helper()
	f, err := fsys.OpenFile(path, os.O_RDONLY, 0)
	must(t, err)
	defer f.Close()
	n, err := f.Size()
	must(t, err)
	b := make([]byte, n)
	if n > 0 {
		_, err = f.ReadAt(b, 0)
		must(t, err)
	}
	return b
}

func save(t testing.TB, fsys mapped.FS, path string, b []byte) {
	t.Helper()
	f, err := fsys.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	must(t, err)
	if len(b) > 0 {
		_, err = f.WriteAt(b, 0)
	}
	must(t, errors.Join(err, f.Sync(), f.Close()))
}

// names are the files of a directory.
func names(t testing.TB, fsys mapped.FS, dir string) (paths []string) {
	t.Helper()
	list, err := fsys.ReadDir(filepath.Join(root, dir))
	must(t, err)
	for _, e := range list {
		if !e.IsDir() {
			paths = append(paths, filepath.Join(root, dir, e.Name()))
		}
	}
	return paths
}

// verify lists what is not as it must be.
func verify(t testing.TB, fsys mapped.FS) (found []actorstore.Finding) {
	t.Helper()
	i, err := actorstore.Inspect(t.Context(), options(fsys))
	must(t, err)
	defer i.Close()
	must(t, i.Verify(t.Context(), func(f actorstore.Finding) { found = append(found, f) }))
	return found
}

func plan(t testing.TB, fsys mapped.FS) repair.Report {
	t.Helper()
	before := files(t, fsys)
	r, err := actorstore.PlanRepair(t.Context(), options(fsys))
	must(t, err)
	if path := same(before, files(t, fsys)); path != "" {
		t.Errorf("the plan has changed %s", path)
	}
	return r
}
