package storetest_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/storetest"
)

var (
	determined = flag.Int("determined", 20, "random scripts that are repeated in virtual time")
	repeats    = flag.Int("repeats", 4, "runs of each")
)

// A script went another way on the next run under virtual time: three scripts of
// thirty with one caller, and a call of the disk was another one.
func TestDeterminism(t *testing.T) {
	for i := range times(*determined) {
		script := storetest.Random(*seed+uint64(i), 6)
		for _, callers := range []int{1, 3} {
			repeat(t, script, callers)
		}
	}
	for at := 1; at < 200; at += 20 {
		repeat(t, storetest.Script{storetest.FailCall(mappedtest.OpAny, at, syscall.EIO)}, 1)
	}
	repeat(t, storetest.Script{storetest.Kill("append").After(50 * ms), storetest.Kill("index").After(50 * ms), storetest.PauseClock().After(50 * ms).For(50 * ms)}, 2)
}

func repeat(t *testing.T, script storetest.Script, callers int) {
	t.Helper()
	flush := asyncFlush
	if len(script.String())%2 == 0 {
		flush = syncFlush
	}
	first := ""
	for run := range *repeats {
		var got string
		storetest.Virtual(t, func(t *testing.T) { got = traced(t, script, callers, flush) })
		if run == 0 {
			first = got
		}
		if was, is, differ := firstDifference(first, got); differ {
			t.Errorf("%d callers, run %d goes another way: %s\nwas: %s\nis:  %s", callers, run+1, script, was, is)
			return
		}
	}
}

// traced is all that happens in a run: what callers are answered, what strikes, what
// the store tells, and each call of the disk.
func traced(t *testing.T, script storetest.Script, callers int, flush func(*actorstore.Options)) string {
	var b strings.Builder
	s := storetest.Open(t, options(flush, func(o *actorstore.Options) { o.FlushIntervalCommitLog = 5 * ms }), script)
	answers := make([]strings.Builder, callers)
	var wait sync.WaitGroup
	for c := range callers {
		wait.Go(func() {
			for i := range 40 {
				r, err := s.Put(context.Background(), message("a", int32(c), fmt.Sprint(i)))
				fmt.Fprintln(&answers[c], c, i, r.PhysicalOffset, r.QueueOffset, r.StoreTimestamp, err)
				time.Sleep(3 * ms)
			}
		})
	}
	wait.Wait()
	time.Sleep(time.Second)
	state, err := s.State()
	for i := range answers {
		b.WriteString(answers[i].String())
	}
	fmt.Fprintln(&b, strings.Join(s.Struck(), "\n"))
	fmt.Fprintln(&b, strings.Join(s.Events(), "\n"))
	fmt.Fprintf(&b, "%+v %v\n", state, err)
	b.WriteString(s.Disk().TraceString())
	storetest.Check(t, s)
	return b.String()
}

func firstDifference(a, b string) (was, is string, differ bool) {
	if a == b {
		return "", "", false
	}
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i], y[i], true
		}
	}
	return fmt.Sprint(len(x), " lines"), fmt.Sprint(len(y), " lines"), true
}
