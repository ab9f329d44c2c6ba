package commitlog

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

const chunk = 1 << 20

// Cut ends the log at end: what stands behind is given to keep, which must make
// it durable, then zeroed, synced, and later segments are taken away. Only then
// may anything be appended, so old bytes can never come back to life behind new
// ones (I3). It goes from the back to the front: a kill leaves no zeros in front of
// what is to be cut, which would then look like a hole in front of good records. It
// may be repeated after a crash at any point. It reports how many bytes were cut; one
// unused segment behind the end is left as it is.
func (l *Log) Cut(end int64, keep func(offset int64, b []byte) error) (cut int64, err error) {
	for _, f := range slices.Backward(l.files.Files()) {
		if f.Offset()+f.Size() <= end {
			break
		}
		from := max(end-f.Offset(), 0)
		var n int64
		fault := mapped.Guard(func() { n, err = l.cutSegment(f, from, keep) })
		if fault != nil {
			return cut, fault
		}
		if err != nil {
			return cut, err
		}
		cut += n
	}
	return cut, l.dropUnused(end)
}

// cutSegment keeps and zeroes what is not zero behind a position of a segment.
func (l *Log) cutSegment(f *mapped.MappedFile, from int64, keep func(int64, []byte) error) (int64, error) {
	tail := f.Bytes()[from:]
	n := writtenBehind(f, from)
	if n > 0 {
		if err := keep(f.Offset()+from, tail[:n]); err != nil {
			return 0, fmt.Errorf("keep %d bytes of %s aside: %w", n, f.Path(), err)
		}
	}
	zeros := make([]byte, min(n, chunk))
	for to := n; to > 0; to -= chunk {
		at := max(to-chunk, 0)
		if _, err := f.File().WriteAt(zeros[:to-at], from+at); err != nil {
			return 0, fmt.Errorf("zero %s at position %d: %w", f.Path(), from+at, err)
		}
	}
	// Even if there was nothing to zero: the zeros may be those of a Cut that a
	// kill has ended, and stand in the page cache only.
	if err := f.File().Datasync(); err != nil {
		return 0, fmt.Errorf("sync %s after zeroing: %w", f.Path(), err)
	}
	return n, l.fresh(f, from)
}

// dropUnused removes the zeroed segments behind the end but for one, which is
// the next to be used.
func (l *Log) dropUnused(end int64) error {
	size := l.o.SegmentSize
	inUse := end - end%size
	if end%size == 0 {
		inUse -= size // the segment at end is itself unused
	}
	_, err := l.files.Delete(l.files.RemoveFrom(inUse + 2*size)...)
	return err
}

// writtenBehind is how many bytes behind a position of a segment end with one
// that is not zero. Space that was never written is not looked at.
func writtenBehind(f *mapped.MappedFile, from int64) int64 {
	for _, e := range slices.Backward(f.Extents(from, f.Size())) {
		if n := written(f.Bytes()[e.From:e.To]); n > 0 {
			return e.From + n - from
		}
	}
	return 0
}

// written is the length of b without the zeros at its end.
func written(b []byte) int64 {
	n := len(b)
	for n >= 8 && binary.NativeEndian.Uint64(b[n-8:]) == 0 {
		n -= 8
	}
	for n > 0 && b[n-1] == 0 {
		n--
	}
	return int64(n)
}
