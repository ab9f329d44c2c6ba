package recoverer

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/actorstore/actorstore/commitlog/record"
)

// chainLimit bounds how far a key is followed; a key that thousands of records
// share is not worth a quadratic check.
const chainLimit = 4096

// keys wants the record under each of its keys.
func (v *verifier) keys(req *record.DispatchRequest) {
	x := v.r.in.Index
	if x == nil || req.SysFlag&record.SysTransactionMask == record.SysTransactionRollback {
		return
	}
	if len(req.UniqKey) > 0 {
		v.key(req, "key", string(req.UniqKey), x.Query)
	}
	for k := range record.SplitKeys(req.Keys) {
		v.key(req, "key", string(k), x.Query)
	}
	if len(req.Tags) > 0 {
		v.key(req, "tags", string(req.Tags), x.QueryTags)
	}
}

type query func(topic, key string, limit int, visit func(physicalOffset int64) bool) error

func (v *verifier) key(req *record.DispatchRequest, what, key string, ask query) {
	found, seen := false, 0
	err := ask(req.Topic, key, chainLimit, func(offset int64) bool {
		found = offset == req.PhysicalOffset
		seen++
		return !found && offset > req.PhysicalOffset
	})
	if err != nil && !found {
		f := findingOf(Index, err)
		v.unasked[f.Path] = f
		return
	}
	if found || seen >= chainLimit {
		return
	}
	if req.PhysicalOffset > v.r.in.Index.EndPhyOffset() {
		if v.unkeyed.records == 0 {
			v.unkeyed.physical = req.PhysicalOffset
		}
		v.unkeyed.records, v.unkeyed.next = v.unkeyed.records+1, req.PhysicalOffset+int64(req.Size)
		return
	}
	v.r.find(Finding{Where: Index, Path: v.r.in.Layout.Index(), Offset: req.PhysicalOffset,
		Want: fmt.Sprintf("an entry for %s %q of topic %s", what, key, req.Topic), Got: "none"})
}

// index checks the files of the index, and every entry against the log: of each
// file the first thing that is wrong is told.
func (v *verifier) index() {
	if v.r.in.Index == nil {
		return
	}
	told := map[string]bool{}
	tell := func(f Finding) {
		if !told[f.Path] {
			told[f.Path] = true
			v.r.find(f)
		}
	}
	for _, check := range []func() error{
		func() error { return v.r.in.Index.Verify(v.r.startRecords) },
		func() error { return v.r.in.Index.VerifyRecords(v.request) },
	} {
		for _, err := range unjoin(check()) {
			tell(findingOf(Index, err))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(v.unasked)) {
		tell(v.unasked[path]) // if its own check has not told of it
	}
}

// request reads the record at an offset, if there is one. What stands in a damaged
// one says nothing against the entries of its keys.
func (v *verifier) request(offset int64, req *record.DispatchRequest) bool {
	ok := false
	if _, damaged := v.damage.at(offset); damaged || offset < v.r.rep.Min {
		return false
	}
	_ = viewRest(v.r.in.Log.Reader(), offset, v.r.rep.End, func(b []byte) {
		size, kind, err := record.Measure(b)
		if err != nil || kind != record.KindRecord || size > len(b) ||
			record.Verify(b[:size], offset, record.CRCNone) != nil || v.look.parser.Parse(b[:size], req) != nil {
			return
		}
		// The bytes are mapped memory and are gone after this.
		req.UniqKey, req.Keys, req.Tags = bytes.Clone(req.UniqKey), bytes.Clone(req.Keys), bytes.Clone(req.Tags)
		ok = true
	})
	return ok
}

// unjoin takes errors that were joined apart.
func unjoin(err error) []error {
	if err == nil {
		return nil
	}
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range j.Unwrap() {
			all = append(all, unjoin(e)...)
		}
		return all
	}
	return []error{err}
}

// smallFiles checks what checkpoint, mark and summary claim.
func (v *verifier) smallFiles() {
	in, rep := v.r.in, v.r.rep
	c := &in.Checkpoint
	for _, x := range []struct {
		name  string
		at    int64
		value int64
	}{
		{"confirmPhyOffset", 32, c.ConfirmPhyOffset},
		{"masterFlushedOffset", 24, c.MasterFlushedOffset},
		{"logicsPhysicalOffset", 40, c.LogicsPhysicalOffset},
	} {
		if x.value < 0 || x.value > rep.End {
			v.r.find(Finding{Where: CheckpointFile, Path: in.Layout.CheckpointFile(), Offset: x.at,
				Want: fmt.Sprintf("%s in 0..%d", x.name, rep.End), Got: fmt.Sprint(x.value)})
		}
	}
	if len(in.Marks) > 0 && rep.Plan.Mark == nil {
		v.r.find(Finding{Where: MarkFile, Path: in.Layout.MarkFile(), Want: "a mark of this log", Got: rep.Plan.WhyNoMark})
	}
	if m := rep.Plan.Mark; m != nil && in.Clean && m.Sequence < in.Marks[0].Sequence {
		v.r.find(Finding{Where: CheckpointFile, Path: in.Layout.CheckpointFile(),
			Want: fmt.Sprintf("the fields that mark %d was written with", in.Marks[0].Sequence),
			Got:  fmt.Sprintf("those of mark %d", m.Sequence)})
	}
	if s := in.Summary; s != nil && (s.Dispatched < 0 || s.Dispatched > rep.End) {
		v.r.find(Finding{Where: SummaryFile, Path: in.Layout.QueuesFile(), Offset: 12,
			Want: fmt.Sprintf("a dispatched end in 0..%d", rep.End), Got: fmt.Sprint(s.Dispatched)})
	}
}
