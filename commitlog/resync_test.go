package commitlog_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

// However a log is damaged, a scan that resyncs gives every record that no
// damage has touched, and nothing that was never appended.
func TestResyncFindsAllAndNothingElse(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := begin(t, mappedtest.NewFS(), "/store", withCRC)
		// Bodies with copies of records and of magic codes tempt the search.
		var raw []byte
		for range rapid.IntRange(1, 25).Draw(rt, "records") {
			m := message("t", 0, 120+rapid.IntRange(0, 1500).Draw(rt, "size"))
			if len(raw) > 0 && rapid.Bool().Draw(rt, "tempting") {
				copy(m.Body, raw)
				copy(m.Body[len(m.Body)/2:], []byte{0, 0, 0, 95, 0xDA, 0xA3, 0x20, 0xA7})
			}
			at := b.put(m)
			b.publish()
			raw = items(t, b.log, at.PhysicalOffset, at.End())[0].raw
		}
		end := b.log.Appended()
		sound := records(items(t, b.log, 0, end))
		for range rapid.IntRange(0, 6).Draw(rt, "damages") {
			at := rapid.Int64Range(0, end-1).Draw(rt, "at")
			n := int(min(rapid.Int64Range(1, 600).Draw(rt, "bytes"), end-at, segment-at%segment))
			kind := rapid.SampledFrom([]string{"zero", "flip", "random", "old record"}).Draw(rt, "kind")
			b.damage(at, func(p []byte) {
				switch kind {
				case "zero":
					clear(p)
				case "flip":
					p[0] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
				case "random":
					copy(p, rapid.SliceOfN(rapid.Byte(), n, n).Draw(rt, "noise"))
				case "old record":
					copy(p, raw)
				}
			}, n)
		}
		var want []int64
		for _, r := range sound {
			if bytes.Equal(present(t, b.log, r), r.raw) {
				want = append(want, r.offset)
			}
		}
		// A record of which the checksum is damaged may be taken for one that never
		// had any.
		got := slices.DeleteFunc(resyncAll(t, rt, b.log, end), func(at int64) bool {
			i := slices.IndexFunc(sound, func(r item) bool { return r.offset == at })
			return i >= 0 && !slices.Contains(want, at) && trailerHit(present(t, b.log, sound[i]), sound[i].raw)
		})
		if !slices.Equal(got, want) {
			rt.Fatalf("found records at %v, want %v", got, want)
		}
	})
}

func trailerHit(a, b []byte) bool {
	n := len(b) - record.CRCTrailer
	return !bytes.Equal(a[n:], b[n:])
}

// present is what stands in the place of a record.
func present(t *testing.T, log *commitlog.Log, r item) []byte {
	p := make([]byte, r.size)
	noErr(t, log.Reader().ReadAt(p, r.offset))
	return p
}

// resyncAll scans with Resync behind each damage.
func resyncAll(t *testing.T, rt *rapid.T, log *commitlog.Log, end int64) (found []int64) {
	s := log.Reader().Scan(0, end, record.CRCRecord)
	defer s.Close()
	guarded(t, func() {
		for {
			e, err := s.Next()
			switch {
			case err == io.EOF:
				return
			case err == nil:
				if e.Kind == record.KindRecord {
					found = append(found, e.Offset)
				}
				continue
			case !errors.Is(err, record.ErrCorrupt) && !errors.Is(err, commitlog.ErrUnwritten):
				rt.Fatalf("got error %v", err)
			}
			before := s.Pos()
			next, ok := s.Resync()
			if !ok {
				return
			}
			if next <= before || s.Pos() != next {
				rt.Fatalf("Resync from %d gives %d, pos %d", before, next, s.Pos())
			}
			if e, err := s.Next(); err != nil || e.Kind != record.KindRecord {
				rt.Fatalf("Resync to %d: %v", next, err)
			}
			s.SkipTo(next)
		}
	})
	return found
}
