package crash

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// imagesPerRun is how many images are taken of one run at most.
const imagesPerRun = 60

// TestImages is done when it has judged so many images of power cuts under
// SYNC_FLUSH, which promises most. Kills and ASYNC_FLUSH come along and are
// counted in another row, and so are images of which not all can be judged.
func TestImages(t *testing.T) {
	y := newTally(t, "crash-image", *flagImages)
	other := y.along("crash-image-other")
	sweep(y, func(j *judge, im *image) (*tally, int, error) {
		row := y
		if im.cut != oracle.PowerCut || im.run.o.FlushDiskType != actors.SyncFlush {
			row = other
		}
		err := j.image(context.Background(), im)
		if errors.Is(err, errDoubtful) {
			return other, 1, nil
		}
		return row, 1, err
	})
}

func TestRecoveryCrash(t *testing.T) {
	y := newTally(t, "recovery-crash", *flagRecuts)
	sweep(y, func(j *judge, im *image) (*tally, int, error) {
		if im.cut != oracle.PowerCut || im.n%8 != 0 && *flagImage < 0 {
			return y, 0, nil
		}
		n, err := j.recut(context.Background(), im)
		return y, n, err
	})
}

// judging is the check of an image: how many cases that was, and whose.
type judging func(*judge, *image) (*tally, int, error)

// sweep judges the images of one run after the other.
func sweep(y *tally, judge judging) {
	for {
		seed, ok := y.next()
		if !ok {
			return
		}
		if r := produced(y, seed, imagesPerRun); r != nil {
			judgeAll(r, judge)
		}
	}
}

// judgeAll lets some judges work at once.
func judgeAll(r *run, f judging) {
	var wg sync.WaitGroup
	next := make(chan *image)
	for range workers() {
		wg.Go(func() {
			j := &judge{system: newSystem()}
			defer j.system.Shutdown()
			for im := range next {
				y, cases, err := f(j, im)
				if err == nil {
					y.did(cases, nil, 0, 0, nil)
					continue
				}
				y.did(cases, err, r.seed, im.n, im, "  what stood there:", im.before(context.Background()),
					"  what the store told:", im.notes.String(), "  last calls before the cut:", im.trace, save(im))
			}
		})
	}
	for _, im := range r.images {
		if *flagImage < 0 || im.n == *flagImage {
			next <- im
		}
	}
	close(next)
	wg.Wait()
}
