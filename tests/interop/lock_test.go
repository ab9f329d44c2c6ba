package interop_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/tests/e2e"
	"github.com/actorstore/actorstore/tests/golden"
	"github.com/actorstore/actorstore/tests/interop"
)

// TestLock: whoever has the store keeps the other out. RocketMQ takes its lock
// only after it has recovered, so it is let at an empty store only.
func TestLock(t *testing.T) {
	e := engine(t)
	s := interop.Settings{Settings: golden.SettingsOf(golden.Clean)}
	t.Run("actorstore has it", func(t *testing.T) {
		t.Parallel()
		o := options(filepath.Join(t.TempDir(), "store"), s)
		store := opened(t, o, s, e2e.NewModel(nil))
		_, err := e.Write(t.Context(), o.StorePathRootDir, s, interop.Writing{Count: 1})
		if err == nil || !strings.Contains(err.Error(), "Lock failed") {
			t.Errorf("RocketMQ opened it: %v", err)
		}
		_, err = store.Put(t.Context(), &actorstore.Message{Topic: "t"})
		must(t, err)
		must(t, store.Close(t.Context()))
	})
	t.Run("RocketMQ has it", func(t *testing.T) {
		t.Parallel()
		dir := golden.Open(t, golden.Clean)
		o := options(dir, s)
		release, err := e.Hold(t.Context(), dir, s)
		must(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		for locked := false; !locked; {
			locked, err = checkpoint.IsLocked(mapped.OS(), filepath.Join(dir, "lock"))
			must(t, err)
			must(t, ctx.Err())
			time.Sleep(20 * time.Millisecond)
		}
		_, err = actorstore.Open(t.Context(), o)
		var refused *actorstore.LockedError
		if !errors.As(err, &refused) {
			t.Errorf("actorstore opened it: %v", err)
		}
		i, err := actorstore.Inspect(t.Context(), o)
		must(t, err)
		lo, hi := i.Bounds()
		want := golden.Expected(t, golden.Clean)
		got, err := e2e.Read(t.Context(), i, o, lo, hi, want)
		must(t, err)
		sameLines(t, got.Lines(), want.Lines())
		if !i.Locked() {
			t.Error("not locked")
		}
		must(t, i.Close())
		must(t, release())
		model := e2e.NewModel(want)
		must(t, opened(t, o, s, model).Close(t.Context()))
	})
}
