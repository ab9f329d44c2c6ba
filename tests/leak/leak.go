package leak

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// settles is how long a goroutine may take to end where others need the processors.
const settles = 30 * time.Second

// Main is a TestMain: it runs the tests and then looks.
func Main(m *testing.M) {
	code := m.Run()
	if err := Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// Find looks until nobody is left, or for half a minute. Options leave some out.
func Find(but ...goleak.Option) error { return within(settles, but...) }

func within(limit time.Duration, but ...goleak.Option) (err error) {
	for end := time.Now().Add(limit); ; {
		if err = goleak.Find(but...); err == nil || time.Now().After(end) {
			return err
		}
	}
}
