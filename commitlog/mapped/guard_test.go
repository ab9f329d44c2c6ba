package mapped_test

import (
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// cutFile maps four pages of a file and cuts the file to one.
func cutFile(t *testing.T) (mapped.Region, string, int64) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be cut")
	}
	page := int64(os.Getpagesize())
	path := filepath.Join(t.TempDir(), "a")
	f := create(t, mapped.OS(), path, nil)
	must(t, f.Truncate(5*page))
	r, err := f.Map(page, 4*page, true)
	must(t, err)
	must(t, f.Truncate(2*page))
	t.Cleanup(func() { _ = r.Unmap(); _ = f.Close() })
	return r, path, page
}

func TestGuardFault(t *testing.T) {
	r, path, page := cutFile(t)
	b := r.Bytes()
	at := 2*page + 77
	sink := 0
	for name, touch := range map[string]func(){
		"load":  func() { sink += int(b[at]) },
		"store": func() { b[at] = 1 },
		"copy":  func() { sink += copy(make([]byte, 100), b[at:]) },
		"crc":   func() { sink += int(crc32.ChecksumIEEE(b[at : at+1000])) },
	} {
		err := mapped.Guard(touch)
		var fault *mapped.FaultError
		if !errors.As(err, &fault) {
			t.Fatalf("%s: got %v", name, err)
		}
		// The kernel may report the address of any byte of the access.
		if fault.Path != path || fault.Offset/page != (page+at)/page || fault.Addr == 0 {
			t.Errorf("%s: %v, want offset %d", name, fault, page+at)
		}
		if in, ok := fault.In(b); !ok || int64(in)/page != at/page {
			t.Errorf("%s: at byte %d of the mapping, %v", name, in, ok)
		}
		for _, other := range [][]byte{nil, b[:page], b[3*page:], make([]byte, 100)} {
			if in, ok := fault.In(other); ok {
				t.Errorf("%s: at byte %d of what it is not in", name, in)
			}
		}
	}
	if err := mapped.Guard(func() { b[0] = 1; sink += int(b[page-1]) }); err != nil {
		t.Errorf("the page that is left: %v", err)
	}
}

func TestGuardNestsOnEveryGoroutine(t *testing.T) {
	r, _, page := cutFile(t)
	b := r.Bytes()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			var inner error
			outer := mapped.Guard(func() {
				inner = mapped.Guard(func() { b[page] = 1 })
				b[2*page] = 1
			})
			var a, b *mapped.FaultError
			if !errors.As(inner, &a) || !errors.As(outer, &b) || b.Offset-a.Offset != page {
				t.Errorf("inner %v, outer %v", inner, outer)
			}
		})
	}
	wg.Wait()
}

// caught gives the value that fn panics with.
func caught(fn func()) (v any) {
	defer func() { v = recover() }()
	fn()
	return nil
}

func TestGuardPassesOtherPanics(t *testing.T) {
	type custom struct{ n int }
	want := &custom{1}
	if got := caught(func() { _ = mapped.Guard(func() { panic(want) }) }); got != want {
		t.Errorf("got %v", got)
	}
	var nilp *custom
	got := caught(func() { _ = mapped.Guard(func() { nilp.n = 1 }) })
	if _, ok := got.(runtime.Error); !ok {
		t.Errorf("nil dereference became %v", got)
	}
	// A fault in memory that is mapped no longer is a bug, not a lost page.
	page := os.Getpagesize()
	f := create(t, mapped.OS(), filepath.Join(t.TempDir(), "a"), nil)
	defer f.Close()
	must(t, f.Truncate(int64(page)))
	r, err := f.Map(0, int64(page), true)
	must(t, err)
	b := r.Bytes()
	must(t, r.Unmap())
	if got := caught(func() { _ = mapped.Guard(func() { b[0] = 1 }) }); got == nil {
		t.Error("use after Unmap passed as a fault")
	}
}

func TestGuardRestoresTheFlag(t *testing.T) {
	r, _, page := cutFile(t)
	for _, before := range []bool{false, true} {
		for name, fn := range map[string]func(){
			"return": func() {}, "fault": func() { r.Bytes()[page] = 1 }, "panic": func() { panic("x") },
		} {
			debug.SetPanicOnFault(before)
			_ = caught(func() { _ = mapped.Guard(fn) })
			if after := debug.SetPanicOnFault(false); after != before {
				t.Errorf("%s: flag was %v, is %v", name, before, after)
			}
		}
	}
	done := make(chan bool, 1)
	go func() { // Goexit passes through
		defer func() { done <- debug.SetPanicOnFault(false) }()
		_ = mapped.Guard(runtime.Goexit)
	}()
	if <-done {
		t.Error("flag left on by Goexit")
	}
}

func TestGuardDoesNotAllocate(t *testing.T) {
	n := 0
	if a := testing.AllocsPerRun(100, func() {
		if err := mapped.Guard(func() { n++ }); err != nil {
			t.Fatal(err)
		}
	}); a != 0 {
		t.Errorf("%v allocations", a)
	}
}

func BenchmarkGuard(b *testing.B) {
	n := 0
	for b.Loop() {
		_ = mapped.Guard(func() { n++ })
	}
}
