package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	name := flag.String("run", "", "only the bugs whose names match")
	limit := flag.Duration("limit", time.Minute, "how long the tests of a bug may run")
	workers := flag.Int("j", max(runtime.NumCPU(), 1), "bugs at once")
	verbose := flag.Bool("v", false, "show what the tests said")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := run(ctx, *name, *limit, *workers, *verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// run judges the bugs whose names match; false if the tests miss any.
func run(ctx context.Context, name string, limit time.Duration, workers int, verbose bool) (bool, error) {
	began := time.Now()
	wanted, err := regexp.Compile(name)
	if err != nil {
		return false, err
	}
	root, err := moduleRoot()
	if err != nil {
		return false, err
	}
	list, err := bugs(filepath.Join(root, "tests", "mutation", "bugs"))
	if err != nil {
		return false, err
	}
	list = slices.DeleteFunc(list, func(b *bug) bool { return !wanted.MatchString(b.name) })
	j := &judge{root: root, limit: limit, workers: workers}
	for _, failed := range j.sound(ctx, list) {
		fmt.Println("FAILS", failed)
	}
	fmt.Printf("%d bugs; the tests that must find them have run without any bug in %.0fs\n\n", len(list), time.Since(began).Seconds())
	var survivors []string
	var longest time.Duration
	err = j.all(ctx, list, func(v verdict) {
		fmt.Println(v)
		longest = max(longest, v.took)
		if v.why != "" {
			survivors = append(survivors, fmt.Sprintf("%s: %s\n    %s", v.bug.name, v.why, v.bug.what))
		}
		if verbose || v.why != "" {
			fmt.Println(tailOf(v.output))
		}
	})
	fmt.Printf("\n%d of %d bugs found in %.0fs, the slowest in %.0fs\n", len(list)-len(survivors), len(list),
		time.Since(began).Seconds(), longest.Seconds())
	for _, s := range survivors {
		fmt.Println("NOT FOUND", s)
	}
	return len(survivors) == 0, err
}

// String is the bug's line in the table.
func (v verdict) String() string {
	by := strings.Join(v.killed, ", ")
	if v.why != "" {
		by = "NOT FOUND: " + v.why
	}
	return fmt.Sprintf("%-36s %5.1fs  %s", v.bug.name, v.took.Seconds(), by)
}

// tailOf is the end of a long output.
func tailOf(s string) string {
	const most = 4000
	if len(s) > most {
		s = "...\n" + s[len(s)-most:]
	}
	return s
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
