package actors

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// What runs beside the actors and was ended by a call of the disk told nobody: whoever
// had sent a DeleteTopic waited for ever, its topic took no puts any more, and nothing
// expired.
func TestGoroutinesBesideAreEnded(t *testing.T) {
	t.Run("delete", func(t *testing.T) {
		virtual(t, func(t *testing.T) {
			r := open(t)
			r.puts("a", 0, 3)
			for _, rule := range []mappedtest.Rule{
				{Op: mappedtest.OpRename, Path: "*deleted*"},
				{Op: mappedtest.OpRemove, Path: root + "/consumequeue/a/0/*"},
			} {
				rule.Before = runtimeGoexit
				r.script.Add(rule)
				answer, err := r.s.system.Root.RequestFuture(r.s.PID(), &DeleteTopic{"a"}, time.Minute).Result()
				if done, ok := answer.(*DoneReply); err != nil || !ok || done.Err == nil {
					t.Errorf("%v: %v %v", rule.Path, answer, err)
				}
				time.Sleep(time.Second)
				if _, err := r.s.Put(r.ctx, message("a", 0, "x")); errors.Is(err, ErrDeleting) {
					t.Error(err)
				}
			}
			if n := r.s.slow.Load(); n != 0 {
				t.Errorf("%d are under way", n)
			}
			r.leaky = true
			r.close()
		})
	})
	t.Run("retention", func(t *testing.T) {
		virtual(t, func(t *testing.T) {
			r := open(t, func(o *Options) {
				o.MaxStoreSize, o.CleanResourceInterval = o.MappedFileSizeCommitLog, 10*time.Millisecond
			})
			var ended atomic.Int64
			r.script.Add(mappedtest.Rule{Op: mappedtest.OpRemove, Path: root + "/commitlog/*", Before: func() { ended.Add(1); runtimeGoexit() }})
			body := strings.Repeat("x", 8000)
			for range 100 {
				r.put("a", 0, body)
				time.Sleep(100 * time.Millisecond)
			}
			if ended := ended.Load(); ended == 0 || len(r.tree().log().Segments()) > 5 {
				t.Errorf("ended %d times, %d segments", ended, len(r.tree().log().Segments()))
			}
			r.leaky = true
			r.close()
		})
	})
}
