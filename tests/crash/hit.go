package crash

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// class is a part of a store.
type class uint8

const (
	logFile class = iota
	queueFile
	batchFile
	indexFile
	checkpointFile
	markFile
	summaryFile
	deletedFile
	otherFile
)

func classOf(path string) class {
	for c, dir := range map[class]string{logFile: "commitlog", queueFile: "consumequeue", batchFile: "batchconsumequeue", indexFile: "index"} {
		if _, ok := within(path, dir); ok {
			return c
		}
	}
	switch rest, _ := strings.CutPrefix(path, root+"/"); rest {
	case "checkpoint":
		return checkpointFile
	case "actorstore/mark":
		return markFile
	case "actorstore/queues":
		return summaryFile
	case "actorstore/deleted":
		return deletedFile
	}
	return otherFile
}

// hit is one damage.
type hit struct {
	class      class
	what       string
	structural bool // a file is missing, cut or another one: opening may be refused
	matters    bool // verify must notice it

	ranges []piece                   // of the log, what was changed: at and the bytes that stand there now; nil bytes = missing
	units  map[string]map[int64]bool // topic-id, queue offsets
	queues map[string]bool           // queues of which anything may be wrong
}

func (h *hit) String() string { return h.what }

// hurt says what must not be missed.
func (h *hit) hurt() oracle.Hurt {
	return oracle.Hurt{
		Record: func(r *oracle.Record) bool { return h.covers(r.Offset, r.End) },
		Unit: func(topic string, id int32, offset int64) bool {
			name := fmt.Sprintf("%s-%d", topic, id)
			return h.queues[name] || h.units[name][offset]
		},
		Keys: h.class == indexFile,
		Back: h.swapped(),
	}
}

// swapped segments are found by what they hold, by repair and by who only looks.
func (h *hit) swapped() bool { return h.class == logFile && strings.HasSuffix(h.what, "swapped") }

// inQueue tells whether anything of a queue's files was hit.
func (h *hit) inQueue(topic string, id int32) bool {
	name := fmt.Sprintf("%s-%d", topic, id)
	return h.queues[name] || len(h.units[name]) > 0
}

func (h *hit) covers(from, to int64) bool {
	for _, p := range h.ranges {
		if p.at < to && p.at+int64(len(p.b)) > from {
			return true
		}
	}
	return false
}

// hit damages one file, or two; nil if nothing was changed.
func (a *atRest) hit(fsys *mappedtest.FS, rng *rand.Rand) (*hit, error) {
	all := listing(fsys)
	paths := slices.Sorted(maps.Keys(all))
	want := []class{logFile, logFile, logFile, queueFile, queueFile, batchFile, indexFile, checkpointFile, markFile, summaryFile, deletedFile}[rng.IntN(11)]
	paths = slices.DeleteFunc(paths, func(p string) bool { return classOf(p) != want })
	if len(paths) == 0 {
		return nil, nil
	}
	h := &hit{class: want, units: map[string]map[int64]bool{}, queues: map[string]bool{}}
	path := paths[rng.IntN(len(paths))]
	after, gone, err := a.change(h, all, paths, path, rng)
	if err != nil || after == nil {
		return nil, err
	}
	changed, err := a.put(fsys, h, all, after, gone)
	if err != nil {
		return nil, err
	}
	// Nothing tells that the first segment, or the only trace of a deletion, was
	// ever there: retention takes segments, and most stores have no such file.
	if !changed || gone && (h.class == deletedFile || h.class == logFile && len(paths) > 1 && path == paths[0]) {
		return nil, nil
	}
	return h, nil
}

// change makes the new contents of the file at path, and perhaps of another one;
// nil if there is nothing to do.
func (a *atRest) change(h *hit, all files, paths []string, path string, rng *rand.Rand) (after files, gone bool, err error) {
	after = files{path: bytes.Clone(all[path])}
	kind := rng.IntN(10)
	n := len(all[path])
	used := max(a.used(path, all[path]), 1)
	switch {
	case kind < 4:
		at := rng.IntN(used)
		after[path][at] ^= 1 << rng.IntN(8)
		h.what = fmt.Sprintf("a flipped bit in byte %d of %s", at, path)
	case kind == 4:
		at := rng.IntN(used)
		clear(after[path][at/512*512 : min(at/512*512+512, n)])
		h.what = fmt.Sprintf("a zeroed sector at %d of %s", at/512*512, path)
	case kind == 5:
		at := rng.IntN(used) / 4096 * 4096
		clear(after[path][at:min(at+4096, n)])
		h.what = fmt.Sprintf("a zeroed page at %d of %s", at, path)
	case kind == 6:
		at, k := rng.IntN(used), 1+rng.IntN(64)
		for i := at; i < min(at+k, n); i++ {
			after[path][i] = byte(rng.Uint32())
		}
		h.what = fmt.Sprintf("%d bytes of noise at %d of %s", k, at, path)
	case kind == 7:
		h.structural = true
		if rng.IntN(2) == 0 {
			after[path], gone = nil, true
			h.what = path + " is missing"
		} else {
			after[path] = after[path][:rng.IntN(n)]
			h.what = fmt.Sprintf("%s is cut to %d bytes", path, len(after[path]))
		}
	case kind == 8 && len(paths) > 1:
		h.structural = true
		other := paths[rng.IntN(len(paths))]
		after[path], after[other] = all[other], all[path]
		h.what = fmt.Sprintf("%s and %s are swapped", path, other)
	default:
		b, err := a.older(path)
		// Old units of a topic that was deleted lead to its old records.
		if err != nil || b == nil || h.class == deletedFile || h.class == queueFile && a.im.run.plan.Deletes {
			return nil, false, err
		}
		after[path] = b
		h.what = fmt.Sprintf("an older %s", path)
	}
	return after, gone, nil
}

