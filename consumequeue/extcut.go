package consumequeue

// cutExt removes ext data behind the last unit after a truncation.
func (q *Queue) cutExt() error {
	if q.kind != Simple || q.store.o.ExtDir == "" {
		return nil
	}
	e, err := q.extLocked()
	if err != nil || e.files.Load().empty() {
		return err
	}
	set, end := e.files.Load(), e.files.Load().files[0].start
	if q.end.Load() > q.data {
		u, err := q.unitAt(q.end.Load() - 1)
		if err != nil || !IsExtAddress(u.TagsCode) {
			return err // nothing says where the cut would be
		}
		var ext ExtUnit
		at := extOffset(u.TagsCode)
		size, err := q.readExtAt(set, at, make([]byte, maxExtUnit), &ext)
		if err != nil {
			return nil // lost already
		}
		end = at + int64(size)
	}
	return q.dropExt(e, end)
}

// dropExt removes ext files behind end and ends the data there.
func (q *Queue) dropExt(e *extFiles, end int64) error {
	files := e.files.Load().files
	for n := len(files); n > 1 && files[n-1].start >= end; n-- {
		f := files[n-1]
		e.files.Store(&fileSet{files: files[: n-1 : n-1]})
		q.store.pool.retire(f)
		if err := q.store.o.FS.Remove(f.path()); err != nil {
			return err
		}
		q.store.dirty.addDir(q.extDir())
	}
	e.end = end
	f := e.files.Load().find(end, q.store.o.ExtFileSize)
	if f == nil {
		return nil
	}
	zeros := make([]byte, 4096)
	for at := end - f.start; at < f.size(); at += int64(len(zeros)) {
		part := zeros[:min(int64(len(zeros)), f.size()-at)]
		clean, err := q.isZero(f, at, part)
		if err != nil || clean {
			return err
		}
		clear(part)
		if err := q.write(f, at, part); err != nil {
			return err
		}
	}
	return nil
}

func (q *Queue) isZero(f *file, at int64, buf []byte) (bool, error) {
	if _, err := q.readExtBytes(&fileSet{files: []*file{f}}, f.start+at, buf); err != nil {
		return false, err
	}
	return allZero(buf), nil
}

// expireExt removes ext files that end in front of the first live unit's.
func (q *Queue) expireExt() error {
	if q.kind != Simple || q.store.o.ExtDir == "" || q.first.Load() >= q.end.Load() {
		return nil
	}
	u, err := q.unitAt(q.first.Load())
	if err != nil || !IsExtAddress(u.TagsCode) {
		return err
	}
	e, err := q.extLocked()
	if err != nil {
		return err
	}
	for set := e.files.Load(); len(set.files) > 1 && set.files[0].start+set.files[0].size() <= extOffset(u.TagsCode); set = e.files.Load() {
		f := set.files[0]
		e.files.Store(&fileSet{files: set.files[1:]})
		q.store.pool.retire(f)
		if err := q.store.o.FS.Remove(f.path()); err != nil {
			return err
		}
		q.store.dirty.addDir(q.extDir())
	}
	return nil
}
