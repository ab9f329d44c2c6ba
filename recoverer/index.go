package recoverer

import (
	"path/filepath"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/indexsvc"
)

// indexFeed puts records into the index behind a replay. An index that cannot be
// written stops the feed, not the recovery.
type indexFeed struct {
	service *indexsvc.Service // nil: off
	from    int64             // records below are in the index
	waiting []record.DispatchRequest
	lacks   int64 // where the feed stopped, -1
	err     error
}

// indexBatch is how many records are put at once.
const indexBatch = 256

// keep takes a record; its bytes must stay until put.
func (f *indexFeed) keep(req *record.DispatchRequest) {
	if f.service == nil || req.PhysicalOffset < f.from {
		return
	}
	f.waiting = append(f.waiting, *req)
	if len(f.waiting) >= indexBatch {
		_ = f.put()
	}
}

// put hands over what waits. Only a page of the log that cannot be read is an
// error.
func (f *indexFeed) put() error {
	if len(f.waiting) == 0 {
		return nil
	}
	first := f.waiting[0].PhysicalOffset
	var err error
	fault := mapped.Guard(func() { err = f.service.Put(f.waiting) })
	f.waiting = f.waiting[:0]
	if err != nil {
		f.service, f.lacks, f.err = nil, first, err
	}
	return fault
}

// prepareIndex takes out of the index what cannot be believed and tells from
// where on it lacks records; at or above the log's end if it lacks none.
func (r *recovery) prepareIndex() (from int64, err error) {
	x, aside := r.in.Index, r.in.Layout.Aside()
	if x == nil {
		return r.rep.End, nil
	}
	bad := x.Damaged()
	had := len(x.Files()) + len(bad)
	for _, d := range bad {
		r.find(findingOf(Index, d))
	}
	switch {
	case r.indexUnheld():
		err = x.Reset(aside)
	case len(bad) > 0:
		err = x.DropFrom(filepath.Base(bad[0].Path), aside)
	}
	if err != nil {
		return 0, err
	}
	if x.EndPhyOffset() >= r.rep.End {
		r.find(Finding{Where: Index, Path: r.in.Layout.Index(), Offset: x.EndPhyOffset(),
			Want: "records below the end of the log", Got: "entries above it; set aside"})
		if err := x.TruncatePhysical(r.rep.End, aside); err != nil {
			return 0, err
		}
	}
	if !r.in.Clean {
		if err := r.dropUnflushed(x, aside); err != nil {
			return 0, err
		}
	}
	if err := r.dropBehindHole(x, aside); err != nil {
		return 0, err
	}
	from = max(x.EndPhyOffset(), r.rep.Min)
	if len(x.Files()) < had || had == 0 || !r.plan.Trusted {
		return from, nil
	}
	applied := r.in.Summary.IndexApplied
	lacks := from
	if r.in.Clean && x.EndPhyOffset() == from {
		lacks = max(from, r.endsAt(from)) // the record just there is complete
	}
	// After an unclean stop it need not be: the file with its other entries may have
	// been taken out by an opening that then failed.
	if r.keyed(lacks, applied) {
		return from, nil // it lacks what the summary says it has
	}
	return max(lacks, applied), nil
}

// keyedWindow is how much log is looked through for records that the index
// should have. Records without keys do not show in it.
const keyedWindow = 64 << 20

// keyed tells whether a record with keys stands near the start of [from, to).
func (r *recovery) keyed(from, to int64) bool {
	found := false
	var h history
	h.init(r.in, r.plan)
	h.each(from, min(to, from+keyedWindow, r.rep.End), func(req *record.DispatchRequest) bool {
		found = req.PhysicalOffset >= from && r.indexed(req, true)
		return !found
	})
	return found
}

// dropBehindHole takes out the files behind the first stretch of the log that
// has records with keys and that no file covers. RocketMQ leaves such holes:
// after an unclean stop it drops the file in use, and others, and indexes only
// the last segments again. A file that was removed leaves one, and one that has lost
// its header and passes for unused. Tags do not count: before 5.5 they had no entries.
func (r *recovery) dropBehindHole(x *indexsvc.Service, aside string) error {
	last := r.rep.Min - 1 // the last record that is covered
	for _, f := range x.Files() {
		if r.hole(last, f.BeginPhyOffset) {
			return x.DropFrom(f.Name, aside)
		}
		last = max(last, f.EndPhyOffset)
	}
	return nil
}

// hole tells whether a record with keys stands behind the one at last and in
// front of the one at next. A damaged one has no entries.
func (r *recovery) hole(last, next int64) bool {
	from, found := max(last, r.rep.Min), false
	if next <= last+1 || next > r.rep.End {
		return false
	}
	var h history
	h.init(r.in, r.plan)
	h.eachWhole(from, min(next, from+keyedWindow), func(req *record.DispatchRequest) bool {
		found = req.PhysicalOffset > last && req.PhysicalOffset < next && r.indexed(req, false)
		return !found
	})
	return found
}

// indexed tells whether a record has entries in the index, for its tags or not.
func (r *recovery) indexed(req *record.DispatchRequest, tags bool) bool {
	if req.SysFlag&record.SysTransactionMask == record.SysTransactionRollback || record.CheckTopic(req.Topic) != nil ||
		r.in.Deleted.Covers(req.Topic, req.PhysicalOffset) {
		return false
	}
	has := len(req.UniqKey) > 0 || tags && len(req.Tags) > 0
	for range record.SplitKeys(req.Keys) {
		has = true
	}
	return has
}
