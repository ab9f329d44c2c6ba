package indexsvc_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/actorstore/actorstore/commitlog/record"
)

// reference builds the files as RocketMQ's classes do, step by step and without
// any thought of speed or crashes.
type reference struct {
	slots, entries int
	files          []*refFile
}

type refFile struct {
	beginTime, endTime, beginPhy, endPhy int64
	slotCount, count                     int
	table                                map[int]int
	list                                 [][4]int64 // hash, phy, diff, prev
}

func (r *reference) last() *refFile {
	if len(r.files) > 0 {
		if f := r.files[len(r.files)-1]; f.count < r.entries {
			return f
		}
	}
	f := &refFile{count: 1, table: map[int]int{}}
	if len(r.files) > 0 {
		before := r.files[len(r.files)-1]
		if before.endPhy > 0 {
			f.beginPhy, f.endPhy = before.endPhy, before.endPhy
		}
		if before.endTime > 0 {
			f.beginTime, f.endTime = before.endTime, before.endTime
		}
	}
	r.files = append(r.files, f)
	return f
}

func (r *reference) put(q record.DispatchRequest) {
	r.last()
	if q.SysFlag&record.SysTransactionMask == record.SysTransactionRollback {
		return
	}
	if q.UniqKey != nil {
		r.key(q, q.Topic+"#"+string(q.UniqKey))
	}
	for _, k := range strings.Split(string(q.Keys), " ") {
		if k != "" {
			r.key(q, q.Topic+"#"+k)
		}
	}
	if len(q.Tags) > 0 {
		r.key(q, q.Topic+"#T#"+string(q.Tags))
	}
}

func (r *reference) key(q record.DispatchRequest, text string) {
	f := r.last()
	h := refHash(text)
	slot := h % r.slots
	prev := f.table[slot]
	diff := (q.StoreTimestamp - f.beginTime) / 1000
	if f.beginTime <= 0 || diff < 0 {
		diff = 0
	}
	f.list = append(f.list, [4]int64{int64(h), q.PhysicalOffset, min(diff, 1<<31-1), int64(prev)})
	f.table[slot] = f.count
	if f.count <= 1 {
		f.beginPhy, f.beginTime = q.PhysicalOffset, q.StoreTimestamp
	}
	if prev == 0 {
		f.slotCount++
	}
	f.count++
	f.endPhy, f.endTime = q.PhysicalOffset, q.StoreTimestamp
}

// refHash is Java's for ASCII text, made non-negative.
func refHash(s string) int {
	var h int32
	for _, c := range []byte(s) {
		h = 31*h + int32(c)
	}
	if h < 0 {
		h = -h
	}
	return int(max(h, 0))
}

func (r *reference) bytes(f *refFile) []byte {
	p := place{r.slots, r.entries}
	b := make([]byte, p.entry(r.entries))
	put64(b, 0, f.beginTime)
	put64(b, 8, f.endTime)
	put64(b, 16, f.beginPhy)
	put64(b, 24, f.endPhy)
	put32(b, 32, int32(f.slotCount))
	put32(b, 36, int32(f.count))
	for slot, n := range f.table {
		put32(b, p.slot(slot), int32(n))
	}
	for i, e := range f.list {
		at := p.entry(i + 1)
		put32(b, at, int32(e[0]))
		put64(b, at+4, e[1])
		put32(b, at+12, int32(e[2]))
		put32(b, at+16, int32(e[3]))
	}
	return b
}

// hits are the answers to a key query of the reference, newest first.
func (r *reference) hits(text string, from int) []int64 {
	var list []int64
	h := int64(refHash(text))
	for i := len(r.files) - 1; i >= from; i-- {
		f := r.files[i]
		for n := f.table[int(h)%r.slots]; n != 0; n = int(f.list[n-1][3]) {
			e := f.list[n-1]
			if e[0] == h && (len(list) == 0 || list[len(list)-1] != e[1]) {
				list = append(list, e[1])
			}
		}
	}
	return list
}

