package main

import (
	"context"
	"time"

	"github.com/actorstore/actorstore"
)

// A look at the end of a log that is just being written finds what is not whole
// yet. What is found again after a pause is damage.
const (
	lookAgain = 3
	lookPause = 20 * time.Millisecond
)

// lasting are the findings of a look, without those that only a writer's being
// in the middle of its work explains.
func (a *app) lasting(ctx context.Context, dir string, i *actorstore.Inspection) ([]actorstore.Finding, error) {
	found := i.Report().Findings
	for n := 0; i.Locked() && len(found) > 0 && n < lookAgain; n++ {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lookPause):
		}
		again, err := a.look(ctx, dir, true)
		if err != nil {
			return nil, err
		}
		found = inBoth(found, again.Report().Findings)
		if err := again.Close(); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func inBoth(a, b []actorstore.Finding) (both []actorstore.Finding) {
	type place struct {
		path   string
		offset int64
	}
	in := map[place]bool{}
	for _, f := range b {
		in[place{f.Path, f.Offset}] = true
	}
	for _, f := range a {
		if in[place{f.Path, f.Offset}] {
			both = append(both, f)
		}
	}
	return both
}
