package ledger_test

import (
	"path/filepath"
	"testing"

	"github.com/actorstore/actorstore/tests/ledger"
)

// What is appended is found again, for each rig its own.
func TestLastSeed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.csv")
	for _, r := range []ledger.Row{{"a", 1, 9, 100, 0}, {"b", 1, 70, 5, 1}, {"a", 3, 4, 1, 0}} {
		if err := ledger.Append(path, r); err != nil {
			t.Fatal(err)
		}
	}
	for rig, want := range map[string]uint64{"a": 9, "b": 70, "c": 0} {
		if got, err := ledger.LastSeed(path, rig); got != want || err != nil {
			t.Errorf("%s: %d %v, want %d", rig, got, err, want)
		}
	}
	if got, err := ledger.LastSeed(path+"none", "a"); got != 0 || err != nil {
		t.Errorf("without a file: %d %v", got, err)
	}
}
