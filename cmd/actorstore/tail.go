package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/actorstore/actorstore"
)

// Following looks at the store again and again. A look costs reading the log
// behind the durable mark, so the pause grows with what a look took: following
// never takes more than a tenth of a processor.
const (
	tailPause  = 200 * time.Millisecond
	tailShare  = 10
	tailErrors = 10 // looks in a row that may fail while a writer changes files
)

// tailer follows queues of a topic.
type tailer struct {
	a      *app
	dir    string
	topic  string
	queue  string
	count  int64
	tags   string
	follow bool
	body   bodyForm

	next map[int32]int64 // where each queue goes on
}

func newTail(a *app) *cobra.Command {
	t := &tailer{a: a}
	c := &cobra.Command{
		Use:   "tail DIR TOPIC [QUEUE] [flags]",
		Short: "Print the last messages of a topic, and with -f those that come",
		Long: `Print the last messages of a queue, or of each queue of a topic. With -f go on
printing what is put until interrupted, also by another process that has the
store open, be it this engine or RocketMQ: tail looks at the store every 200 ms,
less often where a look takes long. A message is seen once it is in its queue.

With -f the topic need not exist yet.`,
		Example: `  actorstore tail data orders
  actorstore tail -f data orders 0 -n 0
  actorstore tail -f data orders --json --tags paid`,
		Args: words("DIR", "TOPIC", "[QUEUE]"), ValidArgsFunction: a.storeWords,
	}
	c.Flags().BoolVarP(&t.follow, "follow", "f", false, "go on with what is put")
	numberVar(c, &t.count, "count", "n", 10, all, "begin with so many messages of each queue; -1 for all")
	c.Flags().StringVar(&t.tags, "tags", "", `only messages with this tag, or one of "a || b"`)
	t.body.flag(c)
	a.store.reading(c)
	c.RunE = a.runs(func(c *cobra.Command, args []string) error {
		t.dir, t.topic = args[0], args[1]
		if len(args) > 2 {
			t.queue = args[2]
		}
		return t.run(c.Context())
	})
	return c
}

func (t *tailer) run(ctx context.Context) error {
	if err := t.body.check(); err != nil {
		return err
	}
	if t.queue != "" {
		if _, err := queueNumber(t.queue); err != nil {
			return err
		}
	}
	i, err := t.a.inspect(ctx, t.dir, false)
	if err != nil {
		return err
	}
	damaged, err := t.step(ctx, i)
	if err != nil {
		return err
	}
	if !t.follow {
		return damageFound(damaged)
	}
	for failed := 0; ; {
		began := time.Now()
		if i, err = t.a.look(ctx, t.dir, false); err == nil {
			_, err = t.step(ctx, i)
		}
		if failed++; err == nil {
			failed = 0
		}
		if ctx.Err() != nil {
			return nil // an interrupt is how following ends
		}
		if failed > tailErrors {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(max(tailPause, tailShare*time.Since(began))):
		}
	}
}

// step prints what is new and lets the store go.
func (t *tailer) step(ctx context.Context, i *actorstore.Inspection) (damaged int, err error) {
	defer func() { err = errors.Join(err, i.Close(), t.a.out.Flush()) }()
	list, err := queues(i, t.topic, t.queue)
	first := t.next == nil
	if first {
		t.next = map[int32]int64{}
	}
	var none *failure
	if t.follow && errors.As(err, &none) && none.kind == kindNotFound {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for _, q := range list {
		n, err := t.queueStep(ctx, i, q, first)
		damaged += n
		if err != nil {
			return damaged, err
		}
	}
	return damaged, nil
}

func (t *tailer) queueStep(ctx context.Context, i *actorstore.Inspection, q actorstore.QueueInfo, first bool) (int, error) {
	from, known := t.next[q.ID]
	switch {
	case known && from > q.Max: // the queue was made anew
		from = q.Min
	case !known && first:
		if from = q.Max - t.count; t.count == all {
			from = q.Min
		}
	}
	w := &queueWalk{a: t.a, i: i, limit: -1, end: q.Max, req: actorstore.GetRequest{
		Topic: t.topic, QueueID: q.ID, Offset: max(from, q.Min), Tags: t.tags}}
	next, err := w.each(ctx, func(m *actorstore.MessageExt) error { return t.show(ctx, i, m) })
	t.next[q.ID] = next
	return w.damaged, err
}

// show prints one message on one line: columns cannot be aligned with what is
// yet to come.
func (t *tailer) show(ctx context.Context, i *actorstore.Inspection, m *actorstore.MessageExt) error {
	a := t.a
	if a.json || (t.body != bodyAuto && t.body != bodyNone) {
		s := shower{a: a, i: i, form: t.body}
		return s.show(ctx, m)
	}
	head := fmt.Sprintf("%s  %s/%d @ %d", timeText(m.StoreTimestamp), harmless(m.Topic, false), m.QueueID, m.QueueOffset)
	if tags := m.Tags(); tags != "" {
		head += "  [" + harmless(tags, false) + "]"
	}
	if keys := m.Keys(); len(keys) > 0 {
		head += "  " + harmless(strings.Join(keys, " "), false)
	}
	body := ""
	if t.body == bodyAuto {
		body = preview(m.Body, max(a.width()-len([]rune(head))-2, bodyColumn))
	}
	a.printf("%s  %s\n", a.paint(dim, head), body)
	return nil
}
