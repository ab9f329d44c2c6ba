package actors

import (
	"errors"
	"path/filepath"
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

// met takes what a read has found in a segment of the log.
func (r *rooms) met(err error) (isNew bool) {
	var ce *record.CorruptionError
	if !errors.As(err, &ce) || filepath.Dir(ce.Path) != r.layout.CommitLog() {
		return false
	}
	k := &r.known
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, d := range k.list {
		if d.Offset == ce.Offset || d.Offset < ce.Offset && ce.Offset < d.End {
			return false
		}
	}
	if len(k.list) >= knownMost {
		return false
	}
	k.list, k.changed = append(k.list, checkpoint.Damage{Offset: ce.Offset, Want: ce.Want, Got: ce.Got}), true
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
