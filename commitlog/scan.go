package commitlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// ErrUnwritten is what a scan finds where zeros stand instead of a record.
var ErrUnwritten = errors.New("unwritten space")

// Entry is one thing that stands in the log. Bytes are borrowed until the next
// step of the scan.
type Entry struct {
	Offset int64
	Size   int // a BLANK's size reaches to the end of its segment
	Kind   record.Kind
	Bytes  []byte // the whole record; the 8 bytes of a BLANK
}

// Scanner walks the log entry by entry and trusts nothing it reads. It touches
// mapped memory: use it inside mapped.Guard.
type Scanner struct {
	cur   Cursor
	pos   int64
	limit int64
	mode  record.CRCMode
	seen  int64
}

// Scan walks [from, limit), whatever Appended says. mode says how much of each
// record is checked beyond structure and position.
func (r *Reader) Scan(from, limit int64, mode record.CRCMode) *Scanner {
	return &Scanner{cur: r.Cursor(), pos: from, limit: limit, mode: mode}
}

// Pos is where the next entry is looked for.
func (s *Scanner) Pos() int64 { return s.pos }

// Seen is how many bytes were looked at: good entries, and what was searched for
// the next one.
func (s *Scanner) Seen() int64 { return s.seen }

// Limit is where the scan ends.
func (s *Scanner) Limit() int64 { return s.limit }

// SkipTo goes on at another offset.
func (s *Scanner) SkipTo(offset int64) { s.pos = offset }

// Path names the segment that was read last.
func (s *Scanner) Path() string { return s.cur.Path() }

// Close lets the segment go.
func (s *Scanner) Close() { s.cur.Close() }

// Next gives the entry at Pos and steps over it. Where none stands Pos stays and
// the error is io.EOF at the limit, ErrUnwritten over zeros, a *MissingError
// where no segment is, else a *record.CorruptionError.
func (s *Scanner) Next() (Entry, error) {
	if s.pos >= s.limit {
		return Entry{}, io.EOF
	}
	b, err := s.cur.Rest(s.pos, s.limit)
	if err != nil {
		return Entry{}, err
	}
	if len(b) < record.BlankSize {
		return Entry{}, s.corrupt("at least 8 bytes for an entry", fmt.Sprintf("%d bytes to the end", len(b)))
	}
	if binary.BigEndian.Uint64(b) == 0 {
		return Entry{}, ErrUnwritten
	}
	size, kind, err := record.Measure(b)
	if err != nil {
		return Entry{}, s.locate(err)
	}
	if kind == record.KindBlank {
		return s.blank(b, size)
	}
	if size > len(b) {
		return Entry{}, s.corrupt(fmt.Sprintf("a record of at most %d bytes", len(b)), fmt.Sprintf("size %d", size))
	}
	if err := record.Verify(b[:size], s.pos, s.mode); err != nil {
		return Entry{}, s.locate(err)
	}
	e := Entry{Offset: s.pos, Size: size, Kind: kind, Bytes: b[:size]}
	s.pos += int64(size)
	s.seen += int64(size)
	if s.mode == record.CRCNone {
		PrefetchNext(b[size:], size)
	}
	return e, nil
}

// PrefetchNext asks for what a walk without checksums touches soon of the bytes
// that follow a record: the end of the next record and the start of the one
// behind it, if the next one is as long as this one was. A wrong guess costs
// nothing but the asking.
func PrefetchNext(next []byte, size int) {
	const end, start = 192, 128 // properties; fixed fields
	if from, to := max(size-end, 0), size+start; to <= len(next) {
		mapped.Prefetch(next[from:to])
	}
}

// blank steps over a BLANK, whose size must reach just to the segment's end.
func (s *Scanner) blank(b []byte, size int) (Entry, error) {
	rest := s.cur.SegmentEnd() - s.pos
	if int64(size) != rest {
		return Entry{}, s.corrupt(fmt.Sprintf("a BLANK of %d bytes", rest), fmt.Sprintf("%d", size))
	}
	e := Entry{Offset: s.pos, Size: size, Kind: record.KindBlank, Bytes: b[:record.BlankSize]}
	s.pos += rest
	return e, nil
}

// Resync looks for the next whole record behind Pos and goes there. A record
// carries its own physical offset, so one that stands where it says, with its
// checksum right, is no coincidence. It reports false, and leaves Pos, if there
// is none below the limit.
func (s *Scanner) Resync() (int64, bool) { return s.ResyncBelow(s.limit) }

// ResyncBelow is Resync for records that start below an offset; they may end
// behind it. Space that was never written is passed over without a look.
func (s *Scanner) ResyncBelow(stop int64) (int64, bool) {
	stop = min(stop, s.limit)
	for at := s.pos + 1; at < stop; {
		b, err := s.cur.Rest(at, s.limit)
		if err != nil {
			at = s.nextSegment(at)
			continue
		}
		end := min(stop, s.cur.SegmentEnd())
		for _, e := range s.cur.file.Extents(at-s.cur.base, end-s.cur.base) {
			// A record's first bytes may be zero and stand in front of what is not.
			from, to := max(s.cur.base+e.From-(record.BlankSize-1), at), s.cur.base+e.To
			s.seen += to - from
			if i := s.find(b[from-at:], from, to); i >= 0 {
				s.pos = from + int64(i)
				return s.pos, true
			}
		}
		at = s.cur.SegmentEnd()
	}
	return 0, false
}

// find gives the index in b, which begins at base, of the first record that
// starts below stop.
func (s *Scanner) find(b []byte, base, stop int64) int {
	starts := int(max(min(int64(len(b)), stop-base), 0))
	magic := b[:min(len(b), starts+record.BlankSize)]
	for i := 0; ; {
		j := record.FindMagic(magic[i:])
		if j < 0 || i+j >= starts {
			return -1
		}
		i += j
		size, kind, err := record.Measure(b[i:])
		if err == nil && kind == record.KindRecord && size <= len(b)-i &&
			record.Verify(b[i:i+size], base+int64(i), record.CRCRecord) == nil {
			return i
		}
		i++
	}
}

// nextSegment is the start of the first segment behind a missing offset.
func (s *Scanner) nextSegment(offset int64) int64 {
	for _, f := range s.cur.log.files.Files() {
		if f.Offset() > offset {
			return f.Offset()
		}
	}
	return s.limit
}

func (s *Scanner) corrupt(want, got string) error {
	return &record.CorruptionError{Path: s.cur.Path(), Offset: s.pos, Want: want, Got: got, Next: -1}
}

// locate names the segment in an error of package record.
func (s *Scanner) locate(err error) error {
	var ce *record.CorruptionError
	if errors.As(err, &ce) {
		c := *ce
		c.Path, c.Offset, c.Next = s.cur.Path(), s.pos, -1
		return &c
	}
	return err
}
