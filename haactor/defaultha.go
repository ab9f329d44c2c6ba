package haactor

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var be = binary.BigEndian

// ErrShort says that a frame is not complete yet: read on and decode again.
var ErrShort = errors.New("frame is not complete")

// FrameError says that bytes cannot be a frame: the connection must be closed.
type FrameError struct {
	Field     string
	Want, Got string
}

// Error names the field, what was expected and what came.
func (e *FrameError) Error() string {
	return fmt.Sprintf("replication frame: %s: want %s, got %s", e.Field, e.Want, e.Got)
}

// Sizes of DefaultHA in bytes.
const (
	ReportSize = 8
	HeaderSize = 12
)

// AppendReport adds a slave's report: the end of its log.
func AppendReport(b []byte, maxOffset int64) []byte { return be.AppendUint64(b, uint64(maxOffset)) }

// LastReport takes all whole reports from the front of b, of which only the last
// counts, and tells how many bytes that was. The error is ErrShort if there is
// none.
func LastReport(b []byte) (maxOffset int64, n int, err error) {
	n = len(b) / ReportSize * ReportSize
	if n == 0 {
		return 0, 0, ErrShort
	}
	return int64(be.Uint64(b[n-ReportSize:])), n, nil
}

// Header is what a DefaultHA master sends in front of log bytes. Size 0 is a
// heartbeat, Offset then the next offset to be sent.
type Header struct {
	Offset int64
	Size   int32
}

// Append adds the header to b.
func (h Header) Append(b []byte) []byte {
	return be.AppendUint32(be.AppendUint64(b, uint64(h.Offset)), uint32(h.Size))
}

// DecodeHeader reads a header; limit is the largest body that is acceptable. The
// error is ErrShort or a *FrameError.
func DecodeHeader(b []byte, limit int32) (Header, error) {
	if len(b) < HeaderSize {
		return Header{}, ErrShort
	}
	h := Header{Offset: int64(be.Uint64(b)), Size: int32(be.Uint32(b[8:]))}
	if h.Offset < 0 {
		return h, &FrameError{"offset", "0 or more", fmt.Sprint(h.Offset)}
	}
	return h, checkSize(h.Size, limit)
}

func checkSize(size, limit int32) error {
	if size < 0 || size > limit {
		return &FrameError{"size", fmt.Sprintf("0 to %d", limit), fmt.Sprint(size)}
	}
	return nil
}
