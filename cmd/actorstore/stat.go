package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
)

func newStat(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "stat DIR [flags]",
		Short: "Show topics, queues, offsets, watermarks and known damage",
		Long: `Show how a store stands, in a moment: its end is looked at, and verify reads
everything.

  store       whether its last stop was clean, or who uses it
  log         the physical offsets at which it begins and ends
  on disk     what of it is known to have been synced; this engine writes that down
  checkpoint  RocketMQ's: messages stored until then are on disk in log, queues, index
  damage      what is seen at the end of the log, or known from openings, reads and
              repairs before

MIN is the first offset of a queue that can be read, MAX the one that the next
message will have.

With --json the first line is the store, then come the queues as export --json
prints them, then a line for each finding as verify --json prints it.`,
		Example: `  actorstore stat data
  actorstore stat data --json | head -1`,
		Args: words("DIR"), ValidArgsFunction: onlyDir,
	}
	a.store.reading(c)
	c.RunE = a.runs(func(c *cobra.Command, args []string) error { return a.stat(c.Context(), args[0]) })
	return c
}

func (a *app) stat(ctx context.Context, dir string) (err error) {
	i, err := a.inspect(ctx, dir, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	s, err := a.survey(dir, i)
	if err != nil {
		return err
	}
	if a.json {
		err = s.json()
	} else {
		err = s.people()
	}
	if n := len(s.findings); err == nil && n > 0 {
		return damaged("actorstore verify DIR", "%s in %s", counted(int64(n), "finding"), dir)
	}
	return err
}
