package crash

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/tests/crash/oracle"
	"github.com/actorstore/actorstore/tests/crash/workload"
)

// childEnv holds, in the environment of a child process, what it does.
const childEnv = "ACTORSTORE_CRASH_CHILD"

// errand is what a child does: a plan from a seed, in a directory, for ever.
type errand struct {
	dir    string
	plan   string
	seed   uint64
	serial int64
	sync   bool
}

func (e errand) String() string {
	return fmt.Sprintf("%s %d %d %v %s", e.plan, e.seed, e.serial, e.sync, e.dir)
}

func parseErrand(s string) (e errand, err error) {
	part := strings.SplitN(s, " ", 5)
	if len(part) != 5 {
		return e, fmt.Errorf("child: %q", s)
	}
	e.plan, e.dir, e.sync = part[0], part[4], part[3] == "true"
	if e.seed, err = strconv.ParseUint(part[1], 10, 64); err == nil {
		e.serial, err = strconv.ParseInt(part[2], 10, 64)
	}
	return e, err
}

// options are those of the store that the child uses.
func (e errand) options() actors.Options {
	o := workload.PlanOf(e.plan).Options(e.dir)
	if e.sync {
		o.FlushDiskType = actors.SyncFlush
	}
	return o
}

// Child ends the process if it is a child; a test binary calls it first.
func Child() {
	s := os.Getenv(childEnv)
	if s == "" {
		return
	}
	e, err := parseErrand(s)
	if err == nil {
		err = e.run(os.Stdout)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// run puts until the process is killed. It tells each answer on a line as soon
// as it is there: the number of the operation and where the message stands.
func (e errand) run(out io.Writer) error {
	ctx := context.Background()
	s, err := actors.Open(ctx, e.options())
	if err != nil {
		return err
	}
	plan := workload.PlanOf(e.plan)
	if _, err := fmt.Fprintln(out, "open"); err != nil {
		return err
	}
	var failed error
	w := &workload.Runner{Store: s, Model: oracle.New(), Window: plan.Window}
	w.Acked = func(put []*oracle.Sent) {
		r := &put[0].Result
		_, failed = fmt.Fprintf(out, "put %d %d %d %d %d %d\n", put[0].Serial, r.Durability, r.Size, r.PhysicalOffset, r.QueueOffset, r.StoreTimestamp)
	}
	for ops, i := plan.Ops(e.seed, e.serial), 0; failed == nil; i++ {
		op := ops.Next()
		if op.Kind == workload.Delete {
			if err := w.Settle(ctx); err != nil {
				return err
			}
			fmt.Fprintln(out, "deleting", i)
		}
		if err := w.Do(ctx, op); err != nil {
			return err
		}
		if op.Kind == workload.Delete {
			fmt.Fprintln(out, "deleted", i)
		}
	}
	return failed
}

// follower knows in the parent what a child does: it makes the same operations.
type follower struct {
	model   *oracle.Model
	ops     *workload.Ops
	made    int // operations
	deletes map[int]func()
	puts    map[int64][]*oracle.Sent // by the first serial number
	open    int                      // deletions that were begun and not confirmed
}

func newFollower(m *oracle.Model, e errand) *follower {
	return &follower{model: m, ops: workload.PlanOf(e.plan).Ops(e.seed, e.serial),
		deletes: map[int]func(){}, puts: map[int64][]*oracle.Sent{}}
}

// slack is how many operations a child may have done that it has not told of.
const slack = 200

// next makes one operation. Deletions count only once the child has told of
// them: it tells before it begins.
func (f *follower) next() error {
	op := f.ops.Next()
	i := f.made
	f.made++
	switch op.Kind {
	case workload.Put, workload.PutBatch:
		put, err := f.model.Sent(op.Messages...)
		if err != nil {
			return err
		}
		f.puts[put[0].Serial] = put
	case workload.Delete:
		f.deletes[i] = func() { f.deletes[i] = f.model.Deleting(op.Topic) }
	}
	return nil
}

// line takes a line of the child.
func (f *follower) line(s string) error {
	word := strings.Fields(s)
	n := make([]int64, 8)
	for i := 1; i < len(word) && i < len(n); i++ {
		v, err := strconv.ParseInt(word[i], 10, 64)
		if err != nil {
			return fmt.Errorf("child: %q: %w", s, err)
		}
		n[i] = v
	}
	switch {
	case len(word) == 7 && word[0] == "put":
		for f.puts[n[1]] == nil {
			if err := f.next(); err != nil {
				return err
			}
		}
		put := f.puts[n[1]]
		f.model.Settled(put, flusher.PutResult{Status: flusher.PutOK, Durability: flusher.Durability(n[2]), Count: int32(len(put)),
			Size: int32(n[3]), PhysicalOffset: n[4], QueueOffset: n[5], StoreTimestamp: n[6]}, nil)
	case len(word) == 2 && strings.HasPrefix(word[0], "delet"):
		for f.made <= int(n[1]) {
			if err := f.next(); err != nil {
				return err
			}
		}
		f.deletes[int(n[1])]() // begins it, then confirms it
		if f.open++; word[0] == "deleted" {
			f.open -= 2
		}
	case len(word) == 1 && word[0] == "open":
	default:
		return fmt.Errorf("child: %q", s)
	}
	return nil
}

// end makes what the child may have done beyond what it told.
func (f *follower) end() error {
	for range slack {
		if err := f.next(); err != nil {
			return err
		}
	}
	return nil
}
