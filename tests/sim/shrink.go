package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Shrink looks for few steps that still violate, by leaving out ever smaller
// pieces of them; tries bounds how often it runs the seed.
func Shrink(seed uint64, o Options, r Result, tries int) Result {
	list := make([]int, 0, steps)
	for i := range r.Step + 1 {
		if o.Only == nil || o.Only[i] {
			list = append(list, i)
		}
	}
	best := r
	for size := (len(list) + 1) / 2; size > 0 && tries > 0; {
		found := false
		for at := 0; at < len(list) && tries > 0; {
			less := slices.Delete(slices.Clone(list), at, min(at+size, len(list)))
			tries--
			o.Only = setOf(less)
			o.Steps = r.Step + 1
			if again := Run(seed, o); again.What != "" {
				list, best, found = less, again, true
			} else {
				at += size
			}
		}
		if !found || size > 1 {
			size /= 2
		}
	}
	best.Only = setOf(list)
	return best
}

func setOf(list []int) map[int]bool {
	set := make(map[int]bool, len(list))
	for _, i := range list {
		set[i] = true
	}
	return set
}

// ParseSteps reads a list such as "3,7,20-25"; "" is nil, all steps.
func ParseSteps(s string) (map[int]bool, error) {
	if s == "" {
		return nil, nil
	}
	set := map[int]bool{}
	for part := range strings.SplitSeq(s, ",") {
		var from, to int
		if n, _ := fmt.Sscanf(part, "%d-%d", &from, &to); n == 1 {
			to = from
		} else if n != 2 {
			return nil, fmt.Errorf("%q is no list of steps", s)
		}
		for i := from; i <= to; i++ {
			set[i] = true
		}
	}
	return set, nil
}

// FormatSteps writes a list that ParseSteps reads.
func FormatSteps(set map[int]bool) string {
	var parts []string
	list := slices.Sorted(maps.Keys(set))
	for i := 0; i < len(list); {
		k := i
		for k+1 < len(list) && list[k+1] == list[k]+1 {
			k++
		}
		if k > i {
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[k]))
		} else {
			parts = append(parts, fmt.Sprint(list[i]))
		}
		i = k + 1
	}
	return strings.Join(parts, ",")
}
