package indexsvc

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// Indexed is a record that entries name. Whoever is asked about it may tell its time.
type Indexed struct {
	PhysicalOffset int64
	StoreTimestamp int64 // ms
	Known          bool  // that time
}

// first is the first entry of a record that can be held against its time.
type first struct{ n, timeDiff int32 }

// ask holds the records that were met against the log.
func (v *verifier) ask(check func([]Indexed) (int, error)) error {
	var good int
	var err error
	fault := mapped.Guard(func() { good, err = check(v.asked) })
	if err = cmp.Or(fault, err); err != nil {
		good = min(good, len(v.asked)-1)
		return v.f.corrupt(v.f.geo.entryAt(v.first[good].n)+4, fmt.Sprintf("a record at %d", v.asked[good].PhysicalOffset), none(err))
	}
	for i, r := range v.asked {
		if !r.Known {
			continue
		}
		if err := v.f.checkTime(v.first[i].n, r.StoreTimestamp, v.first[i].timeDiff); err != nil {
			return err
		}
	}
	return nil
}

// none says why there is no record. What was found and what was looked for are one
// finding already, so they are not told as another one inside it.
func none(err error) string {
	var ce *record.CorruptionError
	if errors.As(err, &ce) {
		return fmt.Sprintf("none: %s instead of %s", ce.Got, ce.Want)
	}
	return fmt.Sprintf("none: %v", err)
}
