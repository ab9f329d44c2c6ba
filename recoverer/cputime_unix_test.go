//go:build unix

package recoverer_test

import (
	"syscall"
	"time"
)

// cpuTime is what this process has used so far, in user and kernel mode.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
