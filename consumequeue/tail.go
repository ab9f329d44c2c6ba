package consumequeue

import (
	"fmt"

	"github.com/actorstore/actorstore/commitlog/record"
)

// endOf counts the units in front of the first unwritten one of a segment, with
// a few reads: the first page; if that is full a binary search; the page around
// the end; samples behind it. Damage is returned with the count in front of it.
func (s *survey) endOf(i int) (int64, *record.CorruptionError, error) {
	units := s.q.unitsPerFile()
	chunk := min(surveyChunk/s.q.kind.unitSize(), units)
	b, err := s.read(i, 0, chunk)
	if err != nil {
		return 0, nil, err
	}
	n, why := s.scan(i, b, 0)
	if why != nil || chunk == units {
		return n, why, nil
	}
	from := int64(0)
	if n == chunk {
		edge, err := s.searchEdge(i, chunk-1, units)
		if err != nil {
			return 0, nil, err
		}
		from = min(max(edge-chunk/2, 0), units-chunk)
		if b, err = s.read(i, from, chunk); err != nil {
			return 0, nil, err
		}
		n, why = s.scan(i, b, from)
		n += from
		if why != nil {
			return n, why, nil
		}
	}
	why, err = s.sampleZeros(i, n, from+chunk)
	return n, why, err
}

// searchEdge finds a written unit whose neighbour is not: the smallest index
// above lo where that is so if the file has no hole.
func (s *survey) searchEdge(i int, lo, units int64) (int64, error) {
	hi := units
	probe := units - 1 // most files that are asked are full
	for hi-lo > 1 {
		sh, err := s.shapeAt(i, probe)
		if err != nil {
			return 0, err
		}
		if sh == shapeData || sh == shapeBlank {
			lo = probe
		} else {
			hi = probe
		}
		probe = lo + (hi-lo)/2
	}
	return hi, nil
}

// scan counts the units at the front of b, which starts at unit from of the
// segment, and says what is wrong with those behind them.
func (s *survey) scan(i int, b []byte, from int64) (int64, *record.CorruptionError) {
	size := s.q.kind.unitSize()
	var prev, u Unit
	seen := i > 0 // pre-blanks stand only at the start of the first file
	for n := int64(0); n*size < int64(len(b)); n++ {
		raw := b[n*size : (n+1)*size]
		sh := s.q.kind.shapeOf(raw)
		switch {
		case sh == shapeZero:
			return n, s.zeros(i, b[n*size:], from+n)
		case sh == shapeBlank && !seen:
			continue
		case sh != shapeData:
			return n, s.wrong(i, from+n, "a unit or zeros", sh.String())
		}
		s.q.kind.decodeUnit(raw, from+n, &u)
		if u.PhysicalOffset < prev.end() || (s.q.kind == Batch && u.Base < prev.next()) {
			return n, s.wrong(i, from+n, fmt.Sprintf("a unit behind physical offset %d", prev.end()),
				fmt.Sprintf("one at %d", u.PhysicalOffset))
		}
		prev, seen = u, true
	}
	return int64(len(b)) / size, nil
}

// zeros says where b, which starts at unit from, is not zero.
func (s *survey) zeros(i int, b []byte, from int64) *record.CorruptionError {
	size := s.q.kind.unitSize()
	for n := int64(0); n*size < int64(len(b)); n++ {
		if raw := b[n*size : (n+1)*size]; !allZero(raw) {
			// The hole is the damage, not what stands behind it.
			return s.wrong(i, from, "a unit", fmt.Sprintf("zeros, and %s behind them at %d", s.q.kind.shapeOf(raw), (from+n)*size))
		}
	}
	return nil
}

// sampleZeros looks behind the end of a segment, in steps that double.
func (s *survey) sampleZeros(i int, end, from int64) (*record.CorruptionError, error) {
	units := s.q.unitsPerFile()
	for step := int64(1); from < units; step *= 2 {
		b, err := s.read(i, from, 1)
		if err != nil {
			return nil, err
		}
		if !allZero(b) {
			return s.wrong(i, end, "a unit", fmt.Sprintf("zeros, and %s behind them at %d", s.q.kind.shapeOf(b), from*s.q.kind.unitSize())), nil
		}
		if from == units-1 {
			break
		}
		from = min(from+step*surveyChunk/s.q.kind.unitSize(), units-1)
	}
	return nil, nil
}
