package main

import (
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

const rootHelp = `actorstore is a message store in the file format of Apache RocketMQ.

  actorstore COMMAND [flags] DIR [arguments]

DIR is the directory of a store (storePathRootDir). A store that RocketMQ wrote
works as it is; file sizes are taken from the files found. Flags may stand
anywhere. Answers go to standard output, everything else to standard error.

With --json all that is printed is JSON, an object a line, notes {"note":"..."} and
errors too: {"error":"...","kind":"not-found","code":4,"path":"...","offset":0,
"try":"..."}, with path, offset and try where there are any.

Commands that only read touch no file and work beside a process that has the
store open. On a store that was not closed cleanly they show what stands there
and say so; with --recover they recover it first, as opening it would.`

const rootExamples = `  actorstore demo                            see it work, with a crash in the middle
  actorstore put data orders hello           store a message, in a new store
  actorstore get data orders                 read it
  actorstore stat data                       topics, queues and offsets
  actorstore export --json data | diff - x   compare two stores`

// newRoot makes the command tree.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use: "actorstore", Short: "A message store in RocketMQ's file format",
		Long: rootHelp + "\n\n" + exitCodes, Example: rootExamples,
		SilenceErrors: true, SilenceUsage: true,
	}
	root.PersistentFlags().BoolVar(&a.json, "json", false, "for machines: one JSON object a line")
	root.PersistentFlags().BoolVarP(&a.verbose, "verbose", "v", false, "log what happens in the store to standard error")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp(root))
	root.Version = buildOf(debug.ReadBuildInfo()).String()
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddGroup(&cobra.Group{ID: "write", Title: "Write:"}, &cobra.Group{ID: "read", Title: "Read:"},
		&cobra.Group{ID: "check", Title: "Look inside and check:"})
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			c.DisableFlagsInUseLine = true
			c.Flags().SortFlags = false // what belongs together stands together
			root.AddCommand(c)
		}
	}
	cobra.EnableCommandSorting = false
	add("write", newDemo(a), newPut(a), newRun(a), newBench(a))
	add("read", newGet(a), newTail(a), newQuery(a), newLookup(a), newExport(a))
	add("check", newStat(a), newDump(a), newVerify(a), newRepair(a))
	root.AddCommand(newVersion(a))
	return root
}

// unset keeps the help from printing a value that only says "not given".
func unset(c *cobra.Command, flags ...string) {
	for _, name := range flags {
		c.Flags().Lookup(name).DefValue = "0"
	}
}

// runs marks where the command line was found right and the command begins: an
// error before that is one of usage.
func (a *app) runs(f func(c *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		a.started = true
		if len(args) > 0 {
			a.dir = args[0]
		}
		return f(c, args)
	}
}

// words checks the number of arguments; names are those of the usage line, the
// optional ones in brackets.
func words(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		help := "actorstore " + c.Name() + " --help"
		if len(args) > len(names) {
			return usage(help, "%s: %q is one argument too many; want %s", c.Name(), args[len(names)], strings.Join(names, " "))
		}
		if len(args) < len(names) && !strings.HasPrefix(names[len(args)], "[") {
			return usage(help, "%s: %s is missing", c.Name(), names[len(args)])
		}
		return nil
	}
}
