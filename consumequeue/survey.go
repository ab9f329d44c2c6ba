package consumequeue

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"sort"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// surveyChunk is how much of a file is read at once: small, as a hole that is
// read takes memory of the page cache, and most queues end in their first page.
const surveyChunk = 4096

// survey finds the ends of a queue in its files. It opens them apart from the
// pool, so that loading 100,000 queues does not turn the pool over.
type survey struct {
	q        *Queue
	segments []segment
	bad      *record.CorruptionError // the frontmost damage

	end, data                         int64 // units
	minOffset, maxOffset, maxPhysical int64

	at   int // segment that is open
	file mapped.File
	page [surveyChunk]byte // the last read of more than one unit
	from int64             // its first unit in segment at
	held int64             // its units
	one  [BatchUnitSize]byte
}

func (s *survey) close() {
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}

// run fills the ends. Its errors are of the disk, not of the contents.
func (s *survey) run() error {
	s.maxPhysical = -1
	if len(s.segments) == 0 {
		return nil
	}
	if err := s.findEnd(); err != nil {
		return err
	}
	if err := s.findData(); err != nil {
		return err
	}
	return s.readEnds()
}

// findEnd walks back from the last file to one that holds a unit. A file
// behind it that holds none was made just before a stop, or lost its pages.
func (s *survey) findEnd() error {
	units := s.q.unitsPerFile()
	last := len(s.segments) - 1
	for i := last; i >= 0; i-- {
		n, why, err := s.endOf(i)
		if err != nil {
			return err
		}
		base := s.segments[i].start / s.q.kind.unitSize()
		switch {
		case why != nil:
			s.bad = why
		case i < last && n < units:
			s.bad = s.wrong(i, n, "a full file in front of the next", "no unit")
		}
		if i == last || n < units {
			s.end = base + n
		}
		if n > 0 && i < last {
			return nil
		}
	}
	return nil
}

// findData finds the first unit that is no pre-blank.
func (s *survey) findData() error {
	base := s.segments[0].start / s.q.kind.unitSize()
	n := min(s.end-base, s.q.unitsPerFile())
	var failed error
	blanks := 0
	if sh, err := s.firstShape(n); err != nil {
		return err
	} else if sh == shapeBlank {
		blanks = sort.Search(int(n), func(i int) bool {
			sh, err := s.shapeAt(0, int64(i))
			failed = errors.Join(failed, err)
			return sh != shapeBlank
		})
	}
	s.data = base + int64(blanks)
	return failed
}

// firstShape is the shape of the queue's first unit, of n.
func (s *survey) firstShape(n int64) (shape, error) {
	if s.q.kind == Batch || n == 0 {
		return shapeZero, nil
	}
	return s.shapeAt(0, 0)
}

// readEnds takes queue offsets and the physical end from the outermost units.
func (s *survey) readEnds() error {
	s.minOffset, s.maxOffset = s.data, s.end
	if s.q.kind == Batch {
		s.minOffset, s.maxOffset = 0, 0
	}
	if s.data >= s.end {
		return nil
	}
	var u Unit
	if err := s.unit(s.end-1, &u); err != nil {
		return err
	}
	s.maxPhysical, s.maxOffset = u.end(), u.next()
	if s.q.kind == Batch && s.data < s.end {
		if err := s.unit(s.data, &u); err != nil {
			return err
		}
		s.minOffset = u.Base
		s.checkSpan()
	}
	return nil
}

// checkSpan holds the outermost base offsets of a batch queue against each other:
// every unit has 1 to 32767 messages. Where they cannot both be right nothing of
// the queue is believed.
func (s *survey) checkSpan() {
	units, span := s.end-s.data, s.maxOffset-s.minOffset
	if s.minOffset >= 0 && span >= units && span/units <= math.MaxInt16 {
		return
	}
	s.bad = s.wrong(0, 0, fmt.Sprintf("%d units in order", units), fmt.Sprintf("offsets from %d to %d", s.minOffset, s.maxOffset))
	s.end, s.minOffset, s.maxOffset, s.maxPhysical = s.data, 0, 0, -1
}

func (s *survey) unit(index int64, u *Unit) error {
	pos := index * s.q.kind.unitSize()
	i := int((pos - s.segments[0].start) / s.q.fileSize())
	b, err := s.read(i, index%s.q.unitsPerFile(), 1)
	if err != nil {
		return err
	}
	if !s.q.kind.decodeUnit(b, index, u) && s.bad == nil {
		s.bad = s.wrong(i, index%s.q.unitsPerFile(), "a unit", s.q.kind.shapeOf(b).String())
	}
	return nil
}

func (s *survey) shapeAt(i int, unit int64) (shape, error) {
	b, err := s.read(i, unit, 1)
	if err != nil {
		return shapeZero, err
	}
	return s.q.kind.shapeOf(b), nil
}

// read gives n units of a segment; what a short file lacks is zero.
func (s *survey) read(i int, from, n int64) ([]byte, error) {
	unit := s.q.kind.unitSize()
	if s.file == nil || s.at != i {
		s.close()
		f, err := s.q.store.o.FS.OpenFile(s.path(i), os.O_RDONLY, 0o644)
		if err != nil {
			return nil, err
		}
		s.file, s.at, s.held = f, i, 0
	}
	if from >= s.from && from+n <= s.from+s.held {
		return s.page[(from-s.from)*unit : (from-s.from+n)*unit], nil
	}
	b := s.one[:unit]
	if n > 1 {
		b, s.from, s.held = s.page[:n*unit], from, 0
	}
	got, err := s.file.ReadAt(b, from*unit)
	if err != nil && err != io.EOF {
		return nil, err
	}
	clear(b[int64(got)/unit*unit:]) // a part of a unit is none
	if n > 1 {
		s.held = n
	}
	return b, nil
}

func (s *survey) path(i int) string {
	return filepath.Join(s.q.dir(), mapped.Name(s.segments[i].start))
}

func (s *survey) wrong(i int, unit int64, want, got string) *record.CorruptionError {
	return damaged(s.path(i), unit*s.q.kind.unitSize(), want, got)
}
