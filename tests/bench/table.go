package main

import (
	"fmt"
	"slices"
	"strings"
)

const heading = `| load | actorstore /s | mutex log /s | RocketMQ /s | beside mutex | beside RocketMQ | wanted |
|---|---|---|---|---|---|---|`

// median takes the median of each figure by itself.
func median(runs []figures) figures {
	pick := func(get func(figures) float64) float64 {
		if len(runs) == 0 {
			return 0
		}
		all := make([]float64, len(runs))
		for i, r := range runs {
			all[i] = get(r)
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	return figures{
		Put: pick(func(f figures) float64 { return f.Put }), Ack: pick(func(f figures) float64 { return f.Ack }),
		P50: pick(func(f figures) float64 { return f.P50 }), P999: pick(func(f figures) float64 { return f.P999 }),
		Get: pick(func(f figures) float64 { return f.Get }), View: pick(func(f figures) float64 { return f.View }),
	}
}

// line is the table's line of a cell, and those of its tail and reads.
func (r result) line(c cell) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s / %s |", c.name, thousands(r.ours.Put), thousands(r.mutex.Put),
		thousands(r.rocketmq.Put), ratio(r.ours.Put, r.mutex.Put), ratio(r.ours.Put, r.rocketmq.Put),
		wanted(c.mutex), wanted(c.rocketmq))
	if c.tail {
		fmt.Fprintf(&b, "\n| %s, p99.9 in us | %.0f | %.0f | %.0f | %s | %s | - / at most 0.20 |", c.name,
			r.ours.P999, r.mutex.P999, r.rocketmq.P999, ratio(r.ours.P999, r.mutex.P999), ratio(r.ours.P999, r.rocketmq.P999))
	}
	if c.reads {
		fmt.Fprintf(&b, "\n| hot Get in 32s | %s | - | %s | - | %s | - / 2.0 |", thousands(r.ours.Get),
			thousands(r.rocketmq.Get), ratio(r.ours.Get, r.rocketmq.Get))
		fmt.Fprintf(&b, "\n| hot View in 32s | %s | - | %s | - | %s | - / 3.0 |", thousands(r.ours.View),
			thousands(r.rocketmq.Get), ratio(r.ours.View, r.rocketmq.Get))
	}
	return b.String()
}

func thousands(v float64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f k", v/1000)
}

func ratio(a, b float64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", a/b)
}

func wanted(v float64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", v)
}
