package main

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/actorstore/actorstore"
)

// queryFlags narrow a key query.
type queryFlags struct {
	count      int
	begin, end string
	byTag      bool
	messages   bool
	body       bodyForm
}

func newQuery(a *app) *cobra.Command {
	f := &queryFlags{}
	c := &cobra.Command{
		Use:   "query DIR TOPIC KEY [flags]",
		Short: "Find messages by key",
		Long: `Find messages by key: one of a message's KEYS, or its UNIQ_KEY, the msgId of
RocketMQ's clients. At most the newest --count are found. ID is the offset message
id, which lookup takes.

With --json one line is printed, {"query":"TOPIC/KEY","offsets":"0 5291"}: the
physical offsets, ascending, none of them if there is no match (exit code 0, since
it is an answer like any other). With --json --messages each message is a line, as
get prints it.`,
		Example: `  actorstore query data orders order-17
  actorstore query data orders order-17 --json
  actorstore query data orders order-17 --begin 1h --body text
  actorstore query data orders paid --tag`,
		Args: words("DIR", "TOPIC", "KEY"), ValidArgsFunction: a.storeWords,
	}
	numberVar(c, &f.count, "count", "n", 64, 1, "at most so many messages, the newest")
	c.Flags().StringVar(&f.begin, "begin", "", "only messages stored then or later (0, or none: no bound): "+timeForms)
	c.Flags().StringVar(&f.end, "end", "", "only messages stored then or before (0, or none: no bound)")
	c.Flags().BoolVar(&f.byTag, "tag", false, "KEY is a tag (the index of RocketMQ 5.5 holds tags, too)")
	c.Flags().BoolVar(&f.messages, "messages", false, "with --json: the messages, not their offsets")
	f.body.flag(c)
	a.store.reading(c)
	c.RunE = a.runs(func(c *cobra.Command, args []string) error { return a.query(c.Context(), f, args) })
	return c
}

func (a *app) query(ctx context.Context, f *queryFlags, args []string) (err error) {
	req, err := f.request(args)
	if err != nil {
		return err
	}
	i, err := a.inspect(ctx, args[0], true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	found, err := i.Query(ctx, req)
	if err != nil && len(found.Messages) == 0 {
		return err
	}
	if found.Incomplete {
		a.note("the index lags behind the log, or a file of it is damaged: messages may be missing; actorstore verify tells")
	}
	if found.More {
		a.note("older messages match too; --count and --end reach them")
	}
	if a.json && !f.messages {
		return errors.Join(a.queryLine(req, found.Messages), err)
	}
	s := a.shower(i, f.body).withIDs()
	for k := range found.Messages {
		if err := s.show(ctx, &found.Messages[k]); err != nil {
			return err
		}
	}
	if err := errors.Join(s.end(), err); err != nil {
		return err
	}
	if s.count == 0 {
		return notFound("actorstore get DIR "+shellWord(req.Topic)+" shows keys", "topic %q has no message with key %q", req.Topic, req.Key)
	}
	return nil
}

// queryLine is the golden files' line. It is printed for no match, too: an empty
// answer compares like any other.
func (a *app) queryLine(req actorstore.QueryRequest, found []actorstore.MessageExt) error {
	offsets := make([]string, len(found))
	for k := range found {
		offsets[k] = strconv.FormatInt(found[k].PhysicalOffset, 10)
	}
	var l jsonLine
	return a.put(l.line().text("query", req.Topic+"/"+req.Key).text("offsets", strings.Join(offsets, " ")))
}

func (f *queryFlags) request(args []string) (req actorstore.QueryRequest, err error) {
	if err := f.body.check(); err != nil {
		return req, err
	}
	req = actorstore.QueryRequest{Topic: args[1], Key: args[2], MaxCount: f.count}
	if f.byTag {
		req.IndexType = actorstore.IndexTypeTags
	}
	if f.begin != "" {
		if req.Begin, err = parseTime("--begin", f.begin); err != nil {
			return req, err
		}
	}
	if f.end != "" {
		req.End, err = parseTime("--end", f.end)
	}
	return req, err
}