// put writes what was damaged and notes it; false if nothing was changed.
func (a *atRest) put(fsys *mappedtest.FS, h *hit, all, after map[string][]byte, gone bool) (changed bool, err error) {
	for p, b := range after {
		if gone || !bytes.Equal(b, all[p]) {
			changed = true
			a.mark(h, p, all[p], b)
			if err := putFile(fsys, p, b, gone); err != nil {
				return false, err
			}
		}
	}
	return changed, nil
}

// older is the file as it was in the middle of the run.
func (a *atRest) older(path string) ([]byte, error) {
	if a.stale == nil {
		return nil, nil
	}
	if _, err := a.stale.Stat(path); err != nil {
		return nil, nil
	}
	return readFile(a.stale.Kill(), path)
}

// used is how many bytes of a file are worth hitting.
func (a *atRest) used(path string, b []byte) int {
	switch classOf(path) {
	case logFile:
		at, _ := mapped.ParseName(filepath.Base(path))
		return int(min(max(a.found.End-at, 0)+16, int64(len(b))))
	case checkpointFile:
		return 48
	}
	return len(b)
}

// mark notes what a change of a file has hit.
func (a *atRest) mark(h *hit, path string, was, is []byte) {
	switch h.class {
	case logFile:
		at, _ := mapped.ParseName(filepath.Base(path))
		a.markLog(h, at, was, is)
	case queueFile:
		a.markQueue(h, path, was, is)
	case batchFile:
		if topic, id, ok := queueOf(path, "batchconsumequeue"); ok {
			h.queues[fmt.Sprintf("%s-%d", topic, id)] = true
		}
		h.matters = h.structural
	case indexFile:
		// Names mean nothing, and entries of deleted topics or of records that
		// have left the log may be there or not.
		h.matters = a.markIndex(was, is) && !strings.HasSuffix(h.what, "swapped") && !a.im.run.plan.Deletes && a.found.Min == 0
	case checkpointFile:
		h.matters = len(is) < 48 || !bytes.Equal(was[:48], is[:48])
	case markFile, summaryFile, deletedFile:
		h.matters = h.class == deletedFile
	}
}

// markLog notes ranges of changed bytes. Filler behind a BLANK does not matter.
func (a *atRest) markLog(h *hit, base int64, was, is []byte) {
	blank := a.blank(base, was)
	for i := range was {
		if i < len(is) && was[i] == is[i] {
			continue
		}
		h.ranges = append(h.ranges, piece{base + int64(i), was[i : i+1]})
		at := base + int64(i)
		switch {
		case at >= a.found.End:
			h.matters = h.matters || i < len(is) && is[i] != 0
		case blank < 0 || int64(i) < blank+record.BlankSize:
			h.matters = true
		}
	}
}

// blank is the position of the BLANK of a segment, -1 if it has none.
func (a *atRest) blank(base int64, b []byte) int64 {
	end := base
	for i := range a.found.Records {
		if r := &a.found.Records[i]; r.Offset >= base && r.End <= base+int64(len(b)) {
			end = r.End
		}
	}
	if end == base+int64(len(b)) || base+int64(len(b)) > a.found.End || binary.BigEndian.Uint32(b[end-base+4:]) != record.MagicBlank {
		return -1
	}
	return end - base
}

// markQueue notes units that were changed.
func (a *atRest) markQueue(h *hit, path string, was, is []byte) {
	topic, id, ok := queueOf(path, "consumequeue")
	base, ok2 := mapped.ParseName(filepath.Base(path))
	if !ok || !ok2 {
		return
	}
	name := fmt.Sprintf("%s-%d", topic, id)
	lo, hi := a.found.Bounds(topic, id)
	if h.units[name] == nil {
		h.units[name] = map[int64]bool{}
	}
	for i := range was {
		if i < len(is) && was[i] == is[i] {
			continue
		}
		offset := (base + int64(i)) / 20
		h.units[name][offset] = true
		if topic == record.TopicSchedule && i%20 >= 12 && i < len(is) {
			continue // the due time depends on a setting
		}
		if offset >= lo && offset < hi || offset >= hi && i < len(is) && is[i] != 0 {
			h.matters = true
		}
	}
	// Where retention has been, the first unit to keep is searched for by halves,
	// which a file with units of another place misleads.
	if len(is) != len(was) || h.structural && a.found.Min > 0 {
		h.queues[name] = true
		h.matters = true
	}
}

// markIndex tells whether header, slots or a counted entry were changed, but for
// the time of the first entry, which counts from nothing that is still known.
func (a *atRest) markIndex(was, is []byte) bool {
	slots := a.im.run.o.MaxHashSlotNum
	end := 40 + 4*slots + 20*int(binary.BigEndian.Uint32(was[36:]))
	end = min(end, len(was))
	if none := 40 + 4*slots; len(is) >= end && end >= none+40 { // entries count from 1
		is = bytes.Clone(is)
		copy(is[none:none+20], was[none:])
		copy(is[none+32:none+36], was[none+32:])
	}
	return len(is) < end || !bytes.Equal(was[:end], is[:end])
}

// queueOf takes a path of a queue file apart.
func queueOf(path, dir string) (topic string, id int32, ok bool) {
	rest, ok := within(path, dir)
	part := strings.Split(rest, "/")
	if !ok || len(part) != 3 {
		return "", 0, false
	}
	n, err := strconv.ParseInt(part[1], 10, 32)
	return part[0], int32(n), err == nil
}
