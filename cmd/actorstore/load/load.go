package load

import (
	"context"
	"sync"
	"time"

	"github.com/actorstore/actorstore"
)

// Topic is where messages are put; the Java bench uses the same.
const Topic = "bench"

// Load says what to put. Producer p puts its k-th message to queue (p+k) mod
// Queues with body (7919p+k) mod Bodies, as the Java bench does.
type Load struct {
	Producers int   // goroutines
	Window    int   // unanswered puts of each; 1 waits for every answer
	Size      int   // bytes of a body
	Count     int   // messages in all
	Queues    int   // of the topic
	Bodies    int   // different bodies
	Seed      int64 // of their bytes
	Keyed     bool  // give each message a tag and a key
}

const bodyStride = 7919

// Target is what is loaded.
type Target interface {
	Put(ctx context.Context, m *actorstore.Message) error
}

// Beginner is a target that can have several puts of one producer under way.
// Without it a window is of no effect.
type Beginner interface {
	Begin(m *actorstore.Message) (actorstore.Pending, error)
}

// MakeBodies makes the bodies, which takes time, before any clock starts.
func (l *Load) MakeBodies() [][]byte {
	random := newJavaRandom(l.Seed)
	bodies := make([][]byte, l.Bodies)
	for i := range bodies {
		bodies[i] = make([]byte, l.Size)
		random.fill(bodies[i])
	}
	return bodies
}

// Run puts count messages and returns when all are answered. Latency is that of
// a put as its producer sees it.
func (l *Load) Run(ctx context.Context, to Target, bodies [][]byte, count int) (took time.Duration, latency *Histogram, err error) {
	producers := make([]*producer, l.Producers)
	for i := range producers {
		producers[i] = newProducer(to, l, bodies, i, count)
	}
	start := time.Now()
	for _, p := range producers {
		p.start = start
	}
	err = Together(len(producers), func(i int) error { return producers[i].run(ctx) })
	took = time.Since(start)
	latency = new(Histogram)
	for _, p := range producers {
		latency.Merge(&p.latency)
	}
	return took, latency, err
}

// Together runs n functions at once and gives the first error.
func Together(n int, f func(i int) error) error {
	errs := make([]error, n)
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { errs[i] = f(i) })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
