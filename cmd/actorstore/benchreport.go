package main

import (
	"fmt"
	"time"
)

// figure is one result.
type figure struct {
	name  string
	value float64
}

// benchReport prints the names of the Java bench first, then what only this one
// knows, then what was asked for.
func (a *app) benchReport(b *bench) error {
	l, r := b.load, &b.result
	rate := func(d time.Duration) float64 { return float64(l.Count) / max(d.Seconds(), 1e-9) }
	micros := func(d time.Duration) float64 { return float64(d) / 1e3 }
	h := r.latency
	figures := []figure{
		{"put_per_s", rate(r.built)}, {"ack_per_s", rate(r.answered)},
		{"p50_us", micros(h.Rank(0.50))}, {"p99_us", micros(h.Rank(0.99))}, {"p999_us", micros(h.Rank(0.999))},
		{"max_us", micros(h.Max())}, {"mean_us", micros(h.Mean())},
		{"get_per_s", rate(r.read)}, {"get_view_per_s", rate(r.viewed)},
	}
	allocs := []figure{{"put_allocs", r.putAllocs}, {"put_alloc_bytes", r.putBytes}, {"get_allocs", r.getAllocs}}
	flush := "async"
	if b.sync {
		flush = "sync"
	}
	if !a.json {
		a.printf("%d producers, window %d, %s bodies, %s messages, %d queues, %s flush\n",
			l.Producers, l.Window, bytesText(int64(l.Size)), countText(int64(l.Count)), l.Queues, flush)
		t := a.table("", ">")
		for _, f := range figures {
			if err := t.row(f.name, figureText(f.value)); err != nil {
				return err
			}
		}
		for _, f := range allocs {
			if err := t.row(f.name, fmt.Sprintf("%.3f", f.value)); err != nil {
				return err
			}
		}
		if err := t.row("segments", countText(int64(r.segments))); err != nil {
			return err
		}
		return t.print()
	}
	var line jsonLine
	line.line()
	for _, f := range figures {
		line.real(f.name, f.value)
	}
	for _, f := range allocs {
		line.fine(f.name, f.value)
	}
	return a.put(line.number("segments", int64(r.segments)).
		number("producers", int64(l.Producers)).number("window", int64(l.Window)).
		number("size", int64(l.Size)).number("count", int64(l.Count)).
		number("queues", int64(l.Queues)).text("flush", flush).
		number("warmup", int64(l.warmup)).number("readers", int64(l.readers)).
		number("bodies", int64(l.Bodies)).number("seed", l.Seed).flag("keyed", l.Keyed))
}

// figureText is a figure for people: groups of digits, or one decimal.
func figureText(v float64) string {
	if v >= 1000 {
		return countText(int64(v + 0.5))
	}
	return fmt.Sprintf("%.1f", v)
}
