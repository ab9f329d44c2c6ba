package checkpoint

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

var deletedMagic = sealedMagic{'A', 'S', 'D', 'E', 'L', 'T', 0, 1}

// DeletedTopics gives for each deleted topic the end of the log at its deletion.
// The log still holds the topic's records; a replay must not bring them back.
type DeletedTopics map[string]int64

// Covers tells whether the record of topic at physicalOffset was deleted with
// its topic. A topic that was created again has records above the end.
func (d DeletedTopics) Covers(topic string, physicalOffset int64) bool {
	end, found := d[topic]
	return found && physicalOffset < end
}

// Trim forgets topics whose deleted records have all left the log, and tells
// whether there were any. minOffset is the log's first physical offset.
func (d DeletedTopics) Trim(minOffset int64) bool {
	before := len(d)
	maps.DeleteFunc(d, func(_ string, end int64) bool { return end <= minOffset })
	return len(d) < before
}

// ReadDeleted reads the deleted topics; a missing file is none. A damaged file
// is *record.CorruptionError: without it deleted topics come back, so the
// caller says so and does not write a new one over it unasked.
func ReadDeleted(fsys mapped.FS, layout Layout) (DeletedTopics, error) {
	c, err := readSealed(fsys, layout.DeletedFile(), deletedMagic)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return DeletedTopics{}, nil
	}
	return decodeDeleted(c)
}

func decodeDeleted(c *cursor) (DeletedTopics, error) {
	d := DeletedTopics{}
	for range c.count {
		at := int64(c.at)
		topic, end := c.text(), c.u64()
		if err := c.err(); err != nil {
			return nil, err
		}
		if _, twice := d[topic]; twice || topic == "" || end < 0 {
			return nil, &record.CorruptionError{Path: c.path, Offset: at, Next: -1,
				Want: "each topic once with an offset >= 0", Got: fmt.Sprintf("%q at %d", topic, end)}
		}
		d[topic] = end
	}
	if err := c.end(); err != nil {
		return nil, err
	}
	return d, nil
}

// WriteDeleted replaces the file. It returns before any queue of a new entry is
// removed.
func WriteDeleted(fsys mapped.FS, layout Layout, d DeletedTopics) error {
	b := newSealed(deletedMagic, len(d), 32*len(d))
	for _, topic := range slices.Sorted(maps.Keys(d)) {
		if err := checkName(topic); err != nil {
			return err
		}
		if d[topic] < 0 {
			return fmt.Errorf("deleted topic %s: want an offset >= 0, got %d", topic, d[topic])
		}
		b = appendText(b, topic)
		b = binary.BigEndian.AppendUint64(b, uint64(d[topic]))
	}
	return replace(fsys, layout, layout.DeletedFile(), seal(b))
}
