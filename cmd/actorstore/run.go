package main

import (
	"github.com/spf13/cobra"
)

const runHelp = `Store each line of a file, or of standard input (-), as a message, and end with
a summary. Many puts are under way at a time; they are answered in order.

--format lines: a line is the body, without its line end.

--format jsonl: a line is a JSON object. Without the members "body" and
"bodyBase64" the whole line is the body. With one of them it is a message:
  {"topic":"orders","queue":0,"tags":"paid","keys":["a","b"],
   "properties":{"region":"eu"},"flag":0,"body":"hello"}
All but the body may be missing; "keys" may be one string with blanks; a body
that is no string is stored as its JSON; other members are an error. --whole
takes the whole line as the body in any case. --key-field names a member whose
value becomes the message's key, if it has none.

A message goes to its own queue, else to queue (line - 1) mod --queues. With
--batch N up to N messages of one topic and queue that follow each other are
stored as a batch (the queue then changes every N lines).

--acks prints a line {"line":1,"topic":"t","queue":0,"offset":0,"phy":0} for each
message when it was acknowledged. The summary then, and with --json, is
{"stored":2,"skipped":0,"lines":2,"bytes":10,"seconds":0.1,"put_per_s":20.0}.`

// runFlags are what run is told.
type runFlags struct {
	topic, format, keyField string
	queues                  int32
	batch, window           int
	whole, skipBad, acks    bool
}

func newRun(a *app) *cobra.Command {
	f := &runFlags{}
	c := &cobra.Command{
		Use: "run DIR FILE|- [flags]", Short: "Store the lines of a file or of standard input", Long: runHelp,
		Example: `  actorstore run data access.log --topic access --queues 8
  tail -f app.log | actorstore run data - --topic app --flush sync
  actorstore run data orders.jsonl --topic orders --key-field orderId`,
		Args: words("DIR", "FILE"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	c.Flags().StringVar(&f.topic, "topic", "", "topic of messages that name none")
	numberVar(c, &f.queues, "queues", "", 4, 1, "queues that messages without one are spread over")
	c.Flags().StringVar(&f.format, "format", "", "what a line is: lines or jsonl (default: jsonl for a file named so, or .ndjson, else lines)")
	c.Flags().StringVar(&f.keyField, "key-field", "", "with jsonl: the member that is the key")
	c.Flags().BoolVar(&f.whole, "whole", false, "with jsonl: the whole line is the body, whatever is in it")
	c.Flags().BoolVar(&f.skipBad, "skip-bad", false, "skip lines that are no messages")
	numberVar(c, &f.batch, "batch", "", 1, 1, "at most so many messages are put together")
	numberVar(c, &f.window, "window", "", 512, 1, "at most so many puts are under way")
	c.Flags().BoolVar(&f.acks, "acks", false, "print a JSON line for each acknowledged message")
	complete(c, "format", "lines", "jsonl")
	a.store.flushing(c, "async")
	a.store.sizes(c)
	c.RunE = a.runs(func(c *cobra.Command, args []string) error { return a.run(c.Context(), f, args) })
	return c
}

// check holds the flags against each other; without --format the name of the
// file tells.
func (f *runFlags) check(file string) error {
	if f.format == "" {
		f.format = string(formatOf(file))
	}
	switch {
	case f.format != string(formatLines) && f.format != string(formatJSONL):
		return usage("--format lines, or --format jsonl", "--format %q is neither", f.format)
	case f.format == string(formatLines) && (f.keyField != "" || f.whole):
		return usage("--format jsonl", "--key-field and --whole are for JSON lines")
	case f.format == string(formatLines) && f.topic == "":
		return usage("--topic NAME, or --format jsonl for JSON lines", "lines have no topic of their own")
	}
	return nil
}
