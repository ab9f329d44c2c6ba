package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/actorstore/actorstore"
)

func TestTail(t *testing.T) {
	dir := t.TempDir()
	putMany(t, smallStore(t, dir), 20)
	o := succeeds(t, "tail", dir, "t", "-n", "3")
	if l := o.lines(); len(l) != 3 || !strings.Contains(l[0], "t/0 @ 17  [odd]  17") || !strings.HasSuffix(l[2], "  19") {
		t.Errorf("got %q", o.out)
	}
	if o := program(t, "tail", dir, "nothing"); o.code != exitNotFound {
		t.Errorf("exit code %d", o.code)
	}
}

// Following sees what another holder of the store puts, in a topic that was not
// there at first.
func TestTailFollows(t *testing.T) {
	dir := t.TempDir()
	s := smallStore(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read, write := io.Pipe()
	var errs strings.Builder
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"tail", "-f", "--json", "--body", "text", dir, "late"}, strings.NewReader(""), write, &errs)
		write.Close()
	}()
	lines := bufio.NewScanner(read)
	for _, body := range []string{"one", "two", "three"} {
		if _, err := s.Put(ctx, &actorstore.Message{Topic: "late", Body: []byte(body)}); err != nil {
			t.Fatal(err)
		}
		if !lines.Scan() || !strings.Contains(lines.Text(), `"body":"`+body+`"`) {
			t.Fatalf("got %s, want %s: exit code %d: %s", lines.Text(), body, <-code, errs.String())
		}
	}
	cancel()
	if lines.Scan() {
		t.Errorf("one more line: %s", lines.Text())
	}
	if c := <-code; c != exitOK {
		t.Errorf("exit code %d", c)
	}
}
