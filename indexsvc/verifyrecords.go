package indexsvc

import (
	"errors"
	"fmt"
	"slices"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// VerifyRecords holds every entry against its record: its hash must be that of a
// key or tag, its time that of the record, in the headers too. Queries of this
// store do not look at the times, but RocketMQ's do. request fills in the record
// that starts at a physical offset; false if it is not there any more. The first
// difference of each file is told, several joined. Run it while nothing is put.
func (s *Service) VerifyRecords(request func(physicalOffset int64, req *record.DispatchRequest) bool) error {
	var failed error
	for _, f := range s.list() {
		failed = errors.Join(failed, f.verifyRecords(request))
	}
	return failed
}

func (f *indexFile) verifyRecords(request func(int64, *record.DispatchRequest) bool) error {
	m, err := f.acquire()
	if err != nil {
		return err
	}
	defer m.Release()
	h := f.header()
	v := recordVerifier{f: f, request: request, phy: -1}
	if h.IndexCount <= 1 {
		return nil
	}
	// A killed process may have written the time of an entry and not come to count it.
	if v.at(h.EndPhyOffset); v.known && f.stale == nil && v.req.StoreTimestamp != h.EndTimestamp {
		return f.corrupt(atEndTime, fmt.Sprintf("the time %d of the last record", v.req.StoreTimestamp), h.EndTimestamp)
	}
	if v.at(h.BeginPhyOffset); v.known && v.req.StoreTimestamp != h.BeginTimestamp {
		return f.corrupt(atBeginTime, fmt.Sprintf("the time %d of the first record", v.req.StoreTimestamp), h.BeginTimestamp)
	}
	for n := int32(1); n < h.IndexCount; n++ {
		var e entry
		if fault := mapped.Guard(func() { e = decodeEntry(f.entry(m.Bytes(), n)) }); fault != nil {
			return fault
		}
		if err := v.entry(n, &e); err != nil {
			return err
		}
	}
	return nil
}

// recordVerifier is at one record at a time.
type recordVerifier struct {
	f       *indexFile
	request func(int64, *record.DispatchRequest) bool
	phy     int64
	req     record.DispatchRequest
	known   bool
	keys    []int32 // hashes of the record
}

// at goes to the record at an offset.
func (v *recordVerifier) at(phy int64) {
	if v.phy == phy {
		return
	}
	v.phy, v.keys = phy, v.keys[:0]
	if v.known = v.request(phy, &v.req); v.known {
		_ = hashes(&v.req, func(hash int32) error {
			v.keys = append(v.keys, hash)
			return nil
		})
	}
}

func (v *recordVerifier) entry(n int32, e *entry) error {
	v.at(e.phy)
	if !v.known {
		return nil
	}
	if !slices.Contains(v.keys, e.hash) {
		return v.f.corrupt(v.f.geo.entryAt(n), fmt.Sprintf("the hash of a key of the record at %d", e.phy), e.hash)
	}
	return v.f.checkTime(n, v.req.StoreTimestamp, e.timeDiff)
}
