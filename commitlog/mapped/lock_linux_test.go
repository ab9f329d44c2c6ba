package mapped_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// TestMain plays another program (the Java engine locks in this way) that takes
// a POSIX record lock on byte 0 and holds it until its input ends.
func TestMain(m *testing.M) {
	path := os.Getenv("MAPPED_TEST_POSIX_LOCK")
	if path == "" {
		os.Exit(m.Run())
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		err = unix.FcntlFlock(f.Fd(), unix.F_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Len: 1})
	}
	if err != nil {
		os.Stdout.WriteString("refused\n")
		return
	}
	os.Stdout.WriteString("locked\n")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
}

// other starts that program and tells what it said.
func other(t *testing.T, path string) (said string, end func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "MAPPED_TEST_POSIX_LOCK="+path, "GORACE=atexit_sleep_ms=0")
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	said, err = bufio.NewReader(out).ReadString('\n')
	must(t, err)
	return said, func() {
		_ = in.Close()
		must(t, cmd.Wait())
	}
}

func TestLockMeetsPosixLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	f := create(t, mapped.OS(), path, nil)
	said, end := other(t, path)
	if said != "locked\n" {
		t.Fatalf("free, but the other program was %q", said)
	}
	wantErr(t, f.Lock(), mapped.ErrLocked)
	if held, err := f.Locked(); err != nil || !held {
		t.Errorf("Locked: %v %v", held, err)
	}
	end()
	must(t, f.Lock())
	said, end = other(t, path)
	if said != "refused\n" {
		t.Errorf("held here, but the other program was %q", said)
	}
	end()
	// A second open and close must not give the lock up, as POSIX locks do.
	g, err := mapped.OS().OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	must(t, g.Close())
	said, end = other(t, path)
	if said != "refused\n" {
		t.Errorf("after closing another open the other program was %q", said)
	}
	end()
	must(t, f.Close())
	said, end = other(t, path)
	if said != "locked\n" {
		t.Errorf("closed, but the other program was %q", said)
	}
	end()
}
