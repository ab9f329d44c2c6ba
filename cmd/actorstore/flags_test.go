package main

import (
	"encoding/json"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/pflag"
)

// Every number that a command takes has bounds: one that was made with IntVar
// would take -5 and do something else than what was meant.
func TestEveryNumberHasBounds(t *testing.T) {
	for _, c := range newRoot(&app{}).Commands() {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			switch f.Value.(type) {
			case *wholeNumber[int], *wholeNumber[int32], *wholeNumber[int64]:
			default:
				if strings.Contains(f.Value.Type(), "int") {
					t.Errorf("%s --%s has no bounds", c.Name(), f.Name)
				}
			}
		})
	}
}

func TestVersion(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--version"}} {
		if o := succeeds(t, args...); !strings.HasPrefix(o.out, "actorstore ") || !strings.Contains(o.out, ", go1.") || len(o.lines()) != 1 {
			t.Errorf("%v: %q", args, o.out)
		}
	}
	var got struct{ Version, Go, Platform string }
	if err := json.Unmarshal([]byte(succeeds(t, "version", "--json").out), &got); err != nil || got.Go == "" || got.Platform == "" {
		t.Errorf("%+v %v", got, err)
	}
	b := buildOf(&debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"}}}, true)
	if want := "actorstore v1.2.3, commit 0123456789ab of 2026-01-02T03:04:05Z, with changes, go"; !strings.HasPrefix(b.String(), want) {
		t.Errorf("%s", b)
	}
	if b := buildOf(nil, false); !strings.HasPrefix(b.String(), "actorstore unknown, go") {
		t.Errorf("%s", b)
	}
}

// What was done before the first drawing was counted as done in no time: gigabytes
// a second.
func TestRateCountsOnlyWhatWasMeasured(t *testing.T) {
	for _, c := range []struct {
		m    meter
		done int64
		took time.Duration
		want string
	}{
		{meter{what: "scan", bytes: true, total: 1 << 30, from: 1 << 28}, 1 << 28, time.Microsecond, "scan 256 MiB of 1 GiB"},
		{meter{what: "scan", bytes: true, total: 1 << 30, from: 1 << 28}, 1 << 29, 2 * time.Second, "scan 512 MiB of 1 GiB, 128 MiB/s"},
		{meter{what: "put", bytes: true, total: -1}, 3 << 20, 2 * time.Second, "put 3 MiB, 1.5 MiB/s"},
		{meter{what: "queues", total: 4000}, 3000, time.Second, "queues 3,000 of 4,000, 3,000/s"},
	} {
		if got := c.m.text(c.done, c.took); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A hint can be copied: it names the store, and its log, as a shell takes them.
func TestHintNamesTheStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my store's")
	log := filepath.Join(t.TempDir(), "log")
	succeeds(t, with(small, "put", dir, "t", "x", "--commitlog", log)...)
	o := program(t, "get", dir, "none", "--commitlog", log)
	want := "try: actorstore stat '" + strings.ReplaceAll(dir, "'", `'\''`) + "' --commitlog " + log + " lists the topics"
	if o.code != exitNotFound || !strings.Contains(o.err, want) {
		t.Errorf("want %s, got %s", want, o.err)
	}
}

// A file named .jsonl was stored as plain lines unless --format was given.
func TestJSONLinesByName(t *testing.T) {
	for name, want := range map[string]inputFormat{
		"a.jsonl": formatJSONL, "b/A.JSONL": formatJSONL, "x.ndjson": formatJSONL,
		"-": formatLines, "a.json": formatLines, "jsonl": formatLines, "a.log": formatLines,
	} {
		if got := formatOf(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A bar flickered for what was over at once: nothing is drawn in the first moments,
// and nothing taken away that was not drawn.
func TestNoBarForWhatIsShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the first moments last as long as we say
		var drawn strings.Builder
		a := &app{err: &drawn, errTerminal: true}
		m := a.meter("scan", 0, 100, true)
		m.at(50)
		m.finish()
		if drawn.Len() > 0 {
			t.Errorf("%q", drawn.String())
		}
		m = a.meter("scan", 0, 100, true)
		time.Sleep(barDelay)
		m.at(50)
		m.finish()
		if !strings.Contains(drawn.String(), "scan 50 B of 100 B") {
			t.Errorf("%q", drawn.String())
		}
	})
}
