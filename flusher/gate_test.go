package flusher_test

import (
	"net/netip"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/actorstore/actorstore/flusher"
)

// ending is a waiter for a message that ends at an offset.
func ending(end int64) *flusher.Waiter {
	w := &flusher.Waiter{}
	w.Reset()
	w.Result.PhysicalOffset, w.Result.Size = end-10, 10
	return w
}

func ends(c *flusher.Chain) (list []int64) {
	c.Each(func(w *flusher.Waiter) { list = append(list, w.Result.End()) })
	return list
}

// The gate is a queue by offset: whatever chains come and whatever watermarks
// are reached, each waiter comes out once, in order, and never too early.
func TestGate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var g flusher.Gate
		var model []int64
		end, mark := int64(0), int64(0)
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				var c flusher.Chain
				n := rapid.IntRange(0, 4).Draw(t, "n")
				for range n {
					end += rapid.Int64Range(10, 50).Draw(t, "size")
					c.Push(ending(end))
					model = append(model, end)
				}
				if c.Empty() != (n == 0) {
					t.Fatalf("a chain of %d: empty %v", n, c.Empty())
				}
				g.Add(&c)
				if !c.Empty() {
					t.Fatal("the chain was not taken over")
				}
			},
			"release": func(t *rapid.T) {
				mark = rapid.Int64Range(mark-20, end+20).Draw(t, "watermark")
				out := g.Release(mark)
				n := 0
				for n < len(model) && model[n] <= mark {
					n++
				}
				if got := ends(&out); !slices.Equal(got, model[:n]) {
					t.Fatalf("released %v, want %v", got, model[:n])
				}
				model = model[n:]
			},
			"abort": func(t *rapid.T) {
				if rapid.IntRange(0, 3).Draw(t, "rarely") > 0 {
					return
				}
				out := g.Abort()
				if got := ends(&out); !slices.Equal(got, model) {
					t.Fatalf("aborted %v, want %v", got, model)
				}
				model = nil
			},
			"": func(t *rapid.T) {
				if g.Waiting() != len(model) {
					t.Fatalf("%d wait, want %d", g.Waiting(), len(model))
				}
			},
		})
	})
}

// A waiter may be used again as soon as it is visited.
func TestEachGivesWaitersFree(t *testing.T) {
	var c, next flusher.Chain
	for i := range int64(5) {
		c.Push(ending(100 * i))
	}
	c.Each(func(w *flusher.Waiter) {
		w.Result.PhysicalOffset++
		next.Push(w)
	})
	if !c.Empty() {
		t.Error("the chain still holds somebody")
	}
	if got, want := ends(&next), []int64{1, 101, 201, 301, 401}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPutResult(t *testing.T) {
	r := flusher.PutResult{PhysicalOffset: 1000, Size: 234, StoreHost: netip.MustParseAddrPort("10.0.0.1:10911")}
	equal(t, "end", r.End(), 1234)
	equal(t, "message id", r.MsgID(), "0A00000100002A9F00000000000003E8")
}
