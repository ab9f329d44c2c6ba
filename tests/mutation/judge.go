package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// judge plants bugs and says which ones the tests find.
type judge struct {
	root    string
	limit   time.Duration // of the tests of one bug
	workers int
	healthy map[string]bool // by kill: its tests pass as the code is
}

// verdict is what came of one bug.
type verdict struct {
	bug    *bug
	killed []string // package and test, of those that failed as they must
	why    string   // it counts as not found; "" if it was
	took   time.Duration
	output string
}

// sound runs the tests that the bugs name without any bug. It tells of those that
// do not pass: what fails anyway finds nothing.
func (j *judge) sound(ctx context.Context, list []*bug) (failed []string) {
	groups := make(map[string]*kill) // by package and flags: one build, one run
	for _, b := range list {
		for _, k := range b.kills {
			key := strings.Join(append([]string{k.pkg}, k.flags...), " ")
			g := groups[key]
			if g == nil {
				g = &kill{pkg: k.pkg, flags: k.flags}
				groups[key] = g
			}
			for _, t := range k.tests {
				if !slices.Contains(g.tests, t) {
					g.tests = append(g.tests, t)
				}
			}
		}
	}
	j.healthy = make(map[string]bool)
	var mu sync.Mutex
	j.each(len(groups), func(next <-chan int) {
		keys := sortedKeys(groups)
		for i := range next {
			k := *groups[keys[i]]
			o := goTest(ctx, j.root, "", k, 4*j.limit) // many bugs' tests at once
			mu.Lock()
			for _, t := range k.tests {
				j.healthy[keys[i]+" "+t] = o.tests[t] == "pass"
			}
			if bad := o.not("pass", k); len(bad) > 0 {
				failed = append(failed, fmt.Sprintf("%s: %s without a bug\n%s", k.pkg, strings.Join(bad, ", "), tailOf(o.output)))
			}
			mu.Unlock()
		}
	})
	return failed
}

// all judges every bug and tells each verdict as it comes.
func (j *judge) all(ctx context.Context, list []*bug, tell func(verdict)) error {
	dir, err := os.MkdirTemp("", "mutation")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var mu sync.Mutex
	j.each(len(list), func(next <-chan int) {
		for i := range next {
			v := j.one(ctx, list[i], dir)
			mu.Lock()
			tell(v)
			mu.Unlock()
		}
	})
	return ctx.Err()
}

// one plants a bug and runs its tests.
func (j *judge) one(ctx context.Context, b *bug, dir string) (v verdict) {
	v.bug = b
	began := time.Now()
	defer func() { v.took = time.Since(began) }()
	overlay, err := b.overlay(j.root, dir)
	if err != nil {
		v.why = err.Error()
		return v
	}
	for _, k := range b.kills {
		o := goTest(ctx, j.root, overlay, k, j.limit)
		v.output += o.output
		switch missed := o.not("fail", k); {
		case !o.built:
			v.why = "does not compile, or no such test: " + k.String()
		case len(missed) > 0:
			v.why = fmt.Sprintf("survives %s %s", k.pkg, strings.Join(missed, ", "))
		}
		if v.why != "" {
			return v
		}
		for _, t := range k.tests {
			if !j.healthy[strings.Join(append([]string{k.pkg}, k.flags...), " ")+" "+t] {
				v.why = fmt.Sprintf("%s %s fails without the bug, too", k.pkg, t)
				return v
			}
			v.killed = append(v.killed, strings.TrimPrefix(k.pkg, "./")+" "+t)
		}
	}
	return v
}

// each lets the workers share the numbers below n.
func (j *judge) each(n int, work func(next <-chan int)) {
	next := make(chan int)
	var wg sync.WaitGroup
	for range j.workers {
		wg.Go(func() { work(next) })
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}
