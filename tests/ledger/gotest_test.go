package ledger

import (
	"runtime/debug"
	"testing"
)

// A command builds what has failed, not something else.
func TestGoTest(t *testing.T) {
	for want, set := range map[string][]debug.BuildSetting{
		"go test -count=1":                        {{Key: "-compiler", Value: "gc"}},
		"go test -count=1 -race -tags invariants": {{Key: "-race", Value: "true"}, {Key: "-tags", Value: "invariants"}},
	} {
		if got := goTest(&debug.BuildInfo{Settings: set}, true); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := goTest(nil, false); got != "go test -count=1" {
		t.Errorf("%q", got)
	}
}
