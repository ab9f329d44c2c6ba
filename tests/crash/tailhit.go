package crash

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// hit damages a record, or loses sectors from a place of it on.
func (c *tailCase) hit() error {
	r := &c.found.Records[c.rng.IntN(len(c.found.Records))]
	if c.rng.IntN(3) == 0 {
		r = &c.found.Records[len(c.found.Records)-1]
	}
	segment := c.o.MappedFileSizeCommitLog
	base := r.Offset / segment * segment
	path := filepath.Join(checkpoint.NewLayout(root, "").CommitLog(), mapped.Name(base))
	was, err := readFile(c.fs, path)
	if err != nil {
		return err
	}
	is := bytes.Clone(was)
	from, to := int(r.Offset-base), int(r.End-base)
	if left := int(segment) - to; left > 0 && left < int(segment) && r.End < c.found.End && c.rolls(r.End) {
		c.blank = true
		from, to = to, to+record.BlankSize
	}
	kind := c.rng.IntN(3)
	if c.blank {
		kind = 0
	}
	lost := false // the one byte that is wrong
	switch at := from + c.rng.IntN(to-from); kind {
	case 0:
		is[at] ^= 1 << c.rng.IntN(8)
		lost = is[at] == 0
		c.what = fmt.Sprintf("a flipped bit at %d", base+int64(at))
	case 1:
		n := 1 + c.rng.IntN(to-at)
		for i := at; i < at+n; i++ {
			is[i] = byte(1 + c.rng.IntN(255))
		}
		c.what = fmt.Sprintf("%d bytes of noise at %d", n, base+int64(at))
	default:
		at = at / 512 * 512
		n := 512 * (1 + c.rng.IntN(4))
		clear(is[at:min(at+n, len(is))])
		c.zeros = true
		c.what = fmt.Sprintf("sectors of zeros at %d to %d", base+int64(at), base+int64(at+n))
	}
	for at := from / 512 * 512; at+512 <= to; at += 512 {
		c.blurred = c.blurred || len(bytes.TrimLeft(was[at:at+512], "\x00")) == 0
	}
	for at := (from/512 + 1) * 512; at <= to; at += 512 {
		c.blurred = c.blurred || was[at-1] == 0
	}
	c.blurred = lost || kind != 0 && (c.blurred || was[to-1] == 0)
	for i := range was {
		if was[i] != is[i] {
			c.hits = append(c.hits, piece{base + int64(i), was[i : i+1]})
		}
	}
	return putFile(c.fs, path, is, false)
}

// rolls tells whether a segment ends behind the record that ends there. Every other
// one that does has its BLANK hit.
func (c *tailCase) rolls(end int64) bool {
	segment := c.o.MappedFileSizeCommitLog
	next := (end/segment + 1) * segment
	for i := range c.found.Records {
		if at := c.found.Records[i].Offset; at >= end {
			return at == next && c.rng.IntN(2) == 0
		}
	}
	return false
}

func (c *tailCase) isHit(r *oracle.Record) bool {
	for _, p := range c.hits {
		if p.at >= r.Offset && p.at < r.End {
			return true
		}
	}
	return false
}

// behindMark tells that all that was hit lies in what opening reads.
func (c *tailCase) behindMark() bool {
	for _, p := range c.hits {
		if p.at < c.mark {
			return false
		}
	}
	return true
}

// queuedBehind tells whether a unit proves that the log was durable behind an
// offset.
func (c *tailCase) queuedBehind(offset int64) bool {
	for i := range c.found.Records {
		if r := &c.found.Records[i]; r.Offset >= offset && r.Queued() {
			return true
		}
	}
	return false
}

// expect says where the log must end; not sure where the record that proves the
// mark was hit, or both sides of the mark.
func (c *tailCase) expect() (end int64, sure bool) {
	end = c.found.End
	first, last := int64(-1), int64(-1) // of the records that were hit
	for i := range c.found.Records {
		if r := &c.found.Records[i]; c.isHit(r) {
			if first < 0 {
				first = r.Offset
			}
			last = r.End
			if r.End == c.mark {
				return end, false
			}
		}
	}
	if c.blank {
		return end, true
	}
	if c.cut && c.blurred && last > c.mark && c.o.FlushDiskType == actors.AsyncFlush {
		return end, false
	}
	if c.cut && c.zeros && last > c.mark && c.o.FlushDiskType == actors.SyncFlush && !c.queuedBehind(last) {
		return end, false // nothing proves that the zeros had been something
	}
	lost := c.cut && c.zeros && c.o.FlushDiskType == actors.AsyncFlush
	switch {
	case first < 0: // only what is between records
		return end, false
	case last <= c.mark:
		return end, true
	case first < c.mark:
		return end, false
	case last == c.found.End, lost:
		return first, true
	}
	return end, true
}
