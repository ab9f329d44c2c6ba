package fault

import (
	"strings"
	"time"
)

// Workload is a small history of a store. Each crosses the borders that it is
// named after within a few dozen puts, so that a failure of every single call
// can be tried.
type Workload struct {
	Name string
	Sync bool
	Tune func(*Client)
	Do   func(*run)
}

// Workloads lists all of them; those without "async" in their name flush before
// they answer.
func Workloads() []Workload {
	list := []Workload{
		{Name: "puts", Do: puts},
		{Name: "window", Do: window},
		{Name: "roll", Do: roll},
		{Name: "queue-roll", Do: queueRoll},
		{Name: "index-roll", Do: indexRoll},
		{Name: "batch", Do: batch},
		{Name: "many-queues", Do: manyQueues},
		{Name: "reopen", Do: reopen},
		{Name: "kill", Do: kill},
		{Name: "power-cut", Do: powerCut},
		{Name: "retention", Tune: bounded, Do: retention},
		{Name: "delete-topic", Do: deleteTopic},
		{Name: "no-index", Tune: func(c *Client) { c.Options.MessageIndexEnable = false }, Do: roll},
	}
	for _, w := range list[:len(list):len(list)] {
		w.Name = "async-" + w.Name
		list = append(list, w)
	}
	for i := range list {
		list[i].Sync = !strings.HasPrefix(list[i].Name, "async-")
	}
	return list
}

// pause lets intervals pass: flushes, marks, summaries, retention.
const pause = 1200 * time.Millisecond

func puts(r *run) {
	for range 4 {
		r.Put("orders", 0, 100)
		r.Put("orders", 1, 100)
		r.Put("bills", 0, 2000)
	}
	time.Sleep(pause)
	r.Put("orders", 0, 100)
}

func window(r *run) {
	r.Many("orders", 3, 200, 30, 8)
	time.Sleep(pause)
	r.Many("orders", 3, 200, 10, 10)
}

func roll(r *run) {
	r.Many("orders", 2, 3000, 12, 3)
	time.Sleep(pause)
	r.Many("orders", 2, 7000, 4, 1)
	r.Many("orders", 1, 15000, 2, 1)
}

func queueRoll(r *run) {
	r.Many("orders", 1, 50, 25, 5)
	time.Sleep(pause)
	r.Many("orders", 1, 50, 10, 5)
}

func indexRoll(r *run) {
	r.Many("orders", 2, 50, 20, 4)
	time.Sleep(pause)
	r.Many("orders", 2, 50, 20, 4)
	time.Sleep(pause)
}

func batch(r *run) {
	for range 6 {
		r.Batch("orders", 0, 900, 4)
		r.Put("orders", 0, 100)
	}
	time.Sleep(pause)
	r.Batch("bills", 0, 300, 3)
}

func manyQueues(r *run) {
	r.Many("orders", 20, 60, 40, 8)
	time.Sleep(pause)
	r.Many("bills", 20, 60, 40, 8)
}

func reopen(r *run) {
	for range 3 {
		r.Many("orders", 2, 2000, 6, 2)
		r.end(ByClose, 0)
		if !r.start() {
			return
		}
	}
	r.Put("orders", 0, 100)
}

func kill(r *run) {
	for range 2 {
		r.Many("orders", 2, 2000, 7, 3)
		r.end(ByKill, 0)
		if !r.start() {
			return
		}
	}
	r.Put("orders", 0, 100)
}

func powerCut(r *run) {
	for i := range 2 {
		r.Many("orders", 2, 2000, 7, 3)
		r.end(ByPowerCut, uint64(i))
		if !r.start() {
			return
		}
	}
	r.Put("orders", 0, 100)
}

// bounded keeps two or three segments.
func bounded(c *Client) {
	c.Options.MaxStoreSize = 48 << 10
}

func retention(r *run) {
	for range 3 {
		r.Many("orders", 2, 3000, 10, 5)
		time.Sleep(pause)
	}
	r.Put("orders", 0, 100)
}

func deleteTopic(r *run) {
	r.Many("orders", 2, 100, 6, 3)
	r.Many("bills", 2, 100, 6, 3)
	r.Delete("orders")
	r.Many("orders", 2, 100, 4, 2)
	time.Sleep(pause)
	r.Delete("bills")
	r.Put("orders", 0, 100)
}