func drawRecord(r *rapid.T, phy int64) record.DispatchRequest {
	word := rapid.SampledFrom([]string{"", "", "a", "b", "Aa", "BB", "T#x", "key-7"})
	keys := rapid.SliceOfN(word, 0, 4).Draw(r, "keys")
	q := rec(phy, rapid.Int64Range(-1, 20000).Draw(r, "time"), rapid.SampledFrom([]string{"T", "Topic"}).Draw(r, "topic"),
		word.Draw(r, "uniq"), strings.Join(keys, " "), word.Draw(r, "tags"))
	q.SysFlag = rapid.SampledFrom([]int32{0, 0, 0, 0, 4, 8, 12}).Draw(r, "transaction")
	return q
}

// Whatever is put, put again, cut off by a kill or dropped and put again: the
// files have RocketMQ's bytes, and queries give what stands in them.
func TestModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		ref := &reference{slots: rapid.IntRange(1, 5).Draw(r, "slots"), entries: rapid.IntRange(2, 9).Draw(r, "entries")}
		fsys := newFS()
		s := open(r, fsys, ref.slots, ref.entries)
		var log []record.DispatchRequest
		applied, expired := 0, 0 // records given to the index; files deleted
		gone := 0                // records that have left the log
		check := func() {
			if applied < len(log) {
				return
			}
			got := contents(r, fsys, s)
			if len(got) != len(ref.files)-expired {
				r.Fatalf("%d files, want %d", len(got), len(ref.files)-expired)
			}
			for i, b := range got {
				if want := ref.bytes(ref.files[expired+i]); !bytes.Equal(b, want) {
					r.Fatalf("file %d: got\n% x\nwant\n% x", expired+i, b, want)
				}
			}
			for _, topic := range []string{"T", "Topic"} {
				for _, k := range []string{"a", "b", "Aa", "BB", "T#x", "key-7", "none"} {
					wantFound(r, s, topic, k, ref.hits(topic+"#"+k, expired)...)
				}
			}
			verify(r, s)
		}
		r.Repeat(map[string]func(*rapid.T){
			"": func(r *rapid.T) { check() },
			"append": func(r *rapid.T) {
				for range rapid.IntRange(1, 5).Draw(r, "n") {
					q := drawRecord(r, int64(10*len(log)))
					log = append(log, q)
					ref.put(q)
				}
			},
			"put": func(r *rapid.T) {
				// From some record that was given already, as after a restart.
				back := min(applied-gone, rapid.SampledFrom([]int{0, 0, 1, 2, 7}).Draw(r, "back"))
				put(r, s, log[applied-back:]...)
				applied = len(log)
			},
			"kill": func(r *rapid.T) {
				fsys = fsys.Kill()
				s = open(r, fsys, ref.slots, ref.entries)
			},
			"flush and lose power": func(r *rapid.T) {
				if err := s.Flush(); err != nil {
					r.Fatal(err)
				}
				fsys = fsys.Crash(rapid.Uint64().Draw(r, "seed"), 0)
				s = open(r, fsys, ref.slots, ref.entries)
			},
			"drop": func(r *rapid.T) {
				if files := s.Files(); len(files) > 0 && expired == 0 {
					name := rapid.SampledFrom(files).Draw(r, "file").Name
					if err := s.DropFrom(name, rapid.SampledFrom([]string{"", aside}).Draw(r, "aside")); err != nil {
						r.Fatal(err)
					}
					for applied > 0 && log[applied-1].PhysicalOffset >= s.EndPhyOffset() {
						applied--
					}
					if len(log) > applied {
						put(r, s, log[applied:]...)
					}
					applied = len(log)
				}
			},
			"delete expired": func(r *rapid.T) {
				if len(log) == 0 || applied < len(log) {
					return
				}
				gone = rapid.IntRange(gone, len(log)-1).Draw(r, "gone")
				minPhy := log[gone].PhysicalOffset
				want := 0
				for expired+want < len(ref.files)-1 && ref.files[expired+want].endPhy < minPhy {
					want++
				}
				if n, err := s.DeleteExpired(minPhy); n != want || err != nil {
					r.Fatalf("deleted %d, %v, want %d", n, err, want)
				}
				expired += want
			},
		})
	})
}
