package ledger

import "runtime/debug"

// GoTest begins the command that runs a case of a rig again, with a program that
// is built as this one is: under the race detector, and with its tags.
func GoTest() string { return goTest(debug.ReadBuildInfo()) }

func goTest(b *debug.BuildInfo, ok bool) string {
	s := "go test -count=1"
	if !ok {
		return s
	}
	for _, set := range b.Settings {
		switch {
		case set.Key == "-race" && set.Value == "true":
			s += " -race"
		case set.Key == "-tags" && set.Value != "":
			s += " -tags " + set.Value
		}
	}
	return s
}
