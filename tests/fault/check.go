package fault

import (
	"context"
	"errors"
	"fmt"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// Marks is what the open store says about itself, for a snapshot.
func (c *Client) Marks() oracle.Watermarks {
	state, err := c.Store.State()
	if err != nil {
		c.Fault("state: %w", err)
		return oracle.Watermarks{Min: -1}
	}
	w := oracle.Watermarks{Flushed: state.Watermarks.Flushed, Min: state.Watermarks.Min}
	if c.Sync() {
		w.Seen = state.Watermarks.Confirm
	}
	return w
}

// Check holds an open store, the client's or that of a copy, against what the
// client was told before a cut.
func (c *Client) Check(ctx context.Context, s *Store, at oracle.Snapshot, cut oracle.Cut) (*oracle.Found, error) {
	if err := s.Dispatched(ctx); err != nil {
		return nil, fmt.Errorf("not dispatched: %w", err)
	}
	o := s.Options()
	i, err := actors.Inspect(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	f, err := c.Model.Check(ctx, s.Reader, i, at, cut, oracle.Options{MultiDispatch: o.EnableMultiDispatch,
		NoIndex: !o.MessageIndexEnable, MaxMatches: o.MaxMsgsNumBatch, InOrder: true, Unmarked: c.unmarked})
	return f, errors.Join(err, i.Close())
}

// Reopened wants the store that the client has opened behind a cut to hold what
// was promised. What it holds is what there is from now on: every later opening
// must show the same again.
func (c *Client) Reopened(ctx context.Context, at oracle.Snapshot, cut oracle.Cut) (*oracle.Found, error) {
	f, err := c.Check(ctx, c.Store, at, cut)
	if f != nil {
		c.Model = c.Model.Fork(f)
	}
	return f, err
}

// Intact wants the store, which is still open, to show all that was acknowledged.
func (c *Client) Intact(ctx context.Context) error {
	_, err := c.Check(ctx, c.Store, c.Model.Take(c.Marks, func() {}), oracle.Running)
	return err
}
