package repair

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// claimWindow is how much of a segment is read to see what it claims to be; a
// first record that is larger claims nothing.
const claimWindow = 8 << 20

// firstClaim finds the place that the first record of a segment claims, -1 if no
// whole record stands there, or none can be read. second: one flipped bit cannot
// explain that it is not the place of the file's name: a checksum covers it, or the
// next record agrees.
func (s *segment) firstClaim(fsys mapped.FS) error {
	s.claim = -1
	f, err := fsys.OpenFile(s.path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, n := range []int{64 << 10, claimWindow} { // a large first record is rare
		b := make([]byte, n)
		got, err := f.ReadAt(b, 0)
		if err != nil && err != io.EOF {
			s.unread = fmt.Errorf("read %s: %w", s.path, err)
			return nil
		}
		b = b[:got]
		size, at := claim(b)
		if size == 0 {
			continue
		}
		next, nextAt := claim(b[size:])
		sure := next > 0 && nextAt == at+int64(size) || next == 0 && record.HasRecordCRC(b[:size])
		s.claim, s.second = at, at == s.offset || sure
		return nil
	}
	return nil
}

// contested is the error of a segment that cannot be read while another one claims its
// place, or stands unused in front of it, as if they had changed places: what belongs
// there nobody can tell. Of the two at the end, where the unused one is, neither is
// believed if none can be read.
func contested(fsys mapped.FS, files []segment) error {
	for i, f := range files {
		if f.unread != nil && slices.ContainsFunc(files, func(o segment) bool {
			if o.offset < f.offset && o.claim < 0 && o.size > 0 {
				zero, err := isZero(fsys, o.path)
				return zero && err == nil || err != nil && i == len(files)-1 && o.path == files[i-1].path
			}
			return o.foreign() && o.claim == f.offset
		}) {
			return f.unread
		}
	}
	return nil
}

// claim gives the size of the whole record at the start of b, 0 if there is
// none, and the place that it claims.
func claim(b []byte) (size int, at int64) {
	size, kind, err := record.Measure(b)
	if err != nil || kind != record.KindRecord || size > len(b) {
		return 0, -1
	}
	at, err = record.PhysicalOffsetOf(b[:size])
	if err != nil || record.Verify(b[:size], at, record.CRCRecord) != nil {
		return 0, -1
	}
	return size, at
}

func number(name string) int64 {
	n, _ := strconv.ParseInt(name, 10, 64)
	return n
}

func compare(a, b int64) int { return cmp.Compare(a, b) }

// isZero tells a file in which no byte is set. What cannot be read is not known to be
// empty, nor to be in use.
func isZero(fsys mapped.FS, path string) (bool, error) {
	f, err := fsys.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return false, err
	}
	defer f.Close()
	zero, err := mapped.ZeroFrom(f, 0)
	if err != nil {
		return false, fmt.Errorf("read %s: %w", path, err)
	}
	return zero, nil
}
