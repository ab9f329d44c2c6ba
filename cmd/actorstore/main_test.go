package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/tests/golden"
)

// asProgram makes the test binary be the program itself: demo starts it as a
// child.
const asProgram = "ACTORSTORE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// outcome is what a run of the program came to.
type outcome struct {
	code     int
	out, err string
}

func (o outcome) lines() []string { return strings.Split(strings.TrimSuffix(o.out, "\n"), "\n") }

// program runs the program in this process.
func program(t *testing.T, args ...string) outcome {
	return programIn(t, strings.NewReader(""), args...)
}

func programIn(t *testing.T, in io.Reader, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), args, in, &out, &errs)
	return outcome{code, out.String(), errs.String()}
}

// succeeds runs the program and wants exit code 0.
func succeeds(t *testing.T, args ...string) outcome {
	t.Helper()
	o := program(t, args...)
	if o.code != exitOK {
		t.Fatalf("%v: exit code %d\n%s", args, o.code, o.err)
	}
	return o
}

// small are the flags of a new store that takes little space.
var small = []string{"--segment-size", "64KiB", "--queue-file-size", "2000", "--index-slots", "97", "--index-entries", "400"}

func with(args []string, more ...string) []string {
	return append(append([]string{}, args...), more...)
}

// smallStore opens a small store in this process.
func smallStore(t *testing.T, dir string) *actorstore.Store {
	t.Helper()
	o := actorstore.DefaultOptions(dir)
	o.MappedFileSizeCommitLog, o.MappedFileSizeConsumeQueue = 64<<10, 2000
	o.MaxHashSlotNum, o.MaxIndexNum = 97, 400
	s, err := actorstore.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// geometry are the flags without which an index that is missing or empty is taken
// for one of RocketMQ's size.
var geometry = []string{"--index-slots", fmt.Sprint(golden.MaxHashSlotNum), "--index-entries", fmt.Sprint(golden.MaxIndexNum)}

// footprint is all that a reading command must leave alone.
func footprint(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(&b, path, info.Mode(), info.ModTime().UnixNano())
		if e.IsDir() {
			return nil
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(&b, "  %d %x\n", len(content), sha256.Sum256(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// damage inverts bytes of a file.
func damage(t *testing.T, path string, offset int64, n int) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, n)
	if _, err := f.ReadAt(b, offset); err != nil {
		t.Fatal(err)
	}
	for i := range b {
		b[i] = ^b[i]
	}
	if _, err := f.WriteAt(b, offset); err != nil {
		t.Fatal(err)
	}
}
