package main

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

// complete gives a flag the values that the shell offers.
func complete(c *cobra.Command, flag string, values ...string) {
	// The error is that the flag does not exist, which every test would show.
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
}

// completeTime is how long a shell may be kept waiting.
const completeTime = 2 * time.Second

// storeWords completes DIR, TOPIC and QUEUE.
func (a *app) storeWords(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	ctx, cancel := context.WithTimeout(c.Context(), completeTime)
	defer cancel()
	i, err := a.look(ctx, args[0], false)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer i.Close()
	var found []cobra.Completion
	for _, t := range i.Topics() {
		switch {
		case len(args) == 1:
			found = append(found, t.Topic)
		case len(args) == 2 && t.Topic == args[1]:
			for _, q := range t.Queues {
				found = append(found, strconv.Itoa(int(q.ID)))
			}
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// onlyDir completes DIR and nothing behind it.
func onlyDir(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}
