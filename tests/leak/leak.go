package leak

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// settles is how long a goroutine may take to end.
const settles = 5 * time.Second

// Main is a TestMain: it runs the tests and then looks.
func Main(m *testing.M) {
	code := m.Run()
	if err := Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// Find looks until nobody is left, or for some seconds.
func Find() (err error) {
	for end := time.Now().Add(settles); ; {
		if err = goleak.Find(); err == nil || time.Now().After(end) {
			return err
		}
	}
}
