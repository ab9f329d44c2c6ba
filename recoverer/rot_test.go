package recoverer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

// placed is a message of a test store and where its record stands.
type placed struct {
	topic    string
	offset   int
	at, size int64
	hurt     bool
	trailer  bool // only its checksum was hurt, perhaps beyond recognition
}

// rotStore is a store with several queues; everything in it is acknowledged.
func rotStore(t testing.TB, options ...option) (*store, []placed) {
	s := open(t, newFS(), options...)
	var all []placed
	for i := range 150 {
		topic := string(rune('T' + i%3))
		n := i / 3
		a := s.put(message(topic, 0, n, sizes(i)))
		all = append(all, placed{topic: topic, offset: n, at: a.PhysicalOffset, size: int64(a.Size)})
		if i == 70 || i == 120 {
			s.summary()
			s.mark()
		}
	}
	return s, all
}

// rot damages a few places of the files: bits, sectors of zeros, noise.
func rot(rng *rand.Rand, t testing.TB, s *store, all []placed) (what []string) {
	files := tree(t, s.fs, "/store")
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for range 1 + rng.IntN(3) {
		name := names[rng.IntN(len(names))]
		if rng.IntN(2) == 0 { // the log, half of the time
			name = s.segment(int64(rng.IntN(int(s.log.Appended()))))
		}
		b := []byte(files[name])
		if len(b) == 0 {
			continue
		}
		at, n := rng.IntN(len(b)), 1
		var change []byte
		switch rng.IntN(4) {
		case 0, 1:
			change = []byte{b[at] ^ 1<<rng.IntN(8)}
		case 2:
			at = at / 512 * 512
			n = min(512, len(b)-at)
			change = make([]byte, n)
		default:
			n = min(1+rng.IntN(100), len(b)-at)
			change = make([]byte, n)
			for i := range change {
				change[i] = byte(rng.Uint32())
			}
		}
		// Only bytes that really change count.
		for len(change) > 0 && b[at] == change[0] {
			at, change = at+1, change[1:]
		}
		for len(change) > 0 && b[at+len(change)-1] == change[len(change)-1] {
			change = change[:len(change)-1]
		}
		if len(change) == 0 {
			continue
		}
		overwrite(t, s.fs, name, int64(at), change)
		what = append(what, fmt.Sprintf("%s [%d,+%d)", name, at, len(change)))
		copy(b[at:], change)
		files[name] = string(b)
		base, isSegment := mapped.ParseName(name[strings.LastIndex(name, "/")+1:])
		if !isSegment || !strings.HasPrefix(name, s.layout.CommitLog()) {
			continue
		}
		for i := range all {
			p := &all[i]
			if p.at < base+int64(at+len(change)) && p.at+p.size > base+int64(at) {
				p.hurt = true
				p.trailer = base+int64(at+len(change)) > p.at+p.size-record.CRCTrailer
			}
		}
	}
	return what
}

// TestRot: whatever bytes go bad in whatever files, recovery keeps every record
// that is whole, never serves one that is not, and agrees with itself.
func TestRot(t *testing.T) {
	from, rounds := uint64(0), uint64(120/slower)
	if *full {
		rounds = 20000
	}
	if *seed >= 0 {
		from, rounds = uint64(*seed), uint64(*seed)+1
	}
	for _, mode := range []string{"closed", "killed", "no record checksum"} {
		t.Run(mode, func(t *testing.T) {
			var options []option
			if mode == "no record checksum" {
				options = []option{withoutCRC}
			}
			options = append(options, syncFlush)
			s, all := rotStore(t, options...)
			if mode == "closed" {
				s.close()
			} else {
				s.kill()
			}
			base := s.fs.(*mappedtest.FS)
			for seed := from; seed < rounds; seed++ {
				rng := rand.New(rand.NewPCG(seed, 11))
				damaged := slices.Clone(all)
				s.fs = base.Kill()
				what := rot(rng, t, s, damaged)
				checkRot(t, s.fs.(*mappedtest.FS), damaged, mode, options)
				if t.Failed() {
					t.Fatalf("seed %d: %v", seed, what)
				}
			}
		})
	}
}

func checkRot(t *testing.T, fsys *mappedtest.FS, all []placed, mode string, options []option) {
	t.Helper()
	before := tree(t, fsys, "/store", "/store/abort")
	s, err := tryOpen(t, fsys, options...)
	if err != nil {
		s.release()
		if diff := difference(before, tree(t, fsys, "/store", "/store/abort")); len(diff) > 0 {
			t.Errorf("refused with %v, and changed %v", err, diff)
		}
		t.Errorf("refused: %v", err)
		return
	}
	if s.report.Plan.Trusted {
		// A start that trusts the queues does not read every unit of them.
		s.release()
		if s, err = tryOpen(t, fsys, append(options, checkQueues)...); err != nil {
			t.Errorf("refused to check: %v", err)
			return
		}
	}
	first := checkWhole(t, s, all, mode)
	s.release()
	if s, err = tryOpen(t, fsys, options...); err != nil {
		t.Errorf("refused the second time: %v", err)
		return
	}
	if again := checkWhole(t, s, all, mode); again != first {
		t.Errorf("a second recovery reads\n%s\nafter\n%s", again, first)
	}
	s.release()
}

// checkWhole wants every whole message at its place and returns what is read.
func checkWhole(t *testing.T, s *store, all []placed, mode string) string {
	t.Helper()
	read := map[string]map[int]string{}
	var lines []string
	for _, topic := range []string{"T", "U", "V"} {
		read[topic] = map[int]string{}
		lines = append(lines, s.read(topic, 0))
		for _, m := range strings.Fields(lines[len(lines)-1]) {
			var offset int
			var rest string
			fmt.Sscanf(m, "%d%s", &offset, &rest)
			read[topic][offset] = rest
		}
	}
	for _, p := range all {
		want := ":" + string(rune('a'+p.offset%26))
		got := read[p.topic][p.offset]
		switch {
		case !p.hurt && got != want && p.at < s.report.End:
			t.Errorf("%s %d at %d: %q, want %q", p.topic, p.offset, p.at, got, want)
		case !p.hurt && got != want:
			t.Errorf("%s %d at %d was cut: the log ends at %d", p.topic, p.offset, p.at, s.report.End)
		case p.hurt && !p.trailer && got == want && mode != "no record checksum":
			t.Errorf("%s %d at %d is damaged and was served", p.topic, p.offset, p.at)
		}
	}
	if t.Failed() {
		for _, f := range s.report.Findings {
			t.Logf("finding: %s", f)
		}
	}
	return strings.Join(lines, "\n")
}
