package crash

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/actorstore/actorstore/tests/crash/oracle"
	"github.com/actorstore/actorstore/tests/crash/workload"
)

// killsPerStore is how often a child is killed in one store before a new one is
// begun, whose log is short again.
const killsPerStore = 6

// kills is a store whose process is killed again and again.
type kills struct {
	judge
	seed  uint64
	rng   *rand.Rand
	dir   string
	plan  *workload.Plan
	sync  bool
	model *oracle.Model
}

func newKills(j judge, seed uint64, dir string) *kills {
	plans := workload.Plans()
	rng := rand.New(rand.NewPCG(seed, 21))
	return &kills{judge: j, seed: seed, rng: rng, dir: filepath.Join(dir, fmt.Sprint("kill-", seed)),
		plan: plans[seed%uint64(len(plans))], sync: rng.IntN(2) == 0, model: oracle.New()}
}

func (k *kills) String() string {
	return fmt.Sprintf("seed %d: %s, sync %v", k.seed, k.plan.Name, k.sync)
}

// run kills a child several times; in between the store is opened and checked,
// mostly, and sometimes the next child finds it as it was left. It returns how
// many children were killed.
func (k *kills) run(ctx context.Context) (int, error) {
	defer os.RemoveAll(k.dir)
	for n := range killsPerStore {
		e := errand{dir: k.dir, plan: k.plan.Name, seed: k.seed, serial: int64(n+1) * generation, sync: k.sync}
		unsure, err := k.once(e)
		if err != nil {
			return n, fmt.Errorf("child %d: %w", n, err)
		}
		if n < killsPerStore-1 && k.rng.IntN(3) == 0 && !unsure {
			continue
		}
		if err := k.look(ctx, e); err != nil {
			return n + 1, fmt.Errorf("after child %d: %w", n, err)
		}
	}
	return killsPerStore, nil
}

// once starts a child and kills it at a random moment: of its opening, or after
// some answers. unsure: it died in the middle of a deletion, whose outcome must be
// looked at before more is put.
func (k *kills) once(e errand) (unsure bool, err error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+e.String())
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	if k.rng.IntN(4) == 0 {
		defer time.AfterFunc(time.Duration(k.rng.IntN(30_000))*time.Microsecond, func() { _ = cmd.Process.Kill() }).Stop()
	}
	f := newFollower(k.model, e)
	answers, killed := 1+k.rng.IntN(200), false
	in := bufio.NewReader(out)
	for {
		s, err := in.ReadString('\n')
		if err != nil {
			break // what it was writing when it died is no line
		}
		if err := f.line(strings.TrimSpace(s)); err != nil {
			return false, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
		}
		if answers--; answers <= 0 && !killed {
			killed = true
			_ = cmd.Process.Kill()
		}
	}
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait()
	if complaint.Len() > 0 {
		return false, fmt.Errorf("it ended by itself: %s", complaint.String())
	}
	return f.open > 0, f.end()
}

// look opens what the kill has left, checks it and closes it. No round of retention
// comes meanwhile, however long the check takes.
func (k *kills) look(ctx context.Context, e errand) error {
	o := e.options()
	o.CleanResourceInterval = time.Hour
	s, err := open(ctx, k.system, o)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	s.several = true
	f, err := s.check(ctx, k.model, k.model.Now(), oracle.Killed)
	if err = errors.Join(err, s.Close(ctx)); err != nil {
		return err
	}
	k.model = k.model.Fork(f)
	return nil
}
