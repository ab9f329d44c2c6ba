package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/actorstore/actorstore/tests/interop"
)

// figures are what one run of one side prints.
type figures struct {
	Put  float64 `json:"put_per_s"`
	Ack  float64 `json:"ack_per_s"`
	P50  float64 `json:"p50_us"`
	P999 float64 `json:"p999_us"`
	Get  float64 `json:"get_per_s"`
	View float64 `json:"get_view_per_s"`
}

// sides are the three stores, each run as a process of its own.
type sides struct {
	actorstore, mutex string // binaries
	engine            *interop.Engine
	made              int
}

// newSides builds what is run.
func newSides(o options) (*sides, error) {
	s := &sides{actorstore: filepath.Join(o.dir, "actorstore"), mutex: filepath.Join(o.dir, "mutexlog")}
	for binary, pkg := range map[string]string{s.actorstore: "./cmd/actorstore", s.mutex: "./tests/bench/mutexbench"} {
		build := exec.Command("go", "build", "-o", binary, pkg)
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return nil, fmt.Errorf("build %s: %w", pkg, err)
		}
	}
	if !o.engine {
		return s, nil
	}
	var err error
	s.engine, err = interop.NewEngine()
	return s, err
}

// result is a cell's figures by side, each the median of the runs.
type result struct {
	ours, mutex, rocketmq figures
}

// measure runs the sides in turn.
func (s *sides) measure(ctx context.Context, o options, c cell) (result, error) {
	var ours, mutex, rocketmq []figures
	c.count = int(float64(c.count) * o.scale)
	for range o.runs {
		for _, side := range []struct {
			into *[]figures
			run  func(context.Context, string, cell) (figures, error)
		}{{&ours, s.runOurs}, {&mutex, s.runMutex}, {&rocketmq, s.runRocketMQ}} {
			if side.into == &rocketmq && s.engine == nil {
				continue
			}
			time.Sleep(o.pause)
			s.made++
			dir := filepath.Join(o.dir, strconv.Itoa(s.made))
			f, err := side.run(ctx, dir, c)
			if err != nil {
				return result{}, err
			}
			*side.into = append(*side.into, f)
			if err := os.RemoveAll(dir); err != nil {
				return result{}, err
			}
		}
	}
	return result{median(ours), median(mutex), median(rocketmq)}, nil
}

func (s *sides) runOurs(ctx context.Context, dir string, c cell) (figures, error) {
	return s.process(ctx, c, s.actorstore, "bench", dir, "--json")
}

func (s *sides) runMutex(ctx context.Context, dir string, c cell) (figures, error) {
	return s.process(ctx, c, s.mutex, "--dir", dir)
}

func (s *sides) process(ctx context.Context, c cell, name string, args ...string) (f figures, err error) {
	args = append(args, "--producers", strconv.Itoa(c.producers), "--window", strconv.Itoa(c.window),
		"--count", strconv.Itoa(c.count), "--flush", c.flush())
	cmd := exec.CommandContext(ctx, name, args...)
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		return f, fmt.Errorf("%s: %w: %s", name, err, errors.String())
	}
	return f, json.Unmarshal(out, &f)
}

func (s *sides) runRocketMQ(ctx context.Context, dir string, c cell) (figures, error) {
	r, err := s.engine.Bench(ctx, dir, interop.Settings{SyncFlush: c.sync}, // its defaults otherwise
		interop.Load{Producers: c.producers, Window: c.window, Count: c.count})
	return figures{Put: r.PutPerS, Ack: r.AckPerS, P50: r.P50, P999: r.P999, Get: r.GetPerS}, err
}
