package main

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/record"
)

func newLookup(a *app) *cobra.Command {
	body := bodyForm("")
	c := &cobra.Command{
		Use:   "lookup DIR ID|OFFSET [flags]",
		Short: "Print the message of a message id, or at a physical offset",
		Long: `Print the message that a message id names, or that starts at a physical offset,
with all its properties. ID is what put prints and RocketMQ calls offsetMsgId: 32
hex digits, 56 with an IPv6 host. The msgId of RocketMQ's clients is the property
UNIQ_KEY, which query finds.

With --json the line is the one that get --json prints.`,
		Example: `  actorstore lookup data 7F00000100002A9F000000000000007B
  actorstore lookup data 123 --body hex`,
		Args: words("DIR", "ID"), ValidArgsFunction: onlyDir,
	}
	body.flag(c)
	a.store.reading(c)
	c.RunE = a.runs(func(c *cobra.Command, args []string) error { return a.lookup(c.Context(), body, args) })
	return c
}

func (a *app) lookup(ctx context.Context, body bodyForm, args []string) (err error) {
	if err := body.check(); err != nil {
		return err
	}
	i, err := a.inspect(ctx, args[0], false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	m, err := find(ctx, i, args[1])
	if err != nil {
		return err
	}
	s := a.shower(i, body)
	s.table = nil // one message is shown in full
	return s.show(ctx, m)
}

// offsetDigits is how long a number may be that is an offset: ids are longer.
const offsetDigits = 19

// find reads a message by its id or offset.
func find(ctx context.Context, i *actorstore.Inspection, what string) (*actorstore.MessageExt, error) {
	if len(what) <= offsetDigits {
		offset, err := strconv.ParseInt(what, 10, 64)
		if err != nil || offset < 0 {
			return nil, usage("an id as put and get --json print it, or a physical offset", "%q is no message id and no offset", what)
		}
		m, err := i.Lookup(ctx, offset)
		if notThere(err) {
			err = notFound("actorstore dump DIR --ruler -n 1 --from "+what+" shows what stands there", "%w", err)
		}
		return m, err
	}
	if _, _, err := record.DecodeMessageID(what); err != nil {
		return nil, usage("actorstore query DIR TOPIC "+shellWord(what)+" finds a message by its UNIQ_KEY", "%w", err)
	}
	m, err := i.LookupID(ctx, what)
	if notThere(err) {
		err = notFound("actorstore query DIR TOPIC "+shellWord(what)+" finds a message by its UNIQ_KEY", "%w", err)
	}
	return m, err
}

// notThere tells that no message stands at a place of the log.
func notThere(err error) bool {
	var missing *actorstore.MissingError
	return errors.As(err, &missing) || errors.Is(err, actorstore.ErrNoRecord)
}
