package checkpoint_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// holdEnv makes the test binary a process that holds the named lock file until its
// input ends. With select {} it had nothing to wait for: the runtime ended it as a
// deadlock, and the lock with it, if whoever asked was late.
const holdEnv = "CHECKPOINT_TEST_HOLD"

func TestMain(m *testing.M) {
	path := os.Getenv(holdEnv)
	if path == "" {
		os.Exit(m.Run())
	}
	if _, err := checkpoint.Lock(mapped.OS(), path); err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Stdout.WriteString("held\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func TestLockWritesWhatRocketMQWrites(t *testing.T) {
	for _, before := range []string{"", "lock", "pid=1234567", "xxxx", "lo"} {
		fsys, l := newStore(t)
		if before != "" {
			put(t, l.LockFile(), before)
		}
		f := mappedtest.NewScript(fsys)
		lock, err := checkpoint.Lock(f, l.LockFile())
		if err != nil {
			t.Fatal(err)
		}
		if got := get(t, l.LockFile()); got != "lock" {
			t.Errorf("after %q: content %q", before, got)
		}
		wrote := f.Count(mappedtest.OpWrite) > 0
		if wrote == (before == "lock") {
			t.Errorf("after %q: trace %v", before, f.TraceString())
		}
		if err := lock.Unlock(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLockExcludesThisProcess(t *testing.T) {
	fsys, l := newStore(t)
	lock, err := checkpoint.Lock(fsys, l.LockFile())
	if err != nil {
		t.Fatal(err)
	}
	before := tree(t, l.Root)
	_, err = checkpoint.Lock(fsys, l.LockFile())
	var locked *checkpoint.LockedError
	if !errors.As(err, &locked) || locked.Path != l.LockFile() || !errors.Is(err, mapped.ErrLocked) {
		t.Fatalf("got %v, want LockedError", err)
	}
	if !strings.Contains(err.Error(), l.LockFile()) {
		t.Errorf("error does not name the file: %v", err)
	}
	if tree(t, l.Root) != before || get(t, l.LockFile()) != "lock" {
		t.Error("the second lock changed something")
	}
	if on, err := checkpoint.IsLocked(fsys, l.LockFile()); err != nil || !on {
		t.Errorf("IsLocked: %v %v", on, err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := lock.Unlock(); err != nil {
		t.Errorf("second Unlock: %v", err)
	}
	if on, err := checkpoint.IsLocked(fsys, l.LockFile()); err != nil || on {
		t.Errorf("IsLocked after Unlock: %v %v", on, err)
	}
	again, err := checkpoint.Lock(fsys, l.LockFile())
	if err != nil {
		t.Fatalf("a file without a lock blocks: %v", err)
	}
	again.Unlock()
}

func TestLockedStaysUntouched(t *testing.T) {
	fsys, l := newStore(t)
	// Another engine holds the lock and has its own content in the file.
	f, err := fsys.OpenFile(l.LockFile(), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Lock(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("pid=77"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := checkpoint.Lock(fsys, l.LockFile()); !errors.Is(err, mapped.ErrLocked) {
		t.Fatalf("got %v", err)
	}
	if got := get(t, l.LockFile()); got != "pid=77" {
		t.Errorf("content changed to %q", got)
	}
}

func TestLockAcrossProcesses(t *testing.T) {
	fsys, l := newStore(t)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), holdEnv+"="+l.LockFile())
	if _, err := child.StdinPipe(); err != nil { // open for as long as the child lives
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if line != "held\n" {
		child.Process.Kill()
		child.Wait()
		t.Fatalf("child said %q", line)
	}
	_, err = checkpoint.Lock(fsys, l.LockFile())
	on, ierr := checkpoint.IsLocked(fsys, l.LockFile())
	// Killed, not stopped: the lock must end with the process.
	child.Process.Kill()
	child.Wait()
	var locked *checkpoint.LockedError
	if !errors.As(err, &locked) {
		t.Errorf("got %v, want LockedError", err)
	}
	if ierr != nil || !on {
		t.Errorf("IsLocked: %v %v", on, ierr)
	}
	lock, err := checkpoint.Lock(fsys, l.LockFile())
	if err != nil {
		t.Fatalf("after kill: %v", err)
	}
	lock.Unlock()
}

func TestIsLockedCreatesNothing(t *testing.T) {
	fsys, l := newStore(t)
	if on, err := checkpoint.IsLocked(fsys, l.LockFile()); err != nil || on {
		t.Errorf("got %v %v", on, err)
	}
	if got := tree(t, l.Root); got != "." {
		t.Errorf("created: %s", got)
	}
}

func TestLockFaults(t *testing.T) {
	do := func(f mapped.FS, l checkpoint.Layout) error {
		lock, err := checkpoint.Lock(f, l.LockFile())
		if err == nil {
			return lock.Unlock()
		}
		return err
	}
	free := func(t *testing.T, fsys mapped.FS, l checkpoint.Layout) {
		if on, err := checkpoint.IsLocked(fsys, l.LockFile()); err != nil || on {
			t.Errorf("a failed Lock holds it: %v %v", on, err)
		}
	}
	sweep(t, newStore, do, free)
	other := func(t *testing.T) (mapped.FS, checkpoint.Layout) {
		fsys, l := newStore(t)
		put(t, l.LockFile(), "xxxx")
		return fsys, l
	}
	sweep(t, other, do, free)
	sweep(t, other, func(f mapped.FS, l checkpoint.Layout) error {
		_, err := checkpoint.IsLocked(f, l.LockFile())
		return err
	}, free)
}
