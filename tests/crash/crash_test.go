package crash

import (
	"context"
	"sync"
	"testing"

	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// imagesPerRun is how many images are taken of one run at most.
const imagesPerRun = 60

func TestImages(t *testing.T) {
	sweep(newTally(t, "crash-image", *flagImages), func(j *judge, im *image) (int, error) {
		return 1, j.image(context.Background(), im)
	})
}

func TestRecoveryCrash(t *testing.T) {
	sweep(newTally(t, "recovery-crash", *flagRecuts), func(j *judge, im *image) (int, error) {
		if im.cut != oracle.PowerCut || im.n%8 != 0 && *flagImage < 0 {
			return 0, nil
		}
		return j.recut(context.Background(), im)
	})
}

// sweep judges the images of one run after the other.
func sweep(y *tally, judge func(*judge, *image) (int, error)) {
	for {
		seed, ok := y.next()
		if !ok {
			return
		}
		if r := produced(y, seed, imagesPerRun); r != nil {
			judgeAll(y, r, judge)
		}
	}
}

// judgeAll lets some judges work at once.
func judgeAll(y *tally, r *run, f func(*judge, *image) (int, error)) {
	var wg sync.WaitGroup
	next := make(chan *image)
	for range workers() {
		wg.Go(func() {
			j := &judge{system: newSystem()}
			defer j.system.Shutdown()
			for im := range next {
				cases, err := f(j, im)
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
