package actors

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/record"
)

// knownDamage are the places of the log that are known to be damaged. Reads add
// to it, on any goroutine; the checkpoint actor alone writes it down.
type knownDamage struct {
	mu      sync.Mutex
	list    []checkpoint.Damage
	changed bool
}

// begin takes what stands after recovery; before is what the file says.
func (k *knownDamage) begin(list, before []checkpoint.Damage) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list, k.changed = list, len(list) != len(before)
	for i := range list {
		k.changed = k.changed || list[i] != before[i]
	}
}

// knows tells whether a place of the log is among them.
func (r *rooms) knows(err error) bool {
	ce := r.ofLog(err)
	r.known.mu.Lock()
	defer r.known.mu.Unlock()
	return ce != nil && r.known.holds(ce.Offset)
}

// ofLog is the damage of a segment of the log, nil if an error is none.
func (r *rooms) ofLog(err error) *record.CorruptionError {
	var ce *record.CorruptionError
	if !errors.As(err, &ce) || filepath.Dir(ce.Path) != r.layout.CommitLog() {
		return nil
	}
	return ce
}

// holds tells whether an offset is in the list; k.mu is held.
func (k *knownDamage) holds(offset int64) bool {
	return slices.ContainsFunc(k.list, func(d checkpoint.Damage) bool {
		return d.Offset == offset || d.Offset < offset && offset < d.End
	})
}

// met takes what was found in a segment of the log; end is where the damage ends,
// 0 if that is not known.
func (r *rooms) met(err error, end int64) (isNew bool) {
	ce, k := r.ofLog(err), &r.known
	k.mu.Lock()
	defer k.mu.Unlock()
	if ce == nil || k.holds(ce.Offset) || len(k.list) >= knownMost {
		return false
	}
	k.list, k.changed = append(k.list, checkpoint.Damage{Offset: ce.Offset, End: end, Want: ce.Want, Got: ce.Got}), true
	return true
}

// knownMost bounds what is remembered: a reader of a broken disk meets damage
// without end.
const knownMost = 1000

// remember writes it down if there is anything new.
func (r *rooms) remember() error {
	k := &r.known
	k.mu.Lock()
	list, changed := append([]checkpoint.Damage(nil), k.list...), k.changed
	k.changed = false
	k.mu.Unlock()
	if !changed {
		return nil
	}
	err := checkpoint.WriteDamage(r.fs, r.layout, list)
	if err != nil {
		k.mu.Lock()
		k.changed = true // the next pass tries again
		k.mu.Unlock()
	}
	return err
}
