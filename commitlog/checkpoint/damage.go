package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

var damageMagic = sealedMagic{'A', 'S', 'D', 'A', 'M', 'A', 0, 1}

// Damage is a place in the log that a recovery or a read has found damaged. A
// start that trusts the mark does not read there, and would not know.
type Damage struct {
	Offset int64 // physical
	End    int64 // where reading goes on, exclusive; 0 if it is not known
	Want   string
	Got    string
}

// damageMost bounds the file: enough to know that it is bad, and where to begin.
const damageMost = 1000

// damageText bounds what is told of each place.
const damageText = 500

// ReadDamage reads what was found, none if the file is missing; it is, mostly. A
// damaged file is *record.CorruptionError.
func ReadDamage(fsys mapped.FS, layout Layout) ([]Damage, error) {
	c, err := readSealed(fsys, layout.DamageFile(), damageMagic)
	if err != nil || c == nil {
		return nil, err
	}
	list := make([]Damage, 0, min(c.count, damageMost))
	for range c.count {
		at := int64(c.at)
		d := Damage{Offset: c.u64(), End: c.u64(), Want: c.text(), Got: c.text()}
		if err := c.err(); err != nil {
			return nil, err
		}
		if d.Offset < 0 || d.End < 0 || len(list) == damageMost {
			return nil, &record.CorruptionError{Path: c.path, Offset: at, Next: -1,
				Want: fmt.Sprintf("at most %d places >= 0", damageMost), Got: fmt.Sprintf("%d to %d", d.Offset, d.End)}
		}
		list = append(list, d)
	}
	return list, c.end()
}

// WriteDamage replaces the file, or removes it if there is nothing to tell. Of
// very many places the first are kept.
func WriteDamage(fsys mapped.FS, layout Layout, list []Damage) error {
	path := layout.DamageFile()
	if len(list) == 0 {
		err := fsys.Remove(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("remove %s: %w", path, err)
		}
		return syncDirOf(fsys, path)
	}
	list = list[:min(len(list), damageMost)]
	b := newSealed(damageMagic, len(list), 128*len(list))
	for _, d := range list {
		b = binary.BigEndian.AppendUint64(b, uint64(d.Offset))
		b = binary.BigEndian.AppendUint64(b, uint64(d.End))
		b = appendText(b, d.Want[:min(len(d.Want), damageText)])
		b = appendText(b, d.Got[:min(len(d.Got), damageText)])
	}
	return replace(fsys, layout, path, seal(b))
}
