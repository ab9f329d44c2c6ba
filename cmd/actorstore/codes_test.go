package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/tests/golden"
)

// putMany puts messages "0", "1", ... to queue 0 of topic t.
func putMany(t *testing.T, s *actorstore.Store, n int) {
	t.Helper()
	for i := range n {
		m := actorstore.Message{Topic: "t", Body: []byte(strconv.Itoa(i))}
		m.SetTags([]string{"even", "odd"}[i%2])
		if _, err := s.Put(t.Context(), &m); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Dispatched(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestExitCodes(t *testing.T) {
	clean := golden.Open(t, golden.Clean)
	damaged := golden.Open(t, golden.Clean)
	damage(t, filepath.Join(damaged, "commitlog", "00000000000000065536"), 3000, 3)
	foreign := golden.Open(t, golden.V2)
	if err := os.WriteFile(filepath.Join(foreign, "consumequeue", "CURRENT"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	used := t.TempDir()
	putMany(t, smallStore(t, used), 3)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  string
		code  int
		says  string // on standard error
		first string // on standard output
	}{
		{"", exitOK, "", "actorstore is"},
		{"--recover=false -n 1 --body hex get " + clean + " --json orders 0", exitOK, "", `{"topic":"orders"`},
		{"help put", exitOK, "", "Store one message"},
		{"completion bash", exitOK, "", "#"},
		{"help frob", exitUsage, `no command "frob"`, ""},
		{"help put get", exitUsage, `no command "get"`, ""},
		{"frob", exitUsage, "try: actorstore help", ""},
		{"--json frob", exitUsage, `no command \"frob\"`, ""},
		{"quer", exitUsage, "try: actorstore query", ""},
		{"version now", exitUsage, "one argument too many", ""},
		{"get", exitUsage, "DIR is missing", ""},
		{"get --frob " + clean, exitUsage, "try: actorstore get --help", ""},
		{"get " + clean + " orders 0 1", exitUsage, "one argument too many", ""},
		{"get " + clean + " orders x", exitUsage, `"x" is no queue`, ""},
		{"get " + clean + " orders --body x", exitUsage, "--body", ""},
		{"get " + clean + " orders --time soon", exitUsage, "is no time", ""},
		{"get " + clean + " orders --tags ||", exitUsage, "--tags", ""},
		{"get " + clean + " orders -q", exitUsage, "get has no flag -q", ""},
		{"get " + clean + " orders -n", exitUsage, "-n, --count lacks its value", ""},
		{"get " + clean + " orders -n -2", exitUsage, `-n, --count "-2": want at least 0, or -1 for all`, ""},
		{"get " + clean + " orders --count ten", exitUsage, "want a whole number", ""},
		{"get " + clean + " orders --offset -1", exitUsage, "want at least 0", ""},
		{"get " + clean + " orders --offset 1 --time 5", exitUsage, "--offset and --time", ""},
		{"get " + clean + " orders --recover=perhaps", exitUsage, "want true or false", ""},
		{"tail " + clean + " orders -n -2", exitUsage, "or -1 for all", ""},
		{"query " + clean + " orders k -n 0", exitUsage, "want at least 1", ""},
		{"dump " + clean + " --from -5", exitUsage, `--from "-5"`, ""},
		{"dump " + clean + " --to 99999999999999999999", exitUsage, "not as large", ""},
		{"put " + clean + " orders x --queue -1", exitUsage, `--queue "-1"`, ""},
		{"put " + clean + " orders x --index-slots 0", exitUsage, `--index-slots "0"`, ""},
		{"put new orders x --segment-size 0", exitUsage, `--segment-size "0"`, ""},
		{"put new orders x --segment-size 5", exitUsage, "--segment-size: want at least 4096, got 5", ""},
		{"run new - --topic t --window -3", exitUsage, `--window "-3"`, ""},
		{"put " + clean + " orders x --delay 3h", exitUsage, "no delay level", ""},
		{"put " + clean + " orders x --property novalue", exitUsage, "name=value", ""},
		{"put " + clean + " orders x --flush perhaps", exitUsage, "--flush async", ""},
		{"put " + clean + " a/b x", exitUsage, "nothing of it was written", ""},
		{"put " + clean + " orders x --segment-size 1x", exitUsage, "64KiB", ""},
		{"bench " + clean, exitUsage, "is not empty", ""},
		{"bench new --window 0", exitUsage, "at least 1", ""},
		{"demo " + clean, exitUsage, "is not empty", ""},
		{"demo --input " + file, exitUsage, "at least", ""},
		{"get nowhere orders", exitNotFound, "actorstore put nowhere TOPIC BODY", ""},
		{"get --commitlog nowhere " + clean + " orders", exitNotFound, "--commitlog: no directory nowhere", ""},
		{"stat " + file, exitNotFound, "is a file", ""},
		{"stat " + filepath.Dir(file), exitNotFound, "no commitlog directory", ""},
		{"get " + clean + " nowhere", exitNotFound, "stat " + clean + " lists the topics", ""},
		{"get " + clean + " orders 9", exitNotFound, "has no queue 9", ""},
		{"get " + clean + " orders 0 --offset 999", exitNotFound, "holds offsets 0 to 159", ""},
		{"query " + clean + " orders nokey", exitNotFound, "nokey", ""},
		{"query " + clean + " orders nokey --json", exitOK, "", `{"query":"orders/nokey","offsets":""}`},
		{"dump " + clean + " --from 99999999", exitNotFound, "the log holds offsets", ""},
		{"run " + clean + " nofile --topic t", exitNotFound, "nofile", ""},
		{"verify " + damaged, exitFailed, "1 finding", "PART"},
		{"dump " + damaged, exitFailed, "1 damaged place", ""},
		{"export " + damaged, exitFailed, "try: actorstore verify " + damaged, "log from 0"},
		{"stat " + foreign, exitUnsupported, "RocksDB", ""},
		{"put " + used + " t x", exitBusy, "in use", ""},
		{"stat --recover " + used, exitBusy, "in use", ""},
		{"verify " + used, exitBusy, "--in-use", ""},
		{"verify --in-use " + used, exitOK, "in use", "no damage"},
		{"get " + used + " t", exitOK, "in use by another process", "TOPIC"},
	} {
		o := program(t, strings.Fields(c.args)...)
		if o.code != c.code || !strings.Contains(o.err, c.says) || !strings.HasPrefix(o.out, c.first) {
			t.Errorf("%s: exit code %d, want %d; %q; standard error %q", c.args, o.code, c.code, o.out[:min(len(o.out), 100)], o.err)
		}
	}
}

func TestUncleanIsSaid(t *testing.T) {
	dir := golden.Open(t, golden.Halt)
	if o := succeeds(t, "stat", dir); !strings.Contains(o.err, "--recover") || !strings.Contains(o.out, "not closed cleanly") {
		t.Errorf("stat: %s%s", o.out, o.err)
	}
	if o := succeeds(t, with(geometry, "stat", "--recover", dir)...); !strings.Contains(o.err, "recovered in") || !strings.Contains(o.out, ", closed cleanly") {
		t.Errorf("stat --recover: %s%s", o.out, o.err)
	}
	if o := succeeds(t, "stat", dir); o.err != "" {
		t.Errorf("after recovery: %s", o.err)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs strings.Builder
	if code := run(ctx, []string{"export", golden.Open(t, golden.V2)}, strings.NewReader(""), &out, &errs); code != exitInterrupted {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}
