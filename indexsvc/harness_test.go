package indexsvc_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/indexsvc"
)

const (
	dir    = "/store/index"
	tmpDir = "/store/tmp"
	aside  = "/store/aside"
)

// fataler is what tests and property checks have in common.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func options(fsys mapped.FS, slots, entries int) indexsvc.Options {
	return indexsvc.Options{FS: fsys, Dir: dir, TmpDir: tmpDir, MaxHashSlotNum: slots, MaxIndexNum: entries}
}

func open(t fataler, fsys mapped.FS, slots, entries int) *indexsvc.Service {
	t.Helper()
	s, err := indexsvc.Open(options(fsys, slots, entries))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rec is a record; keys are as in the KEYS property. "" means absent.
func rec(phy, storeTime int64, topic, uniq, keys, tags string) record.DispatchRequest {
	r := record.DispatchRequest{Topic: topic, PhysicalOffset: phy, StoreTimestamp: storeTime}
	for _, p := range []struct {
		field *[]byte
		value string
	}{{&r.UniqKey, uniq}, {&r.Keys, keys}, {&r.Tags, tags}} {
		if p.value != "" {
			*p.field = []byte(p.value)
		}
	}
	return r
}

// key is a record of topic T with keys only, at a time that follows its offset.
func key(phy int64, keys string) record.DispatchRequest {
	return rec(phy, 1700000000000+phy, "T", "", keys, "")
}

func put(t fataler, s *indexsvc.Service, reqs ...record.DispatchRequest) {
	t.Helper()
	if err := s.Put(reqs); err != nil {
		t.Fatal(err)
	}
}

// find gives what a query visits.
func find(t fataler, s *indexsvc.Service, topic, key string) []int64 {
	t.Helper()
	var got []int64
	if err := s.Query(topic, key, 0, func(phy int64) bool { got = append(got, phy); return true }); err != nil {
		t.Fatalf("query %s %s: %v", topic, key, err)
	}
	return got
}

func wantFound(t fataler, s *indexsvc.Service, topic, key string, want ...int64) {
	t.Helper()
	if got := find(t, s, topic, key); !slices.Equal(got, want) {
		t.Fatalf("query %s %s: got %v, want %v", topic, key, got, want)
	}
}

func verify(t fataler, s *indexsvc.Service) {
	t.Helper()
	if err := s.Verify(nil); err != nil {
		t.Fatal(err)
	}
}

func readFile(t fataler, fsys mapped.FS, name string) []byte {
	t.Helper()
	b, err := mappedtest.ReadFile(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeFile(t fataler, fsys mapped.FS, name string, b []byte) {
	t.Helper()
	if err := errors.Join(mappedtest.WriteFile(fsys, name, b), fsys.SyncFS(path.Dir(name))); err != nil {
		t.Fatal(err)
	}
}

// names lists a directory; a missing one is empty.
func names(t fataler, fsys mapped.FS, dir string) []string {
	t.Helper()
	entries, err := fsys.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// contents reads the files of the index, oldest first.
func contents(t fataler, fsys mapped.FS, s *indexsvc.Service) [][]byte {
	t.Helper()
	var list [][]byte
	for _, f := range s.Files() {
		list = append(list, readFile(t, fsys, f.Path))
	}
	return list
}

func unhex(t fataler, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.NewReplacer(" ", "", "\n", "", "\t", "").Replace(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wantBytes(t *testing.T, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", hex.Dump(got), hex.Dump(want))
	}
}

// Places in a file of that geometry.
type place struct{ slots, entries int }

func (p place) slot(n int) int  { return 40 + 4*n }
func (p place) entry(n int) int { return 40 + 4*p.slots + 20*n }

func put32(b []byte, at int, v int32) { binary.BigEndian.PutUint32(b[at:], uint32(v)) }
func put64(b []byte, at int, v int64) { binary.BigEndian.PutUint64(b[at:], uint64(v)) }

func newFS() *mappedtest.FS { return mappedtest.NewFS() }
