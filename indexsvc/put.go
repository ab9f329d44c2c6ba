package indexsvc

import (
	"slices"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// Put indexes records in log order: every record of the log is given, also those
// without keys, for one of them may be what the next file is made for. After an
// error the records up to some point of the batch are indexed; give the batch
// again, from the caller's own position, and nothing is doubled (X5). A
// *CreateError is a stall, a *mapped.FaultError or *record.CorruptionError a
// damaged last file.
func (s *Service) Put(reqs []record.DispatchRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.changeable(); err != nil {
		return err
	}
	if last := s.last(); last != nil && !last.full() && allKeyless(reqs) {
		return nil
	}
	var err error
	if fault := mapped.Guard(func() { err = s.putAll(reqs) }); fault != nil {
		return fault
	}
	return err
}

func allKeyless(reqs []record.DispatchRequest) bool {
	for i := range reqs {
		if !keyless(&reqs[i]) {
			return false
		}
	}
	return true
}

func (s *Service) putAll(reqs []record.DispatchRequest) error {
	w, err := s.writer()
	if err != nil {
		return err
	}
	for i := range reqs {
		r := &reqs[i]
		if w.usable() && keyless(r) || r.PhysicalOffset < s.end.Load() {
			continue
		}
		if err := w.record(r); err != nil {
			return err
		}
	}
	return nil
}

// writer is the last file, mapped, for the time of one Put.
type writer struct {
	s *Service
	f *indexFile
	b []byte
}

func (s *Service) writer() (*writer, error) {
	w := &writer{s: s, f: s.last()}
	if w.f == nil {
		return w, nil
	}
	m, err := w.f.open()
	if err != nil {
		return nil, err
	}
	w.b = m.Bytes()
	return w, nil
}

// usable tells that there is a file with room.
func (w *writer) usable() bool { return w.f != nil && !w.f.full() }

// ensure makes the next file if there is none with room.
func (w *writer) ensure(storeTime int64) error {
	if w.usable() {
		return nil
	}
	f, err := w.s.create(storeTime)
	if err != nil {
		return err
	}
	w.f, w.b = f, f.view.Load().Bytes()
	return nil
}

// record puts one record that is not below the end.
func (w *writer) record(r *record.DispatchRequest) error {
	if r.PhysicalOffset == w.s.end.Load() {
		return w.again(r)
	}
	// RocketMQ makes the file here already, for a record without keys too.
	if err := w.ensure(r.StoreTimestamp); err != nil {
		return err
	}
	if keyless(r) {
		return nil
	}
	return hashes(r, func(hash int32) error { return w.put(r, hash) })
}

func (w *writer) put(r *record.DispatchRequest, hash int32) error {
	if err := w.ensure(r.StoreTimestamp); err != nil {
		return err
	}
	w.f.put(w.b, hash, r.PhysicalOffset, r.StoreTimestamp)
	w.s.end.Store(r.PhysicalOffset)
	return nil
}

// again puts the keys of the newest record that are not there yet: a process may
// have died, or the disk filled up, between two of them.
func (w *writer) again(r *record.DispatchRequest) error {
	if keyless(r) {
		return nil
	}
	have, err := w.s.newest(r.PhysicalOffset)
	if err != nil {
		return err
	}
	return hashes(r, func(hash int32) error {
		if have[hash] > 0 {
			have[hash]--
			return nil
		}
		return w.put(r, hash)
	})
}

// newest counts the hashes of the entries at the end of the index that belong to
// the record at phy. They may stand in more than one file.
func (s *Service) newest(phy int64) (map[int32]int, error) {
	have := map[int32]int{}
	for _, f := range slices.Backward(s.list()) {
		m, err := f.open()
		if err != nil {
			return nil, err
		}
		for n := f.count.Load() - 1; n >= 1; n-- {
			e := decodeEntry(f.entry(m.Bytes(), n))
			if e.phy != phy {
				return have, nil
			}
			have[e.hash]++
		}
	}
	return have, nil
}
