package commitlog

import (
	"fmt"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// MissingError says that a range of the log cannot be read: deleted by
// retention, never written, or in a gap between segments.
type MissingError struct {
	Offset   int64
	Size     int
	Min, End int64 // what the log holds
}

// Error names the range and what the log holds.
func (e *MissingError) Error() string {
	switch {
	case e.Size == 0 && e.Offset >= e.Min && e.Offset < e.End:
		return fmt.Sprintf("commit log: no segment holds offset %d, though the log is [%d, %d)", e.Offset, e.Min, e.End)
	case e.Size == 0:
		return fmt.Sprintf("commit log: nothing at offset %d, the log holds [%d, %d)", e.Offset, e.Min, e.End)
	}
	return fmt.Sprintf("commit log: no %d bytes at offset %d, the log holds [%d, %d)",
		e.Size, e.Offset, e.Min, e.End)
}

// Reader reads the log; any number of goroutines may use it at once. It needs
// no lock: segments are found through an immutable list and held while used.
type Reader struct {
	log *Log
}

// Reader gives the read handle.
func (l *Log) Reader() *Reader { return &Reader{log: l} }

// Log is the log that is read.
func (r *Reader) Log() *Log { return r.log }

// View lends the n bytes at offset to fn, inside the fault guard. The bytes are
// gone when fn returns. An error is a *MissingError, a *mapped.FaultError or
// what fn returns.
func (r *Reader) View(offset int64, n int, fn func(b []byte) error) error {
	c := r.Cursor()
	defer c.Close()
	var err error
	fault := mapped.Guard(func() {
		var b []byte
		if b, err = c.Bytes(offset, n); err == nil {
			err = fn(b)
		}
	})
	if fault != nil {
		return fault
	}
	return err
}

// ReadAt copies the bytes at offset into b. Errors are as for View.
func (r *Reader) ReadAt(b []byte, offset int64) error {
	return r.View(offset, len(b), func(src []byte) error {
		copy(b, src)
		return nil
	})
}

// StoreTimestamp is the store time of the record at offset, in ms.
func (r *Reader) StoreTimestamp(offset int64, size int) (t int64, err error) {
	err = r.View(offset, size, func(b []byte) error {
		t, err = record.StoreTimestampOf(b)
		return err
	})
	return t, err
}

// Cursor is a reader's place in the log: it holds one segment at a time, so
// that neighbouring records cost no look-up.
func (r *Reader) Cursor() Cursor { return Cursor{log: r.log} }

// Cursor belongs to one goroutine. Close lets its segment go.
type Cursor struct {
	log  *Log
	file *mapped.MappedFile
	base int64
	mem  []byte
}

// Bytes borrows the n bytes at offset until the next call of Bytes or Close.
// They are mapped memory: call it and use them inside mapped.Guard.
func (c *Cursor) Bytes(offset int64, n int) ([]byte, error) {
	if at := offset - c.base; c.file != nil && n >= 0 && at >= 0 && at <= int64(len(c.mem))-int64(n) {
		if offset+int64(n) <= c.log.Appended() {
			return c.mem[at : at+int64(n)], nil
		}
		return nil, c.missing(offset, n)
	}
	return c.move(offset, n)
}

// Prefetch asks for the bytes of a record that is borrowed soon, if it lies in
// the segment that the cursor holds: to wait for a record that is in none of the
// processor's caches costs more than all work on it.
func (c *Cursor) Prefetch(offset int64, n int) {
	if at := offset - c.base; n >= 0 && at >= 0 && at <= int64(len(c.mem))-int64(n) {
		mapped.Prefetch(c.mem[at : at+int64(n)])
	}
}

// Rest borrows from offset to the end of its segment, or to limit if that comes
// first, whatever Appended says. It serves recovery and tools.
func (c *Cursor) Rest(offset, limit int64) ([]byte, error) {
	if err := c.hold(offset); err != nil {
		return nil, err
	}
	end := min(limit-c.base, int64(len(c.mem)))
	return c.mem[offset-c.base : max(end, offset-c.base)], nil
}

// Path names the segment that the cursor holds.
func (c *Cursor) Path() string {
	if c.file == nil {
		return ""
	}
	return c.file.Path()
}

// SegmentEnd is the physical offset behind the segment that the cursor holds.
func (c *Cursor) SegmentEnd() int64 { return c.base + int64(len(c.mem)) }

// Close lets the segment go. The cursor may be used again.
func (c *Cursor) Close() {
	if c.file != nil {
		c.file.Release()
	}
	c.file, c.mem = nil, nil
}

func (c *Cursor) move(offset int64, n int) ([]byte, error) {
	if n < 0 || offset < c.log.Min() || offset > c.log.Appended()-int64(n) {
		return nil, c.missing(offset, n)
	}
	if c.hold(offset) != nil {
		return nil, c.missing(offset, n)
	}
	at := offset - c.base
	if at+int64(n) > int64(len(c.mem)) {
		return nil, c.missing(offset, n)
	}
	return c.mem[at : at+int64(n)], nil
}

// hold moves the cursor to the segment of offset.
func (c *Cursor) hold(offset int64) error {
	if at := offset - c.base; c.file != nil && at >= 0 && at < int64(len(c.mem)) {
		return nil
	}
	c.Close()
	f := c.log.files.Find(offset)
	if f == nil || !f.Acquire() {
		return c.missing(offset, 0)
	}
	c.file, c.base, c.mem = f, f.Offset(), f.Bytes()
	return nil
}

func (c *Cursor) missing(offset int64, n int) error {
	return &MissingError{Offset: offset, Size: n, Min: c.log.Min(), End: c.log.Appended()}
}
