package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func TestBench(t *testing.T) {
	for _, flags := range []string{"", "--producers 3 --window 4 --keyed --flush sync --readers 2 --queues 5 --warmup 0"} {
		dir := filepath.Join(t.TempDir(), "b")
		o := succeeds(t, with(with(small, strings.Fields(flags)...), "bench", dir, "--json", "--count", "500", "--size", "100")...)
		var got map[string]any
		if err := json.Unmarshal([]byte(o.out), &got); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"put_per_s", "ack_per_s", "p50_us", "p99_us", "p999_us", "max_us", "mean_us", "get_per_s", "get_view_per_s", "segments"} {
			if v, ok := got[name].(float64); !ok || v <= 0 {
				t.Errorf("%s: %v", name, got[name])
			}
		}
		for _, name := range []string{"put_allocs", "put_alloc_bytes", "get_allocs", "producers", "window", "size", "count", "queues", "flush", "warmup", "readers", "bodies", "seed", "keyed"} {
			if _, ok := got[name]; !ok {
				t.Errorf("%s is missing", name)
			}
		}
		succeeds(t, with(geometry, "verify", dir)...)
	}
}

func TestBenchForPeople(t *testing.T) {
	o := succeeds(t, with(small, "bench", filepath.Join(t.TempDir(), "b"), "--count", "100", "--warmup", "0")...)
	if l := o.lines(); !strings.HasPrefix(l[0], "1 producer, window 1, 1 KiB bodies, 100 messages, 8 queues") || !strings.HasPrefix(l[1], "put_per_s ") {
		t.Errorf("got %s", o.out)
	}
}
