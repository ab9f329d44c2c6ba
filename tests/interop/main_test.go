package interop_test

import (
	"os"
	"testing"

	"github.com/actorstore/actorstore/tests/e2e"
)

// TestMain lets the test binary be the process that is killed.
func TestMain(m *testing.M) {
	e2e.RunChild()
	os.Exit(m.Run())
}
