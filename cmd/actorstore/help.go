package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// newHelp is help COMMAND. Cobra's own ends well for a command that is not there.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Show the help of a command",
		Long: "Show the help of a command, with examples; actorstore COMMAND --help is the same.",
		Args: words("[COMMAND]", "[COMMAND]"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			for _, c := range root.Commands() {
				if c.IsAvailableCommand() && len(args) == 0 {
					names = append(names, c.Name())
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			c := root
			for _, name := range args {
				if c = commandOf(c, name); c == nil {
					return noCommand(root, name)
				}
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}

// commandOf is the command of that name below c.
func commandOf(c *cobra.Command, name string) *cobra.Command {
	for _, sub := range c.Commands() {
		if sub.Name() == name || sub.HasAlias(name) {
			return sub
		}
	}
	return nil
}

// noCommand says that a command is not there, and which one may be meant.
func noCommand(root *cobra.Command, name string) error {
	hint := "actorstore help"
	if like := root.SuggestionsFor(name); len(like) > 0 {
		hint = "actorstore " + strings.Join(like, ", or actorstore ")
	}
	return usage(hint, "no command %q", name)
}

// named makes sure that the first word is a command; none at all is a wish for
// help.
func named(root *cobra.Command, args []string) error {
	i := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	if i < 0 || commandOf(root, args[i]) != nil || strings.HasPrefix(args[i], cobra.ShellCompRequestCmd) {
		return nil
	}
	return noCommand(root, args[i])
}

// commandFirst lets flags stand before the command, too: what a flag there takes
// is known only once the command is.
func commandFirst(root *cobra.Command, args []string) []string {
	if len(args) == 0 || !strings.HasPrefix(args[0], "-") {
		return args
	}
	for i, arg := range args {
		if commandOf(root, arg) != nil {
			return slices.Concat(args[i:i+1], args[:i], args[i+1:])
		}
	}
	return args
}
