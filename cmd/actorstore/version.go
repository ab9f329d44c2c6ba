package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build is what the program knows of how it was made.
type build struct {
	version, commit, time string
	modified              bool // the tree held more than the commit
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version of this program", Args: words(), ValidArgsFunction: cobra.NoFileCompletions,
		Example: `  actorstore version
  actorstore version --json`,
		RunE: a.runs(func(*cobra.Command, []string) error { return a.version(buildOf(debug.ReadBuildInfo())) }),
	}
}

func buildOf(info *debug.BuildInfo, ok bool) build {
	b := build{version: "unknown"}
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.commit = s.Value
		case "vcs.time":
			b.time = s.Value
		case "vcs.modified":
			b.modified = s.Value == "true"
		}
	}
	return b
}

func (a *app) version(b build) error {
	if a.json {
		var l jsonLine
		return a.put(l.line().text("version", b.version).text("commit", b.commit).text("time", b.time).
			flag("modified", b.modified).text("go", runtime.Version()).text("platform", runtime.GOOS+"/"+runtime.GOARCH))
	}
	a.printf("%s\n", b)
	return nil
}

// String is the line for people.
func (b build) String() string {
	text := "actorstore " + b.version
	if b.commit != "" {
		text += fmt.Sprintf(", commit %.12s of %s", b.commit, b.time)
	}
	if b.modified {
		text += ", with changes"
	}
	return fmt.Sprintf("%s, %s %s/%s", text, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
