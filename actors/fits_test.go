package actors

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

// storeOf makes a store of that many segments, with two queues, and closes it.
func storeOf(t *testing.T, segments int) *mappedtest.FS {
	t.Helper()
	disk := mappedtest.NewFS()
	s, err := Open(t.Context(), small(disk))
	if err != nil {
		t.Fatal(err)
	}
	body := strings.Repeat("x", 10<<10)
	for i := range 6*(segments-1) + 2 {
		if _, err := s.Put(t.Context(), message("a", int32(i%2), body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	return disk
}

// A store opened with DefaultOptions, though it was made with other sizes, failed
// with an error that did not name FoundOptions; and with another size of queue
// files it was opened, and every file of its queues built anew.
func TestOtherSizesNameFoundOptions(t *testing.T) {
	for name, c := range map[string]struct {
		segments int
		option   string
		change   func(*Options)
	}{
		"larger segments":         {3, "MappedFileSizeCommitLog", func(o *Options) { o.MappedFileSizeCommitLog = 1 << 30 }},
		"smaller segments":        {3, "MappedFileSizeCommitLog", func(o *Options) { o.MappedFileSizeCommitLog = 4096 }},
		"larger, of one segment":  {1, "", func(o *Options) { o.MappedFileSizeCommitLog = 1 << 30 }},
		"smaller, of one segment": {1, "", func(o *Options) { o.MappedFileSizeCommitLog = 4096 }},
		"larger queue files":      {1, "MappedFileSizeConsumeQueue", func(o *Options) { o.MappedFileSizeConsumeQueue = 6_000_000 }},
		"smaller queue files":     {1, "MappedFileSizeConsumeQueue", func(o *Options) { o.MappedFileSizeConsumeQueue = 20 }},
	} {
		t.Run(name, func(t *testing.T) {
			disk := storeOf(t, c.segments)
			o := small(disk)
			c.change(&o)
			_, opened := Open(t.Context(), o)
			_, inspected := Inspect(t.Context(), o)
			for what, err := range map[string]error{"open": opened, "inspect": inspected} {
				var option *OptionError
				var corrupt *record.CorruptionError
				right := errors.As(err, &corrupt)
				if c.option != "" {
					right = errors.As(err, &option) && option.Option == c.option && !errors.As(err, &corrupt)
				}
				if !right || !strings.Contains(fmt.Sprint(err), "FoundOptions") {
					t.Errorf("%s: %v", what, err)
				}
			}
			if c.option != "" {
				var option *OptionError
				if _, err := Repair(t.Context(), o, false, false); !errors.As(err, &option) {
					t.Errorf("repair: %v", err)
				}
			}
			found, err := FoundOptions(disk, root, "")
			if err != nil {
				t.Fatal(err)
			}
			s, err := Open(t.Context(), found)
			if err != nil {
				t.Fatalf("with FoundOptions: %v", err)
			}
			if err := s.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
}

// One segment that was cut, or all of a store whose names say that they were, are
// damage and no wrong option.
func TestCutFilesAreNoWrongOption(t *testing.T) {
	for _, segments := range []int{1, 3} {
		disk := storeOf(t, segments)
		o := small(disk)
		for i := range segments {
			f, err := disk.OpenFile(fmt.Sprintf("%s/commitlog/%020d", root, i*64<<10), 2, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(f.Truncate(30000), f.Close()); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Open(t.Context(), o); !errors.Is(err, record.ErrCorrupt) || !strings.Contains(err.Error(), "actorstore repair") {
			t.Errorf("%d segments: %v", segments, err)
		}
		if rep, err := Repair(t.Context(), o, false, false); err != nil || len(rep.Steps) == 0 {
			t.Errorf("%d segments: %v %v", segments, rep.Steps, err)
		}
	}
}

// The error of a store that does not open had a second line, "store is closed",
// which says nothing but that.
func TestFailedOpenSaysOnlyWhy(t *testing.T) {
	disk := storeOf(t, 1)
	o := small(disk)
	o.MappedFileSizeCommitLog = 1 << 30
	for range 20 { // the second line came when the actor was gone before it was asked
		if _, err := Open(t.Context(), o); err == nil || errors.Is(err, ErrClosed) || strings.Contains(err.Error(), "\n") {
			t.Fatalf("%v", err)
		}
	}
}
