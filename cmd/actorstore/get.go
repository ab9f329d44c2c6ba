package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/actorstore/actorstore"
)

// getFlags choose messages of queues.
type getFlags struct {
	offset int64
	count  int64
	tags   string
	time   string
	body   bodyForm
}

func newGet(a *app) *cobra.Command {
	f := &getFlags{}
	c := &cobra.Command{
		Use:   "get DIR TOPIC [QUEUE] [flags]",
		Short: "Print messages of a queue, in order",
		Long: `Print messages of a queue, or of all queues of a topic one after the other, in
order. Each message was checked; damaged ones are named on standard error, left
out, and make the exit code 1. PHY is the physical offset of the record, SIZE the
bytes that it takes in the log.

With --json a line has the fields of export --json, then "id", the offset message
id, "uniqKey" if a client has given the message an id of its own (UNIQ_KEY), and,
unless --body none, "body" and "encoding" (text, hex or base64).`,
		Example: `  actorstore get data orders                         the first ten of each queue
  actorstore get data orders 0 --offset 100 --count 5 --body text
  actorstore get data orders --time 10m              stored in the last ten minutes
  actorstore get data orders --tags "paid || sent" --count -1 --json`,
		Args: words("DIR", "TOPIC", "[QUEUE]"), ValidArgsFunction: a.storeWords,
	}
	numberVar(c, &f.offset, "offset", "", -1, 0, "queue offset of the first message (default: the first there is)")
	unset(c, "offset")
	numberVar(c, &f.count, "count", "n", 10, all, "at most so many messages of each queue; -1 for all")
	c.Flags().StringVar(&f.tags, "tags", "", `only messages with this tag, or one of "a || b"`)
	c.Flags().StringVar(&f.time, "time", "", "begin at the first message stored then: "+timeForms)
	f.body.flag(c)
	a.store.reading(c)
	c.RunE = a.runs(func(c *cobra.Command, args []string) error { return a.get(c.Context(), f, args) })
	return c
}

func (a *app) get(ctx context.Context, f *getFlags, args []string) (err error) {
	if err := f.body.check(); err != nil {
		return err
	}
	if f.offset >= 0 && f.time != "" {
		return usage("one of them", "--offset and --time both say where to begin")
	}
	i, err := a.inspect(ctx, args[0], false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	queue := ""
	if len(args) > 2 {
		queue = args[2]
	}
	list, err := queues(i, args[1], queue)
	if err != nil {
		return err
	}
	s := a.shower(i, f.body)
	damaged := 0
	for _, q := range list {
		w, err := f.walk(a, i, args[1], q)
		if err != nil {
			return err
		}
		if _, err := w.each(ctx, func(m *actorstore.MessageExt) error { return s.show(ctx, m) }); err != nil {
			return errors.Join(s.end(), err)
		}
		damaged += w.damaged
	}
	if err := s.end(); err != nil {
		return err
	}
	if s.count == 0 && damaged == 0 {
		return notFound(ranges(list), "no such message in topic %q", args[1])
	}
	return damageFound(damaged)
}

// walk is the walk through one queue that the flags ask for.
func (f *getFlags) walk(a *app, i *actorstore.Inspection, topic string, q actorstore.QueueInfo) (*queueWalk, error) {
	w := &queueWalk{a: a, i: i, limit: f.count, end: q.Max,
		req: actorstore.GetRequest{Topic: topic, QueueID: q.ID, Offset: max(f.offset, q.Min), Tags: f.tags}}
	w.failed(q.Err)
	if f.time == "" || q.Max == q.Min {
		return w, nil
	}
	ms, err := parseTime("--time", f.time)
	if err != nil {
		return nil, err
	}
	w.req.Offset, err = i.OffsetByTime(topic, q.ID, ms, actorstore.Lower)
	if err != nil {
		return nil, err
	}
	// Where all messages are older the answer is the last one (RocketMQ's rule).
	if t, err := i.MessageTime(topic, q.ID, w.req.Offset); err == nil && t < ms {
		w.req.Offset++
	}
	return w, nil
}

// ranges is the hint that says what is there.
func ranges(list []actorstore.QueueInfo) string {
	const most = 4
	var parts []string
	for _, q := range list[:min(len(list), most)] {
		part := fmt.Sprintf("queue %d holds offsets %d to %d", q.ID, q.Min, q.Max-1)
		if q.Max == q.Min {
			part = fmt.Sprintf("queue %d is empty", q.ID)
		}
		parts = append(parts, part)
	}
	if len(list) > most {
		parts = append(parts, "...")
	}
	return strings.Join(parts, ", ")
}
