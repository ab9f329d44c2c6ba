package record

import (
	"fmt"
	"math"
	"strings"
)

// DefaultDelayLevels is RocketMQ's messageDelayLevel: level 1 is one second,
// level 18 two hours.
const DefaultDelayLevels = "1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h"

// DelayTable gives the delay of each level. It is never changed once made.
type DelayTable struct {
	delays []int64 // ms; level 1 first
}

var defaultDelays = mustDelays(DefaultDelayLevels)

func mustDelays(levels string) *DelayTable {
	t, err := ParseDelayLevels(levels)
	if err != nil {
		panic(err)
	}
	return t
}

// ParseDelayLevels reads numbers with a unit (s, m, h, d), separated by one
// blank each. The error names the first part that is none.
func ParseDelayLevels(levels string) (*DelayTable, error) {
	units := map[byte]int64{'s': 1000, 'm': 60_000, 'h': 3_600_000, 'd': 86_400_000}
	t := &DelayTable{}
	for part := range strings.SplitSeq(levels, " ") {
		var n, unit int64
		ok := false
		if part != "" {
			unit = units[part[len(part)-1]]
			n, ok = parseInt([]byte(part[:len(part)-1]), 64)
		}
		if !ok || unit == 0 || n < 0 || n > math.MaxInt64/unit {
			return nil, fmt.Errorf("delay levels: want a number and one of s, m, h, d, got %q", part)
		}
		t.delays = append(t.delays, n*unit)
	}
	return t, nil
}

// Max is the highest level.
func (t *DelayTable) Max() int { return len(t.delays) }

// DeliverAt is the time in ms at which a message of this level is due; a level
// above Max counts as Max, a level below 1 is no delay.
func (t *DelayTable) DeliverAt(level int, storeTimestamp int64) int64 {
	level = min(level, t.Max())
	if level <= 0 {
		return storeTimestamp
	}
	return storeTimestamp + t.delays[level-1]
}

// TagsCode is the tags code of a record: the due time of a record of
// TopicSchedule that carries a delay level above 0, else the hash of the tag. A
// DELAY that is no number counts as none; RocketMQ stops dispatching at it.
func (t *DelayTable) TagsCode(topic string, tags, delay []byte, storeTimestamp int64) int64 {
	if delay != nil && topic == TopicSchedule {
		if level, ok := parseInt(delay, 32); ok && level > 0 && t.Max() > 0 {
			return t.DeliverAt(int(min(level, math.MaxInt16)), storeTimestamp)
		}
	}
	return TagsCode(tags)
}
