package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/tests/e2e"
	"github.com/actorstore/actorstore/tests/golden"
)

// child is set in the environment of a child process: its store's directory.
const child = "ACTORSTORE_E2E_CHILD"

// TestMain lets the test binary be a program that puts until it is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(child); dir != "" {
		if err := putForEver(dir, os.Getenv(child+"_FLUSH") == "sync", os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func killSettings() golden.Settings {
	s := golden.SettingsOf(golden.PropCRC)
	s.LMQ = true
	return s
}

func killOptions(dir string, sync bool) actorstore.Options {
	o := e2e.Options(dir, killSettings())
	if sync {
		o.FlushDiskType = actorstore.SyncFlush
	}
	return o
}

// putForEver puts and writes a line for each record once its put is answered.
func putForEver(dir string, sync bool, out io.Writer) error {
	o := killOptions(dir, sync)
	s, err := actorstore.Open(context.Background(), o)
	if err != nil {
		return err
	}
	w := e2e.NewWriter(s, o, e2e.KindsOf(killSettings(), 7), nil)
	w.Window = 8
	var failed error
	w.Each = func(puts []e2e.Put) {
		for _, p := range puts {
			b, err := json.Marshal(p)
			if err == nil {
				_, err = fmt.Fprintf(out, "%s\n", b)
			}
			if err != nil {
				failed = err
			}
		}
	}
	for i := 0; failed == nil; i += 100 {
		if _, err := w.Put(context.Background(), i, 100); err != nil {
			return err
		}
	}
	return failed
}

// TestKill kills a process in the middle of its puts, with kill -9. What was
// answered is there after it, under both flush types; behind it may stand only
// what was put and not yet answered.
func TestKill(t *testing.T) {
	for _, sync := range []bool{false, true} {
		for _, answered := range []int{1, 40, 500, 2000} {
			if sync && answered > 500 {
				continue
			}
			t.Run(fmt.Sprintf("sync=%v,%d", sync, answered), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "store")
				puts := killed(t, dir, sync, answered)
				afterKill(t, dir, sync, puts)
			})
		}
	}
}

// killed runs a child until it has answered so many records, kills it and
// gives the records that it answered.
func killed(t *testing.T, dir string, sync bool, answered int) []e2e.Put {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), child+"="+dir)
	if sync {
		cmd.Env = append(cmd.Env, child+"_FLUSH=sync")
	}
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	var puts []e2e.Put
	in := bufio.NewReader(out)
	dead := false
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break // what was being written when it died is not a line
		}
		var p e2e.Put
		must(t, json.Unmarshal(line, &p))
		if puts = append(puts, p); len(puts) >= answered && !dead {
			must(t, cmd.Process.Kill())
			dead = true
		}
	}
	cmd.Wait() // tells that it was killed
	if !dead {
		t.Fatalf("the child ended by itself after %d records: %s", len(puts), complaints.String())
	}
	return puts
}

// afterKill opens what a kill has left.
func afterKill(t *testing.T, dir string, sync bool, puts []e2e.Put) {
	t.Helper()
	o := killOptions(dir, sync)
	model := e2e.NewModel(nil)
	model.Add(puts)
	before := tree(t, dir)
	i, err := actorstore.Inspect(t.Context(), o)
	must(t, err)
	if i.Clean() || i.Locked() {
		t.Errorf("clean %v, locked %v", i.Clean(), i.Locked())
	}
	must(t, i.Close())
	sameTree(t, dir, before)

	s := open(t, o)
	r := readStore(t, s, o, nil)
	holds(t, r, model.Reading())
	state, err := s.State()
	must(t, err)
	if state.Damaged != 0 || state.ReadOnly != nil {
		t.Errorf("damaged %d, read-only %v", state.Damaged, state.ReadOnly)
	}
	// It goes on as if nothing had happened.
	before2, _ := e2e.WithoutCRC(r)
	before2.Queries = allQueries(t, before2)
	model = e2e.NewModel(before2)
	w := e2e.NewWriter(s, o, e2e.KindsOf(killSettings(), 8), before2)
	more, err := w.Put(t.Context(), 1_000_000, 100)
	must(t, err)
	model.Add(more)
	must(t, s.Dispatched(t.Context()))
	want := model.Reading()
	sameBut(t, readStore(t, s, o, want), want, 0, killSettings())
	closeStore(t, s)
	sameBut(t, inspect(t, o, want), want, 0, killSettings())
}

// holds fails the test unless a reading has all messages of another one in
// front; more may follow them.
func holds(t *testing.T, got, want *golden.Reading) {
	t.Helper()
	plain, _ := e2e.WithoutCRC(got)
	queues := make(map[string]golden.Queue)
	for _, q := range plain.Queues {
		queues[q.Topic+"-"+strconv.Itoa(int(q.Queue))] = q
	}
	for _, w := range want.Queues {
		name := w.Topic + "-" + strconv.Itoa(int(w.Queue))
		g := queues[name]
		if g.MinOffset != w.MinOffset || len(g.Messages) < len(w.Messages) {
			t.Fatalf("%s: %d messages from %d, want %d from %d", name, len(g.Messages), g.MinOffset, len(w.Messages), w.MinOffset)
		}
		for i := range w.Messages {
			if g.Messages[i] != w.Messages[i] {
				t.Fatalf("%s\n got %s\nwant %s", name, g.Messages[i].Line(), w.Messages[i].Line())
			}
		}
	}
}

// TestCopyWhileOpen: what stands on disk while a store is open, dispatched and
// flushed, is the same store.
func TestCopyWhileOpen(t *testing.T) {
	for _, name := range []string{"", golden.Clean, golden.Halt, golden.TrimmedRebuilt, golden.PropCRC} {
		for _, sync := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s,sync=%v", name, sync), func(t *testing.T) {
				t.Parallel()
				dir, settings, model := filepath.Join(t.TempDir(), "store"), killSettings(), e2e.NewModel(nil)
				had := 0
				if name != "" {
					dir, settings = golden.Open(t, name), golden.SettingsOf(name)
					var before *golden.Reading
					before, had = e2e.WithoutCRC(golden.Expected(t, name))
					before.Queries = allQueries(t, before)
					model = e2e.NewModel(before)
				}
				o := e2e.Options(dir, settings)
				if sync {
					o.FlushDiskType = actorstore.SyncFlush
				}
				s := open(t, o)
				w := e2e.NewWriter(s, o, e2e.KindsOf(settings, 3), model.Reading())
				w.Window = 16
				puts, err := w.Put(t.Context(), 500_000, 300)
				must(t, err)
				model.Add(puts)
				must(t, s.Dispatched(t.Context()))
				must(t, s.Flush(t.Context()))
				want := model.Reading()
				sameBut(t, readStore(t, s, o, want), want, had, settings)

				o.StorePathRootDir = filepath.Join(t.TempDir(), "copy")
				must(t, e2e.Copy(dir, o.StorePathRootDir))
				sameBut(t, inspect(t, o, want), want, had, settings)
				left := open(t, o)
				sameBut(t, readStore(t, left, o, want), want, had, settings)
				closeStore(t, left)
				sameBut(t, inspect(t, o, want), want, had, settings)
			})
		}
	}
}
