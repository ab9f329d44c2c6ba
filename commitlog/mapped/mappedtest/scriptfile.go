package mappedtest

import "github.com/actorstore/actorstore/commitlog/mapped"

// scriptFile is a file under the rules of a Script.
type scriptFile struct {
	s *Script
	f mapped.File
}

func (f *scriptFile) do(op Op, off, n int64, run func() error, failed func(*Rule)) error {
	return f.s.do(Call{Op: op, Path: f.f.Name(), Off: off, Len: n}, run, failed)
}

func (f *scriptFile) Name() string { return f.f.Name() }

func (f *scriptFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.do(OpRead, off, int64(len(p)), func() (err error) {
		n, err = f.f.ReadAt(p, off)
		return err
	}, nil)
	return n, err
}

func (f *scriptFile) WriteAt(p []byte, off int64) (n int, err error) {
	err = f.do(OpWrite, off, int64(len(p)), func() (err error) {
		n, err = f.f.WriteAt(p, off)
		return err
	}, func(r *Rule) {
		n, _ = f.f.WriteAt(p[:min(max(r.Short, 0), len(p))], off)
	})
	return n, err
}

// Close closes in any case: a close that reports an error has closed.
func (f *scriptFile) Close() error {
	return f.do(OpClose, 0, 0, f.f.Close, func(*Rule) { _ = f.f.Close() })
}

func (f *scriptFile) Size() (n int64, err error) {
	err = f.do(OpSize, 0, 0, func() (err error) {
		n, err = f.f.Size()
		return err
	}, nil)
	return n, err
}

func (f *scriptFile) Truncate(size int64) error {
	return f.do(OpTruncate, 0, size, func() error { return f.f.Truncate(size) }, nil)
}

func (f *scriptFile) Allocate(off, n int64) error {
	return f.do(OpAllocate, off, n, func() error { return f.f.Allocate(off, n) }, nil)
}

func (f *scriptFile) Writeback(off, n int64) error {
	return f.do(OpWriteback, off, n, func() error { return f.f.Writeback(off, n) }, nil)
}

func (f *scriptFile) Sync() error {
	return f.do(OpSync, 0, 0, f.f.Sync, func(r *Rule) { f.failSync(r.Landed) })
}

func (f *scriptFile) Datasync() error {
	return f.do(OpDatasync, 0, 0, f.f.Datasync, func(r *Rule) { f.failSync(r.Landed) })
}

func (f *scriptFile) failSync(landed int) {
	if f, ok := f.f.(interface{ failSync(landed int) }); ok {
		f.failSync(landed)
	}
}

func (f *scriptFile) Map(off, n int64, writable bool) (mapped.Region, error) {
	var r mapped.Region
	err := f.do(OpMap, off, n, func() (err error) {
		r, err = f.f.Map(off, n, writable)
		return err
	}, nil)
	if err != nil {
		return nil, err
	}
	return &scriptRegion{f: f, r: r}, nil
}

func (f *scriptFile) Lock() error { return f.do(OpLock, 0, 0, f.f.Lock, nil) }

func (f *scriptFile) Locked() (held bool, err error) {
	err = f.do(OpLocked, 0, 0, func() (err error) {
		held, err = f.f.Locked()
		return err
	}, nil)
	return held, err
}

// scriptRegion is a mapping under the rules of a Script.
type scriptRegion struct {
	f *scriptFile
	r mapped.Region
}

func (r *scriptRegion) Bytes() []byte { return r.r.Bytes() }

func (r *scriptRegion) Flush(off, n int64) error {
	return r.f.do(OpFlush, off, n, func() error { return r.r.Flush(off, n) }, func(rule *Rule) {
		r.failFlush(off, n, rule.Landed)
	})
}

func (r *scriptRegion) failFlush(off, n int64, landed int) {
	if r, ok := r.r.(interface {
		failFlush(off, n int64, landed int)
	}); ok {
		r.failFlush(off, n, landed)
	}
}

func (r *scriptRegion) Populate(off, n int64, write bool) error {
	return r.f.do(OpPopulate, off, n, func() error { return r.r.Populate(off, n, write) }, nil)
}

func (r *scriptRegion) Random() error { return r.f.do(OpRandom, 0, 0, r.r.Random, nil) }

func (r *scriptRegion) Unwritten(off, n int64) (at int64, err error) {
	at = -1
	err = r.f.do(OpUnwritten, off, n, func() (err error) {
		at, err = r.r.Unwritten(off, n)
		return err
	}, nil)
	return at, err
}

func (r *scriptRegion) Drop(off, n int64) (stays int64, err error) {
	stays = -1
	err = r.f.do(OpDrop, off, n, func() (err error) {
		stays, err = r.r.Drop(off, n)
		return err
	}, nil)
	return stays, err
}

// Unmap unmaps in any case, as Close closes.
func (r *scriptRegion) Unmap() error {
	return r.f.do(OpUnmap, 0, 0, r.r.Unmap, func(*Rule) { _ = r.r.Unmap() })
}
