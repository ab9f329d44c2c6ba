package indexsvc

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// Verify reads every entry and every slot of every file and tells of the first
// damage in each: *record.CorruptionError, or *mapped.FaultError where a page
// cannot be read; several are joined, files that Open left out among them.
// check, if not nil, is asked for each indexed record whether one starts at that
// physical offset: for some in order, inside mapped.Guard. It tells how many of them
// do, and why the next one does not; that counts as damage, and so does an entry whose
// time is not that of a record it knows. Verify needs 4 bytes of memory for each slot
// of a file. Run it while nothing is put.
func (s *Service) Verify(check func([]Indexed) (good int, err error)) error {
	var failed error
	for _, d := range s.Damaged() {
		failed = errors.Join(failed, d)
	}
	for _, path := range s.Unused() {
		failed = errors.Join(failed, s.verifyUnused(path))
	}
	end := int64(-1)
	for _, f := range s.list() {
		if begin := f.beginPhy.Load(); begin < end {
			failed = errors.Join(failed, f.corrupt(atBeginPhy, fmt.Sprintf("beginPhyOffset >= %d, the end of the file before", end), begin))
		}
		end = max(end, f.endPhy.Load())
		failed = errors.Join(failed, f.verify(check))
	}
	return failed
}

// verifier is the state of a walk through one file.
type verifier struct {
	f     *indexFile
	b     []byte
	heads []int32 // newest entry of each slot so far
	used  int32
	phy   int64 // of the entry before
	diff  int32 // its time
	n     int32
	asked []Indexed // records whose first entry was met
	first []first   // that entry of each
	err   error

	touched int32 // keeps the compiler from leaving out reads that nobody asks for
}

func (f *indexFile) verify(check func([]Indexed) (int, error)) error {
	m, err := f.acquire()
	if err != nil {
		return err
	}
	defer m.Release()
	v := &verifier{f: f, b: m.Bytes(), heads: make([]int32, f.geo.Slots), phy: -1, n: 1}
	for v.n < f.count.Load() {
		fault := mapped.Guard(v.some)
		if check != nil && len(v.asked) > 0 {
			if err := v.ask(check); err != nil {
				return err
			}
		}
		if err := cmp.Or(fault, v.err); err != nil {
			return err
		}
	}
	fault := mapped.Guard(v.slots)
	return cmp.Or(fault, v.err)
}

// some checks the next entries: each hangs at the newest one of its slot.
func (v *verifier) some() {
	v.asked, v.first = v.asked[:0], v.first[:0]
	count := v.f.count.Load()
	for ; v.n < count && len(v.asked) < 1024; v.n++ {
		if v.n%headsAtOnce == 1 {
			v.touch(count)
		}
		e, at := decodeEntry(v.f.entry(v.b, v.n)), v.f.geo.entryAt(v.n)
		if e.hash < 0 {
			v.err = v.f.corrupt(at, "a hash >= 0", e.hash)
			return
		}
		head := &v.heads[e.hash%v.f.geo.Slots]
		switch {
		case v.n == 1 && e.phy != v.f.beginPhy.Load():
			v.err = v.f.corrupt(at+4, fmt.Sprintf("beginPhyOffset %d", v.f.beginPhy.Load()), e.phy)
		case e.phy < v.phy: // X2
			v.err = v.f.corrupt(at+4, fmt.Sprintf("a physical offset >= %d", v.phy), e.phy)
		case e.timeDiff < 0:
			v.err = v.f.corrupt(at+12, "a time >= 0", e.timeDiff)
		case v.n > 2 && e.phy == v.phy && e.timeDiff != v.diff:
			v.err = v.f.corruptTime(v.n, v.diff, e.timeDiff)
		case e.prev != *head:
			v.err = v.f.corrupt(at+16, fmt.Sprintf("entry number %d", *head), e.prev)
		}
		if v.err != nil {
			return
		}
		if *head == 0 {
			v.used++
		}
		*head = v.n
		if e.phy != v.phy || v.n == 2 { // the time of entry 1 says nothing
			v.asked, v.first = append(v.asked, Indexed{PhysicalOffset: e.phy}), append(v.first, first{v.n, e.timeDiff})
		}
		v.phy, v.diff = e.phy, e.timeDiff
	}
}

// headsAtOnce is how many heads are read together: they are in no order, and one after
// the other each would be waited for.
const headsAtOnce = 64

// touch reads the heads of the next entries.
func (v *verifier) touch(count int32) {
	var sum int32
	for n := v.n; n < min(v.n+headsAtOnce, count); n++ {
		hash := be.Uint32(v.f.entry(v.b, n))
		sum += v.heads[hash%uint32(len(v.heads))]
	}
	v.touched = sum
}

// slots checks that the table and the header say what the entries say.
func (v *verifier) slots() {
	for slot, head := range v.heads {
		got := loadSlot(v.b[v.f.geo.slotAt(int32(slot)):])
		if stale := v.f.stale; stale != nil && stale.slot == int32(slot) {
			got = stale.prev
		}
		if got != head {
			v.err = v.f.corrupt(v.f.geo.slotAt(int32(slot)), fmt.Sprintf("entry number %d", head), got)
			return
		}
	}
	switch {
	case v.f.slotCount.Load() != v.used:
		v.err = v.f.corrupt(atSlotCount, fmt.Sprintf("hashSlotCount %d", v.used), v.f.slotCount.Load())
	case v.n > 1 && v.f.endPhy.Load() != v.phy:
		v.err = v.f.corrupt(atEndPhy, fmt.Sprintf("endPhyOffset %d", v.phy), v.f.endPhy.Load())
	}
}
