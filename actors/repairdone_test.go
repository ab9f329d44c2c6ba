package actors

import (
	"os"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// An older copy of the last segment, an opening that mends it, and a kill: a repair
// told again and again of what an older mark says, although a newer one knew better.
func TestRepairOfAnOlderSegmentIsDone(t *testing.T) {
	r := open(t)
	name := "commitlog/" + mapped.Name(0)
	r.puts("a", 0, 2)
	r.reopen() // the checkpoint page knows two records
	r.puts("a", 2, 3)
	older := r.contents(name)
	r.puts("a", 3, 4)
	r.crash()
	r.close()
	r.overwrite(name, 0, string(older))
	r.start() // mends it, and a kill comes
	killed := r.disk.Kill()
	r.close()
	r.disk, r.o.FS = killed, killed
	for i := range 3 {
		rep, err := Repair(r.ctx, r.o, i < 2, true)
		if err != nil {
			t.Fatal(err)
		}
		if i == 2 && len(rep.Steps) > 0 {
			t.Errorf("the third repair finds %v", rep.Steps)
		}
	}
	r.start()
	r.numbered("a", 3)
	r.close()
}

// contents are those of a file of the store.
func (r *rig) contents(name string) []byte {
	r.t.Helper()
	f, err := r.disk.OpenFile(root+"/"+name, os.O_RDONLY, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	defer f.Close()
	n, err := f.Size()
	if err != nil {
		r.t.Fatal(err)
	}
	b := make([]byte, n)
	if _, err := f.ReadAt(b, 0); err != nil {
		r.t.Fatal(err)
	}
	return b
}
