package fault_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/actorstore/actorstore/tests/crash/oracle"
	"github.com/actorstore/actorstore/tests/fault"
)

// TestBlockImages copies the disk below a store at moments of its life: ext4 lies
// in a file of an XFS that can copy it at once, as a snapshot of a block device.
// Each image holds what was acknowledged before the copy was begun, then at most
// a prefix of what was sent, and goes on from there.
func TestBlockImages(t *testing.T) {
	needRoot(t, "mkfs.ext4", "mkfs.xfs", "truncate")
	dir, child := isolated(t)
	if !child {
		return
	}
	tmpfs(t, filepath.Join(dir, "host"), "2g")
	outer := newDisk(t, filepath.Join(dir, "host"), filepath.Join(dir, "outer"), "xfs", "1200M", "")
	inner := newDisk(t, outer.at, filepath.Join(dir, "disk"), "ext4", "64M", "")
	for _, sync := range []bool{true, false} {
		b := blockImages{disk: inner, dir: dir, sync: sync, rng: rand.New(rand.NewPCG(*flagSeed, 3))}
		b.run(t, cycles(25))
	}
	inner.unmount(t)
	outer.unmount(t)
}

// imagesPerStore is how many images are taken of one life of a store.
const imagesPerStore = 5

// blockImages are those of one flush type.
type blockImages struct {
	disk  *disk
	dir   string
	sync  bool
	rng   *rand.Rand
	acked int // before an image
	open  int // sent and not acknowledged before it
}

// blockImage is the disk at one moment.
type blockImage struct {
	path string
	at   oracle.Snapshot
}

func (b *blockImages) run(t *testing.T, n int) {
	flush := map[bool]string{true: "sync", false: "async"}[b.sync]
	began, done := time.Now(), 0
	defer func() { note(t, "block-image-ext4-"+flush, done, violated(t)) }()
	for done < n {
		c := rigClient(t, filepath.Join(b.disk.at, "store"), b.sync)
		if !c.Open() {
			t.Fatal("does not open")
		}
		images := b.take(t, c, min(imagesPerStore, n-done))
		if err := c.Close(); err != nil {
			c.Fault("close: %w", err)
		}
		for _, im := range images {
			fmt.Fprintf(os.Stderr, "case block image, %s, %d\n", flush, done)
			if err := errors.Join(append(c.Faults, b.judge(t, c, im))...); err != nil {
				t.Fatalf("%s, image %d: %v", flush, done, err)
			}
			done++
		}
	}
	t.Logf("ext4, %s: %d block images in %v, %d messages acknowledged before one, %d sent and not yet", flush, n,
		time.Since(began).Round(time.Millisecond), b.acked, b.open)
}

// take takes images while the store takes puts.
func (b *blockImages) take(t *testing.T, c *fault.Client, n int) (images []blockImage) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		for i := range n {
			time.Sleep(time.Duration(1+b.rng.IntN(20)) * time.Millisecond)
			im := blockImage{path: fmt.Sprintf("%s-%d", b.disk.image, i)}
			var err error
			im.at = c.Model.Take(c.Marks, func() { err = clone(im.path, b.disk.image) })
			if images = append(images, im); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	putWhile(c, func() bool {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return false
		default:
			return true
		}
	})
	return images
}

// clone makes a file that shares the blocks of another one as they are now.
func clone(path, from string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.Create(path)
	if err != nil {
		return err
	}
	err = unix.IoctlFileClone(int(dst.Fd()), int(src.Fd()))
	return errors.Join(err, dst.Close())
}

// judge opens the store in an image, twice: as it was left, and after more puts.
func (b *blockImages) judge(t *testing.T, c *fault.Client, im blockImage) error {
	t.Helper()
	d := &disk{image: im.path, at: filepath.Join(b.dir, "image"), kind: b.disk.kind}
	if err := os.MkdirAll(d.at, 0o755); err != nil {
		return err
	}
	d.mount(t)
	defer os.Remove(im.path)
	defer d.unmount(t)
	sent, acked := c.Model.CountsAt(im.at)
	b.acked, b.open = b.acked+acked, b.open+sent-acked
	copied := *c
	copied.Options.StorePathRootDir = filepath.Join(d.at, "store")
	at, cut := im.at, oracle.PowerCut
	for range 2 {
		if !copied.Open() {
			return errors.New("does not open")
		}
		if _, err := copied.Reopened(context.Background(), at, cut); err != nil {
			return errors.Join(err, copied.Close())
		}
		copied.Many("orders", 3, 1000, 20, 4)
		if err := copied.Close(); err != nil {
			return err
		}
		at, cut = copied.Model.Now(), oracle.Closed
	}
	return errors.Join(copied.Faults...)
}
