package fault_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/actorstore/actorstore/tests/fault"
)

func init() { leftOvers = sweepUp }

// needRoot skips a rig that was not asked for. One that was asked for fails
// where something is missing.
func needRoot(t *testing.T, tools ...string) {
	t.Helper()
	if !rooted() {
		t.Skipf("a real rig: as root, sh tests/fault/install.sh && %s=1 go test ./tests/fault -run '%s'", rigSwitch, t.Name())
	}
	if os.Geteuid() != 0 {
		t.Fatal("the rig needs root")
	}
	for _, tool := range append(tools, "mount", "umount") {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%v: sh tests/fault/install.sh", err)
		}
	}
}

// mountsBelow lists what is mounted below dir, innermost first.
func mountsBelow(dir string) []string {
	b, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return nil
	}
	var list []string
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && strings.HasPrefix(f[1], dir+"/") {
			list = append(list, f[1])
		}
	}
	slices.Reverse(list)
	return list
}

// sweepUp unmounts whatever a child has left and tells of it.
func sweepUp(dir string) error {
	var left []error
	for _, m := range mountsBelow(dir) {
		left = append(left, fmt.Errorf("left mounted: %s", m))
		if err := unix.Unmount(m, unix.MNT_DETACH); err != nil {
			left = append(left, fmt.Errorf("unmount %s: %w", m, err))
		}
	}
	if b, err := exec.Command("losetup", "-a").Output(); err == nil && bytes.Contains(b, []byte(dir)) {
		left = append(left, fmt.Errorf("loop devices are left:\n%s", b))
	}
	return errors.Join(left...)
}

func command(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// disk is a real file system in a file.
type disk struct {
	image, at, kind, options string
}

// newDisk makes a file system of a kind in host.
func newDisk(t *testing.T, host, at, kind, size, options string) *disk {
	t.Helper()
	d := &disk{image: filepath.Join(host, kind+".img"), at: at, kind: kind, options: options}
	_ = os.Remove(d.image)
	command(t, "truncate", "-s", size, d.image)
	switch kind {
	case "ext4":
		command(t, "mkfs.ext4", "-qF", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0", d.image)
	case "xfs":
		command(t, "mkfs.xfs", "-qf", d.image)
	}
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	d.mount(t)
	t.Cleanup(func() {
		if slices.Contains(mountsBelow(filepath.Dir(at)), at) {
			if err := unix.Unmount(at, unix.MNT_DETACH); err != nil {
				t.Error(err)
			}
		}
	})
	return d
}

func (d *disk) mount(t *testing.T) {
	t.Helper()
	options := "loop"
	if d.options != "" {
		options += "," + d.options
	}
	command(t, "mount", "-t", d.kind, "-o", options, d.image, d.at)
}

// unmount drops the page cache of the file system too. A file that the store has
// left open or mapped makes it fail.
func (d *disk) unmount(t *testing.T) {
	t.Helper()
	var err error
	// The kernel may be slow to let go of what was closed.
	for began := time.Now(); time.Since(began) < fault.Real; time.Sleep(20 * time.Millisecond) {
		if err = unix.Unmount(d.at, 0); err == nil {
			return
		}
	}
	t.Fatalf("unmount %s: %v", d.at, err)
}

// powerCut ends the file system at once: what is not on disk is gone, later I/O
// fails. It is ioctl EXT4_IOC_SHUTDOWN, which XFS has too, without a flush.
func (d *disk) powerCut() error {
	const shutdown, noLogFlush = 0x8004587d, 2
	f, err := os.Open(d.at)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.IoctlSetPointerInt(int(f.Fd()), shutdown, noLogFlush); err != nil {
		return fmt.Errorf("shut %s down: %w", d.at, err)
	}
	return nil
}

// tmpfs mounts memory.
func tmpfs(t *testing.T, at, size string) {
	t.Helper()
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	command(t, "mount", "-t", "tmpfs", "-o", "size="+size, "none", at)
	t.Cleanup(func() {
		if err := unix.Unmount(at, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// hog takes what is free in a directory, and gives it back.
func hog(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, chunk := range []int{1 << 20, 4096} {
		b := make([]byte, chunk)
		for {
			if _, err = f.Write(b); err != nil {
				break
			}
		}
	}
	if pe, ok := err.(*os.PathError); !ok || pe.Err != syscall.ENOSPC {
		t.Fatal(err)
	}
}
