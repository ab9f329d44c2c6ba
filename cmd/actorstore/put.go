package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/record"
)

// putFlags make a message.
type putFlags struct {
	queue      int32
	tags       string
	keys       []string
	properties []string
	delay      string
	flag       int32
}

func newPut(a *app) *cobra.Command {
	f := &putFlags{}
	c := &cobra.Command{
		Use:   "put DIR TOPIC [BODY|-] [flags]",
		Short: "Store a message",
		Long: `Store one message and print its offsets and message id. Without BODY, or with -,
the body is standard input as it is. DIR becomes a new store if it is none. The
answer ends with how safe the message is: written (in the page cache: it survives
the death of the process) or flushed (on disk: it survives a power cut).

--delay stores the message the way a broker does: on SCHEDULE_TOPIC_XXXX, with
its topic and queue in the properties REAL_TOPIC and REAL_QID. It is a level (1,
2, ...) or a time that is one (` + record.DefaultDelayLevels + `).
Delivering it is the work of a broker.`,
		Example: `  actorstore put data orders "a body"
  actorstore put data orders --tags paid --key order-17 --property region=eu hello
  actorstore put data orders --flush sync < photo.jpg
  actorstore put data orders --delay 10m "remind me"`,
		Args: words("DIR", "TOPIC", "[BODY]"), ValidArgsFunction: a.storeWords,
	}
	numberVar(c, &f.queue, "queue", "", 0, 0, "queue in the topic")
	c.Flags().StringVar(&f.tags, "tags", "", "the message's tag")
	c.Flags().StringArrayVar(&f.keys, "key", nil, "a key to find the message by; may be given again")
	c.Flags().StringArrayVar(&f.properties, "property", nil, "name=value; may be given again")
	c.Flags().StringVar(&f.delay, "delay", "", "level or time of delay")
	numberVar(c, &f.flag, "flag", "", 0, anyNumber, "a number that the store keeps with the message")
	a.store.flushing(c, "async")
	a.store.sizes(c)
	c.RunE = a.runs(func(c *cobra.Command, args []string) error { return a.putMessage(c.Context(), f, args) })
	return c
}

func (a *app) putMessage(ctx context.Context, f *putFlags, args []string) (err error) {
	m, err := f.message(a, args)
	if err != nil {
		return err
	}
	o, err := a.options(args[0])
	if err != nil {
		return err
	}
	s, err := a.open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close(s)) }()
	r, err := s.Put(ctx, m)
	if err != nil {
		return err
	}
	if a.json {
		var l jsonLine
		return a.put(l.line().text("topic", m.Topic).number("queue", int64(m.QueueID)).number("offset", r.QueueOffset).
			number("phy", r.PhysicalOffset).number("size", int64(r.Size)).number("stored", r.StoreTimestamp).
			text("id", r.MsgID()).text("status", r.Status.String()).text("durability", r.Durability.String()))
	}
	a.printf("%s %s/%d @ %d\n", a.paint(green, r.Status.String()), harmless(m.Topic, false), m.QueueID, r.QueueOffset)
	a.printf("id %s  phy %d  size %d  %s\n", r.MsgID(), r.PhysicalOffset, r.Size, r.Durability)
	return nil
}

// message makes the message that arguments and flags describe.
func (f *putFlags) message(a *app, args []string) (*actorstore.Message, error) {
	m := &actorstore.Message{Topic: args[1], QueueID: f.queue, Flag: f.flag}
	if len(args) > 2 && args[2] != "-" {
		m.Body = []byte(args[2])
	} else {
		if len(args) < 3 && a.inTerminal {
			return nil, usage("actorstore put DIR "+shellWord(m.Topic)+" BODY, or - to type the body and end it with Ctrl-D", "BODY is missing")
		}
		var err error
		if m.Body, err = io.ReadAll(a.in); err != nil {
			return nil, fmt.Errorf("read the body: %w", err)
		}
	}
	for _, p := range f.properties {
		name, value, ok := strings.Cut(p, "=")
		if !ok || name == "" || value == "" {
			return nil, usage("--property name=value", "--property %q is no name=value", p)
		}
		m.Properties.Set(name, value)
	}
	if f.tags != "" {
		m.SetTags(f.tags)
	}
	if len(f.keys) > 0 {
		m.SetKeys(f.keys...)
	}
	if f.delay != "" {
		return m, delayed(m, f.delay)
	}
	return m, nil
}

// delayed turns a message into what a broker stores for a delayed one.
func delayed(m *actorstore.Message, delay string) error {
	level := 0
	for i, name := range strings.Fields(record.DefaultDelayLevels) {
		if delay == name || delay == strconv.Itoa(i+1) {
			level = i + 1
		}
	}
	if level == 0 {
		return usage("a level from 1 on, or one of "+record.DefaultDelayLevels, "--delay %q is no delay level", delay)
	}
	m.Properties.Set(record.PropertyDelay, strconv.Itoa(level))
	m.Properties.Set(record.PropertyRealTopic, m.Topic)
	m.Properties.Set(record.PropertyRealQueueID, strconv.Itoa(int(m.QueueID)))
	m.Topic, m.QueueID = record.TopicSchedule, int32(level-1)
	return nil
}
