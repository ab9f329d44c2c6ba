package mappedtest

import (
	"math/bits"
	"sync"
	"syscall"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// disk counts the room that files take.
type disk struct {
	mu          sync.Mutex
	total, used int64
	sticky      bool // see SetSticky
	cuts        uint32
}

func (d *disk) usage() mapped.DiskUsage {
	d.mu.Lock()
	defer d.mu.Unlock()
	return mapped.DiskUsage{Total: d.total, Used: d.used, Free: max(0, d.total-d.used)}
}

// clone is an empty disk like this one.
func (d *disk) clone() *disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &disk{total: d.total, sticky: d.sticky, cuts: d.cuts}
}

func (d *disk) isSticky() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sticky
}

// take reserves pages or none.
func (d *disk) take(pages int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if pages > 0 && d.used+pages*PageSize > d.total {
		return syscall.ENOSPC
	}
	d.used += pages * PageSize
	return nil
}

// space is the set of pages of one file that take room.
type space struct {
	disk  *disk
	set   []uint64
	pages int64
}

// reserve takes room for the pages in [from, to), or for none of them.
func (s *space) reserve(from, to int64) error {
	var need int64
	for p := from; p < to; p++ {
		if !s.has(p) {
			need++
		}
	}
	if need == 0 {
		return nil
	}
	if err := s.disk.take(need); err != nil {
		return err
	}
	if words := int((to + 63) / 64); words > len(s.set) {
		s.set = append(s.set, make([]uint64, words-len(s.set))...)
	}
	for p := from; p < to; p++ {
		s.set[p/64] |= 1 << (p % 64)
	}
	s.pages += need
	return nil
}

func (s *space) has(p int64) bool {
	return p/64 < int64(len(s.set)) && s.set[p/64]&(1<<(p%64)) != 0
}

// freeFrom gives back every page at or above p.
func (s *space) freeFrom(p int64) {
	var freed int64
	for i := p / 64; i < int64(len(s.set)); i++ {
		gone := s.set[i]
		if i == p/64 {
			gone &= ^uint64(0) << (p % 64)
		}
		freed += int64(bits.OnesCount64(gone))
		s.set[i] &^= gone
	}
	s.pages -= freed
	if freed > 0 {
		_ = s.disk.take(-freed)
	}
}

// cloneTo counts the same pages on another disk.
func (s *space) cloneTo(d *disk) space {
	d.used += s.pages * PageSize
	return space{disk: d, set: append([]uint64(nil), s.set...), pages: s.pages}
}
