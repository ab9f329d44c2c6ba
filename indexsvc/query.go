package indexsvc

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// Query gives visit the physical offsets of records that may have the key or
// unique key, newest first, each once, until visit returns false or limit
// offsets were given (limit <= 0: no limit). Only the 32-bit hash of topic and
// key is compared: the caller reads the record and compares the rest, so a limit
// on real matches is the caller's to keep. No file or chain is skipped by its
// times. A damaged chain ends with *record.CorruptionError after its healthy
// part; the other files are searched all the same.
//
// A key "T#x" also gives the records with tags "x", as in RocketMQ.
func (s *Service) Query(topic, key string, limit int, visit func(physicalOffset int64) bool) error {
	return s.query(sumTopic(topic).key([]byte(key)), limit, visit)
}

// QueryTags is Query for records whose whole TAGS value is tags.
func (s *Service) QueryTags(topic, tags string, limit int, visit func(physicalOffset int64) bool) error {
	return s.query(sumTopic(topic).tags([]byte(tags)), limit, visit)
}

func (s *Service) query(hash int32, limit int, visit func(int64) bool) error {
	if s.closed.Load() {
		return fmt.Errorf("index %s: %w", s.o.Dir, fs.ErrClosed)
	}
	var failed error
	given, last := 0, int64(-1)
	for _, f := range slices.Backward(s.list()) {
		more := true
		err := f.query(hash, func(phy int64) bool {
			if phy == last {
				return true // the record stands here twice, or two of its keys collide
			}
			last = phy
			given++
			more = visit(phy) && given != limit
			return more
		})
		if err != nil && !errors.Is(err, fs.ErrClosed) {
			failed = errors.Join(failed, err)
		}
		if !more {
			break
		}
	}
	return failed
}

// query walks one chain. visit runs outside the fault guard: it does other I/O.
func (f *indexFile) query(hash int32, visit func(int64) bool) error {
	m, err := f.acquire()
	if err != nil {
		return err
	}
	defer m.Release()
	c := chain{f: f, b: m.Bytes(), hash: hash, next: -1}
	for c.next != 0 {
		c.found = c.buf[:0]
		fault := mapped.Guard(c.fill)
		for _, phy := range c.found {
			if !visit(phy) {
				return nil
			}
		}
		if err := cmp.Or(fault, c.err); err != nil {
			return err
		}
	}
	return nil
}

// chain is a walk along the entries of one slot.
type chain struct {
	f     *indexFile
	b     []byte
	hash  int32
	next  int32 // entry to read; -1 = begin at the slot, 0 = the end
	found []int64
	buf   [64]int64
	err   error
}

// fill reads on until the buffer is full or the chain ends.
func (c *chain) fill() {
	if c.next < 0 {
		c.begin()
	}
	for c.next > 0 && len(c.found) < len(c.buf) {
		n := c.next
		e := decodeEntry(c.f.entry(c.b, n))
		at := c.f.geo.entryAt(n)
		c.next = 0
		switch {
		case e.hash < 0 || e.hash%c.f.geo.Slots != c.hash%c.f.geo.Slots:
			c.err = c.f.corrupt(at, fmt.Sprintf("a hash of slot %d", c.hash%c.f.geo.Slots), e.hash)
			return
		case e.phy < 0:
			c.err = c.f.corrupt(at+4, "a physical offset >= 0", e.phy)
			return
		}
		if e.hash == c.hash {
			c.found = append(c.found, e.phy)
		}
		if e.prev < 0 || e.prev >= n { // X1
			c.err = c.f.corrupt(at+16, fmt.Sprintf("an entry number below %d", n), e.prev)
			return
		}
		c.next = e.prev
	}
}

// begin reads the slot, then the count: the writer publishes them in the other
// order (X3).
func (c *chain) begin() {
	slot := c.hash % c.f.geo.Slots
	head := loadSlot(c.f.slot(c.b, c.hash))
	count := c.f.count.Load()
	if stale := c.f.stale; stale != nil && stale.slot == slot {
		head = stale.prev
	}
	c.next = 0
	if head < 0 || head >= count {
		c.err = c.f.corrupt(c.f.geo.slotAt(slot), fmt.Sprintf("an entry number below %d", count), head)
		return
	}
	c.next = head
}
