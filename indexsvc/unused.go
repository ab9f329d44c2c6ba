package indexsvc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/actorstore/actorstore/commitlog/record"
)

// Unused lists the files that Open left alone because they hold no keys and are
// not of a length that is known: made by a process that died meanwhile, made for
// another geometry, or not an index file at all, which Verify tells. After a power
// cut one may have held keys and lost its header.
func (s *Service) Unused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.unused)
}

// verifyUnused wants a file without keys to hold nothing, as a new one does. One
// that was born behind a full one begins with that one's end.
func (s *Service) verifyUnused(path string) error {
	f, err := s.o.FS.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	b := make([]byte, 64<<10)
	for at := int64(0); ; at += int64(len(b)) {
		n, err := f.ReadAt(b, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		from := 0
		if at == 0 {
			from = min(headerSize, n)
			if bad := s.bornHeader(path, b[:from]); bad != nil {
				return bad
			}
		}
		for i, c := range b[from:n] {
			if c != 0 {
				return &record.CorruptionError{Path: path, Offset: at + int64(from+i), Next: -1,
					Want: "an index file without keys", Got: fmt.Sprintf("byte %#x", c)}
			}
		}
		if n < len(b) {
			return nil
		}
	}
}

// bornHeader wants the header that a file has before its first entry.
func (s *Service) bornHeader(path string, b []byte) error {
	if len(b) < headerSize {
		return nil // zeros, or told by the rest of the check
	}
	h := decodeHeader(b)
	raw := int32(be.Uint32(b[atCount:]))
	if raw < 0 || raw > 1 || h.HashSlotCount != 0 || h.BeginPhyOffset != h.EndPhyOffset || h.BeginTimestamp != h.EndTimestamp ||
		h.BeginPhyOffset < 0 || h.BeginTimestamp < 0 {
		return &record.CorruptionError{Path: path, Offset: 0, Next: -1,
			Want: "an index file, or one without keys", Got: "a header that is neither's"}
	}
	return nil
}
