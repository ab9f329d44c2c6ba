package actors

import (
	"fmt"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/flusher"
)

// A page went to the disk while a record was encoded in it: its end was read before
// the record came to it, its front, with the size, behind that. The record's end
// reached the disk with the next page. That was taken for damage after a power cut under
// ASYNC_FLUSH, and messages behind one that nobody had were kept. Less than that is
// damage.
func TestRecordCaughtByPage(t *testing.T) {
	const page = 4096
	for zeros, torn := range map[int64]bool{40: true, 1: true, 0: false} {
		t.Run(fmt.Sprint(zeros), func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				r := open(t, asyncFlush)
				var over flusher.PutResult
				for n := 0; over.Size == 0; n++ {
					p := r.put("a", 0, strings.Repeat("x", 200))
					if front := page - p.PhysicalOffset%page; front > 150 && front < 250 {
						over = p
					}
				}
				for range 5 {
					r.put("a", 0, "behind it")
				}
				cut := r.disk.Crash(1, mappedtest.Everything)
				r.close()
				r.disk = cut
				edge := over.PhysicalOffset + page - over.PhysicalOffset%page
				r.overwrite("commitlog/"+mapped.Name(0), edge-zeros, strings.Repeat("\x00", int(zeros)))
				if zeros == 0 { // one flipped bit
					r.overwrite("commitlog/"+mapped.Name(0), edge-1, string([]byte{'x' ^ 1}))
				}
				r.start()
				state, err := r.s.State()
				if err != nil || (state.Damaged == 0) != torn || (state.Watermarks.Appended == over.PhysicalOffset) != torn {
					t.Errorf("%d damaged, the log ends at %d, the record began at %d: %v", state.Damaged, state.Watermarks.Appended, over.PhysicalOffset, err)
				}
				r.close()
			})
		})
	}
}
