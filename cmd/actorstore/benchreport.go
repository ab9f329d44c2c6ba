package main

import (
	"fmt"
	"time"
)

// figure is one result.
type figure struct {
	name  string
	value float64
	unit  string // for people
}

// benchReport prints the names of the Java bench first, then what only this one
// knows, then what was asked for.
func (a *app) benchReport(b *bench) error {
	l, r := b.load, &b.result
	rate := func(d time.Duration) float64 { return float64(l.Count) / max(d.Seconds(), 1e-9) }
	micros := func(d time.Duration) float64 { return float64(d) / 1e3 }
	h := r.latency
	figures := []figure{
		{"put_per_s", rate(r.built), "messages/s, until all queues hold them"},
		{"ack_per_s", rate(r.answered), "messages/s, until all are answered"},
		{"p50_us", micros(h.Rank(0.50)), "µs from the call to the answer: half of all puts take no longer"},
		{"p99_us", micros(h.Rank(0.99)), "µs: 99 of 100"}, {"p999_us", micros(h.Rank(0.999)), "µs: 999 of 1000"},
		{"max_us", micros(h.Max()), "µs: the slowest"}, {"mean_us", micros(h.Mean()), "µs: the mean"},
		{"get_per_s", rate(r.read), "messages/s, copied and verified"},
		{"get_view_per_s", rate(r.viewed), "messages/s, lent and not verified"},
	}
	allocs := []figure{{"put_allocs", r.putAllocs, "allocations of the process for each put"},
		{"put_alloc_bytes", r.putBytes, "bytes in them"}, {"get_allocs", r.getAllocs, "allocations for each get"}}
	flush := "async"
	if b.sync {
		flush = "sync"
	}
	if !a.json {
		a.printf("%s, window %d, %s bodies, %s, %s, %s flush\n", counted(int64(l.Producers), "producer"), l.Window,
			bytesText(int64(l.Size)), counted(int64(l.Count), "message"), counted(int64(l.Queues), "queue"), flush)
		t := a.table("", ">", "")
		for _, f := range figures {
			if err := t.row(f.name, figureText(f.value), f.unit); err != nil {
				return err
			}
		}
		for _, f := range allocs {
			if err := t.row(f.name, fmt.Sprintf("%.3f", f.value), f.unit); err != nil {
				return err
			}
		}
		if err := t.row("segments", countText(int64(r.segments)), "files of the log"); err != nil {
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
