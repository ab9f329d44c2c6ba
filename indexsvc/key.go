package indexsvc

import (
	"bytes"
	"math"

	"github.com/actorstore/actorstore/commitlog/record"
)

// keySum is the running Java hash of what is indexed: topic#key for keys and
// unique keys, topic#T#tags for tags. A key "T#x" thus meets the tag "x".
type keySum int32

func sumTopic(topic string) keySum {
	return keySum(record.JavaHashFrom(record.JavaHash(topic), "#"))
}

func (k keySum) key(key []byte) int32 { return slotHash(record.JavaHashFrom(int32(k), key)) }

func (k keySum) tags(tags []byte) int32 {
	return slotHash(record.JavaHashFrom(record.JavaHashFrom(int32(k), "T#"), tags))
}

// slotHash makes a hash non-negative as RocketMQ does: Math.abs leaves the
// smallest int negative, and that becomes 0.
func slotHash(h int32) int32 {
	if h == math.MinInt32 {
		return 0
	}
	if h < 0 {
		return -h
	}
	return h
}

// keyless tells that a record has nothing to index.
func keyless(r *record.DispatchRequest) bool {
	return r.UniqKey == nil && r.Keys == nil && r.Tags == nil ||
		r.SysFlag&record.SysTransactionMask == record.SysTransactionRollback
}

// hashes calls put for each thing to index of a record, in RocketMQ's order:
// unique key, keys (parts between single blanks, empty ones left out), tags as a
// whole. It stops at the first error.
func hashes(r *record.DispatchRequest, put func(hash int32) error) error {
	sum := sumTopic(r.Topic)
	if r.UniqKey != nil {
		if err := put(sum.key(r.UniqKey)); err != nil {
			return err
		}
	}
	for keys := r.Keys; len(keys) > 0; {
		part, rest, _ := bytes.Cut(keys, []byte{' '})
		keys = rest
		if len(part) == 0 {
			continue
		}
		if err := put(sum.key(part)); err != nil {
			return err
		}
	}
	if len(r.Tags) > 0 {
		return put(sum.tags(r.Tags))
	}
	return nil
}
