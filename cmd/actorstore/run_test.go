package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRunLines(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(file, []byte("one\r\ntwo\n\nfour"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := succeeds(t, with(small, "run", dir, file, "--topic", "t", "--queues", "2", "--json")...)
	if !strings.HasPrefix(o.out, `{"stored":4,"skipped":0,"lines":4,"bytes":10,`) {
		t.Errorf("summary: %s", o.out)
	}
	got := succeeds(t, "get", "--json", dir, "t").out
	for _, want := range []string{`"queue":0,"offset":0,`, `"body":"one"`, `"queue":1,"offset":1,`, `"body":"four"`, `"len":0,`} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %s: %s", want, got)
		}
	}
	if o := succeeds(t, "run", dir, file, "--topic", "t"); !strings.HasPrefix(o.out, "stored 4 of 4 lines in ") {
		t.Errorf("for people: %s", o.out)
	}
}

func TestRunJSONLines(t *testing.T) {
	type got struct {
		Topic, Props, Body string
		Queue, Flag        int64
	}
	for _, c := range []struct {
		line string
		want got
	}{
		{`{"body":"hello"}`, got{"d", "", "hello", 0, 0}},
		{`{"topic":"o","queue":3,"tags":"x","keys":["a","b"],"properties":{"p":"q"},"flag":5,"body":"hi"}`,
			got{"o", "KEYS=a b;TAGS=x;p=q;", "hi", 3, 5}},
		{`{"keys":"a b","body":{"x":[1, 2]}}`, got{"d", "KEYS=a b;", `{"x":[1, 2]}`, 0, 0}},
		{`{"bodyBase64":"AAE="}`, got{"d", "", "\x00\x01", 0, 0}},
		{`{"id":17,"x":"<é>"}`, got{"d", "KEYS=17;", `{"id":17,"x":"<é>"}`, 0, 0}},
		{`{"id":"k"}`, got{"d", "KEYS=k;", `{"id":"k"}`, 0, 0}},
		{`{"x":1}`, got{"d", "", `{"x":1}`, 0, 0}},
	} {
		dir := t.TempDir()
		o := programIn(t, strings.NewReader(c.line+"\n"), with(small, "run", dir, "-", "--format", "jsonl", "--topic", "d", "--key-field", "id", "--record-crc=false")...)
		if o.code != exitOK {
			t.Errorf("%s: %s", c.line, o.err)
			continue
		}
		var g got
		if err := json.Unmarshal([]byte(succeeds(t, "get", "--json", dir, c.want.Topic).out), &g); err != nil || g != c.want {
			t.Errorf("%s: got %+v, want %+v (%v)", c.line, g, c.want, err)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	for _, c := range []struct{ in, flags, says string }{
		{"x", "--format jsonl", "line 1: want a JSON object"},
		{`{"body":"a"}`, "--format jsonl", "want a topic"},
		{`{"body":"a","topc":"t"}`, "--format jsonl", `"topc" is no member`},
		{`{"body":"a","queue":"b"}`, "--format jsonl --topic t", "queue: "},
		{`{"body":"a","properties":{"a":1}}`, "--format jsonl --topic t", "properties: "},
		{`{"body":"a","topic":"a/b"}`, "--format jsonl", "line 1: MESSAGE_ILLEGAL"},
		{"x", "", "--topic"},
		{"x", "--topic t --key-field k", "--format jsonl"},
		{"x", "--topic t --format csv", "neither"},
		{"x", "--topic t --queues 0", "at least 1"},
	} {
		o := programIn(t, strings.NewReader(c.in), with(with(small, strings.Fields(c.flags)...), "run", t.TempDir(), "-")...)
		if o.code != exitUsage || !strings.Contains(o.err, c.says) {
			t.Errorf("%s %s: exit code %d: %s", c.in, c.flags, o.code, o.err)
		}
	}
}

func TestRunSkipsBadLines(t *testing.T) {
	dir := t.TempDir()
	in := `{"body":"a"}` + "\nbad\n" + `{"body":"b","topic":"a/b"}` + "\n" + `{"body":"c"}`
	o := programIn(t, strings.NewReader(in), with(small, "run", dir, "-", "--format", "jsonl", "--topic", "t", "--skip-bad", "--json", "--queues", "1")...)
	if o.code != exitOK || !strings.HasPrefix(o.out, `{"stored":2,"skipped":2,"lines":4,`) {
		t.Errorf("exit code %d: %s%s", o.code, o.out, o.err)
	}
}

func TestRunBatches(t *testing.T) {
	dir := t.TempDir()
	const n = 1000
	o := programIn(t, strings.NewReader(strings.Repeat("line\n", n)), with(small, "run", dir, "-", "--topic", "t", "--queues", "3",
		"--batch", "7", "--window", "5", "--acks", "--flush", "sync")...)
	if o.code != exitOK || len(o.lines()) != n+1 {
		t.Fatalf("exit code %d, %d lines: %s", o.code, len(o.lines()), o.err)
	}
	next := map[int]int{}
	for i, l := range o.lines()[:n] {
		var ack struct{ Line, Queue, Offset int }
		if err := json.Unmarshal([]byte(l), &ack); err != nil {
			t.Fatal(err)
		}
		if ack.Line != i+1 || ack.Queue != i/7%3 || ack.Offset != next[ack.Queue] {
			t.Fatalf("ack %d: %s", i, l)
		}
		next[ack.Queue]++
	}
	succeeds(t, with(geometry, "verify", dir)...)
}

// A slow input is acknowledged at once, and an interrupt while nothing comes in
// ends the run with a clean store.
func TestRunInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	in, feed := io.Pipe()
	defer feed.Close()
	out, acks := io.Pipe()
	var errs strings.Builder
	code := make(chan int, 1)
	go func() {
		defer acks.Close()
		code <- run(ctx, with(small, "run", dir, "-", "--topic", "t", "--acks"), in, acks, &errs)
	}()
	if _, err := io.WriteString(feed, "one\n"); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 4096)
	n, err := out.Read(first)
	if err != nil || !strings.HasPrefix(string(first[:n]), `{"line":1,"topic":"t","queue":0,"offset":0,"phy":0}`) {
		t.Fatalf("%v: %s", err, first[:n])
	}
	cancel()
	rest, _ := io.ReadAll(out)
	select {
	case c := <-code:
		if c != exitInterrupted || !strings.HasPrefix(string(rest), `{"stored":1,`) {
			t.Errorf("exit code %d: %s%s", c, rest, errs.String())
		}
	case <-time.After(time.Minute):
		t.Fatal("the run does not end")
	}
	if o := succeeds(t, "stat", dir); !strings.Contains(o.out, "closed cleanly") || strings.Contains(o.out, "not closed") {
		t.Errorf("stat: %s", o.out)
	}
}
