package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/actorstore/actorstore"
)

func newExport(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "export DIR [flags]",
		Short: "Print everything that can be read, for comparing stores",
		Long: `Print everything that can be read from the queues of a store. With --json the
lines are the same whichever engine wrote the store, so two stores are compared
with diff:

  {"min":0,"max":1000}                                the log's range
  {"topic":"t","queue":0,"minOffset":0,"maxOffset":2} a queue, then its messages
  {"topic":"t","queue":0,"offset":0,"phy":0,"size":137,"flag":0,"sysFlag":0,
   "born":1,"stored":1,"bornHost":"/127.0.0.1:5555","storeHost":"...","recon":0,
   "prep":0,"crc":1,"len":3,"md5":"...","props":"KEYS=a;TAGS=b;"}

Prepared and rolled-back halves of transactions are in no queue, so they are not
shown; dump shows them.`,
		Example: `  actorstore export data
  diff <(actorstore export --json one) <(actorstore export --json two)`,
		Args: words("DIR"), ValidArgsFunction: onlyDir,
	}
	a.store.reading(c)
	c.RunE = a.runs(func(c *cobra.Command, args []string) error { return a.export(c.Context(), args[0]) })
	return c
}

func (a *app) export(ctx context.Context, dir string) (err error) {
	i, err := a.inspect(ctx, dir, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	e := &exporter{a: a, i: i}
	if err := e.bounds(); err != nil {
		return err
	}
	for _, t := range i.Topics() {
		for _, q := range t.Queues {
			if err := e.queue(ctx, t.Topic, q); err != nil {
				return err
			}
		}
	}
	return damageFound(e.damaged)
}

// exporter prints a store.
type exporter struct {
	a       *app
	i       *actorstore.Inspection
	line    jsonLine
	damaged int
}

func (e *exporter) bounds() error {
	least, end := e.i.Bounds()
	if e.a.json {
		return e.a.put(e.line.line().number("min", least).number("max", end))
	}
	e.a.printf("log from %d to %d\n", least, end)
	return nil
}

// queue prints a queue and its messages.
func (e *exporter) queue(ctx context.Context, topic string, q actorstore.QueueInfo) error {
	w := &queueWalk{a: e.a, i: e.i, limit: -1, end: q.Max,
		req: actorstore.GetRequest{Topic: topic, QueueID: q.ID, Offset: q.Min}}
	w.failed(q.Err)
	var show *shower
	visit := func(m *actorstore.MessageExt) error {
		props, err := properties(ctx, e.i, m)
		if err != nil {
			return err
		}
		return e.a.put(e.line.line().message(m, props))
	}
	if e.a.json {
		if err := e.a.put(queueLine(&e.line, topic, q)); err != nil {
			return err
		}
	} else {
		e.a.printf("\n%s\n", e.a.paint(bold, fmt.Sprintf("%s/%d  offsets %d to %d", harmless(topic, false), q.ID, q.Min, q.Max)))
		show = e.a.shower(e.i, bodyAuto)
		visit = func(m *actorstore.MessageExt) error { return show.show(ctx, m) }
	}
	_, err := w.each(ctx, visit)
	e.damaged += w.damaged
	if show != nil {
		err = errors.Join(err, show.end())
	}
	return err
}

// queueLine is the golden files' line of a queue, without its end.
func queueLine(l *jsonLine, topic string, q actorstore.QueueInfo) *jsonLine {
	return l.line().text("topic", topic).number("queue", int64(q.ID)).
		number("minOffset", q.Min).number("maxOffset", q.Max)
}
