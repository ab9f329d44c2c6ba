package fault_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/tests/crash/oracle"
	"github.com/actorstore/actorstore/tests/fault"
)

// TestF11_HangingLock: a lock that a dead process has left does not count, a lock
// that somebody holds refuses at once and changes nothing, and a lock call that
// does not return ends with the caller's patience.
func TestF11_HangingLock(t *testing.T) {
	virtual(t, func(t *testing.T) {
		disk := mappedtest.NewFS()
		c := opened(t, disk, true, nil)
		c.Put("orders", 0, 100)
		var left *mappedtest.FS
		at := c.Model.Take(c.Marks, func() { left = disk.Kill() })
		if _, err := actorstore.Open(context.Background(), c.Options); err == nil {
			t.Error("opened twice")
		} else if held := new(actorstore.LockedError); !errors.As(err, &held) {
			t.Errorf("opened twice: %v", err)
		}
		c.Put("orders", 0, 100)
		checked(t, c)
		closeClient(t, c)

		o := c.Options
		release := make(chan struct{})
		o.FS = mappedtest.NewScript(left, mappedtest.Rule{Op: mappedtest.OpLock, Before: func() { <-release }})
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		opening := make(chan error)
		go func() {
			_, err := actorstore.Open(ctx, o)
			opening <- err
		}()
		select {
		case err := <-opening:
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a hanging lock: %v", err)
			}
			close(release)
		case <-time.After(time.Minute):
			t.Error("a hanging lock holds Open up")
			close(release)
			<-opening
		}
		time.Sleep(time.Second)
		reopened(t, c, left)
		if _, err := c.Reopened(context.Background(), at, oracle.Killed); err != nil {
			t.Error(err)
		}
		closeClient(t, c)
	})
}

// TestF21_DeletionBehindACutLog: a topic is deleted, then the power takes the end
// of the log, where the deletion stood. What is put afterwards is not deleted.
func TestF21_DeletionBehindACutLog(t *testing.T) {
	virtual(t, func(t *testing.T) {
		disk := mappedtest.NewFS()
		c := opened(t, disk, false, func(o *actorstore.Options) { o.FlushIntervalCommitLog = time.Hour })
		c.Many("orders", 2, 1000, 10, 5)
		c.Delete("orders")
		image := disk.Crash(1, mappedtest.Nothing)
		closeClient(t, c)
		c = fault.NewClient(image, "/data/store", false)
		for range 2 {
			reopened(t, c, image)
			c.Many("orders", 2, 100, 5, 5)
			checked(t, c)
			closeClient(t, c)
		}
	})
}

// TestF37_TimesOfFilesDoNotDelete: retention goes by the times of the messages.
// Those of the files, as a restored copy has them, delete nothing and save
// nothing.
func TestF37_TimesOfFilesDoNotDelete(t *testing.T) {
	for _, years := range []int{-50, 50} {
		virtual(t, func(t *testing.T) {
			disk := mappedtest.NewFS()
			c := opened(t, disk, true, func(o *actorstore.Options) {
				o.FileReservedTime, o.CleanResourceInterval = 2*time.Hour, time.Minute
				o.DeleteWhen = "00;01;02;03;04;05;06;07;08;09;10;11;12;13;14;15;16;17;18;19;20;21;22;23"
			})
			for range 6 {
				c.Many("orders", 1, 3000, 5, 5)
				time.Sleep(2 * time.Second)
			}
			entries, err := disk.ReadDir("/data/store/commitlog")
			if err != nil || len(entries) < 6 {
				t.Fatal(entries, err)
			}
			other := time.Now().AddDate(years, 0, 0)
			for i, e := range entries {
				if years > 0 || i == 2 || i == 3 {
					if err := disk.SetModTime("/data/store/commitlog/"+e.Name(), other); err != nil {
						t.Fatal(err)
					}
				}
			}
			time.Sleep(10 * time.Minute)
			if state, err := c.Store.State(); err != nil || state.Watermarks.Min != 0 {
				t.Errorf("fresh messages are deleted: %+v %v", state, err)
			}
			checked(t, c)
			time.Sleep(4 * time.Hour)
			state, err := c.Store.State()
			if err != nil || state.Watermarks.Min == 0 {
				t.Errorf("old messages stay: %+v %v", state, err)
			}
			if end := state.Watermarks.Appended; state.Watermarks.Min > end {
				t.Errorf("the segment in use is deleted: %+v", state)
			}
			closeClient(t, c)
		})
	}
}
