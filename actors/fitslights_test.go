package actors

import (
	"errors"
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
)

// One opening with light queues switched off took them away, and their numbers began
// anew: it is refused, and changes nothing.
func TestLightQueuesNeedTheirOption(t *testing.T) {
	lights := func(o *Options) { o.EnableLmq, o.EnableMultiDispatch = true, true }
	for name, off := range map[string]func(*Options){
		"both off": func(*Options) {}, "one off": func(o *Options) { o.EnableLmq = true },
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, lights)
			put := func(want int64) {
				m := message("a", 0, "x")
				m.Properties.Set(record.PropertyMultiDispatch, record.PrefixLMQ+"b")
				if result, err := r.s.Put(r.ctx, m); err != nil || result.QueueOffset != want {
					t.Errorf("%+v %v", result, err)
				}
			}
			for i := range int64(5) {
				put(i)
			}
			r.close()
			o := small(r.disk)
			off(&o)
			var option *OptionError
			if s, err := Open(r.ctx, o); s != nil || !errors.As(err, &option) {
				t.Fatalf("open: %v", err)
			}
			if i, err := Inspect(r.ctx, o); i != nil || !errors.As(err, &option) {
				t.Errorf("inspect: %v", err)
			}
			if _, err := Repair(r.ctx, o, true, false); !errors.As(err, &option) {
				t.Errorf("repair: %v", err)
			}
			if r.aborted() {
				t.Error("who was refused has left the abort marker")
			}
			r.start(lights)
			put(5)
			r.dispatched()
			if n := len(r.bodies(record.PrefixLMQ+"b", 0)); n != 6 {
				t.Errorf("%d messages in the light queue", n)
			}
			r.close()
		})
	}
}
