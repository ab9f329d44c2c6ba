package commitlog

import (
	"fmt"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// stageMax is when a staged batch is written out before it is complete.
const stageMax = 4 << 20

// Appended says where a message, or the first of a batch, stands in the log.
type Appended struct {
	PhysicalOffset int64
	QueueOffset    int64
	StoreTimestamp int64 // ms
	Size           int   // bytes, all records of a batch
}

// End is the offset behind the last byte.
func (a Appended) End() int64 { return a.PhysicalOffset + int64(a.Size) }

// Appender writes records at the end of the log. One goroutine at a time may
// use it. Records become visible to others with Publish, a batch at a time.
//
// In a log that is not staged the methods touch mapped memory: call them inside
// mapped.Guard and treat a fault as a failed write (Log.Fail).
type Appender struct {
	log     *Log
	alloc   *Allocator
	offsets *OffsetTable
	file    *mapped.MappedFile
	pos     int64  // where the next byte goes
	end     int64  // end of the segment in use
	last    int64  // start of the newest record
	stage   []byte // staged: bytes of [pos-len(stage), pos)
	free    int64  // staged: no zeros are written below it
	lmq     multiDispatch
}

// Appender gives the write handle for a log that ends at Appended. The table
// must hold the next offset of every queue.
func (l *Log) Appender(alloc *Allocator, offsets *OffsetTable) *Appender {
	a := &Appender{log: l, alloc: alloc, offsets: offsets, pos: l.Appended()}
	if f := l.files.Find(a.pos); f != nil {
		a.use(f)
	}
	return a
}

// Offsets is the table of next queue offsets.
func (a *Appender) Offsets() *OffsetTable { return a.offsets }

// Pending is how many bytes wait for Publish.
func (a *Appender) Pending() int64 { return a.pos - a.log.Appended() }

// Append encodes one message at the end of the log and numbers it. The message
// must have passed record.Limits. An error is ErrNoSegment (nothing changed,
// may be tried again), record.ErrIllegal (nothing changed, it fits no segment)
// or a failed write (the log is then read-only, and so is every later error).
func (a *Appender) Append(m *record.Message, storeTimestamp int64) (Appended, error) {
	if a.log.o.EnableLmq {
		m = a.lmq.prepare(m, a.offsets)
	}
	next := a.offsets.Next(m.Topic, m.QueueID)
	base, count := *next, queueOffsets(m)
	if m.SysFlag&record.SysInnerBatch != 0 {
		m = withInnerBase(m, base)
	}
	dst, err := a.reserve(a.log.o.Encoder.Size(m))
	if err != nil {
		a.lmq.forget()
		return Appended{}, err
	}
	at := Appended{PhysicalOffset: a.pos, QueueOffset: base, StoreTimestamp: storeTimestamp, Size: len(dst)}
	if count == 0 {
		at.QueueOffset = 0
	}
	a.log.o.Encoder.Encode(dst, m, record.Position{
		QueueOffset: at.QueueOffset, PhysicalOffset: a.pos, StoreTimestamp: storeTimestamp})
	a.last = a.pos
	a.pos += int64(len(dst))
	*next = base + count
	a.lmq.commit(a.offsets)
	return at, nil
}

// AppendBatch encodes messages of one queue back to back in one segment, with
// consecutive queue offsets; as in RocketMQ they get into no light queues.
// Errors are as for Append; nothing of a failed batch is in the log.
func (a *Appender) AppendBatch(ms []record.Message, storeTimestamp int64) (Appended, error) {
	enc := &a.log.o.Encoder
	if a.log.o.EnableLmq {
		ms = allWithoutOffsets(ms)
	}
	total := 0
	for i := range ms {
		total += enc.Size(&ms[i])
	}
	dst, err := a.reserve(total)
	if err != nil {
		return Appended{}, err
	}
	next := a.offsets.Next(ms[0].Topic, ms[0].QueueID)
	at := Appended{PhysicalOffset: a.pos, QueueOffset: *next, StoreTimestamp: storeTimestamp, Size: total}
	for i := range ms {
		n := enc.Encode(dst[:enc.Size(&ms[i])], &ms[i], record.Position{
			QueueOffset: *next, PhysicalOffset: a.pos, StoreTimestamp: storeTimestamp})
		dst = dst[n:]
		a.last = a.pos
		a.pos += int64(n)
		*next++
	}
	return at, nil
}

// Publish writes out what is staged and moves the appended watermark over all
// that was appended since. A failed write makes the log read-only: bytes behind
// appended are then unknown, and only recovery may judge them.
func (a *Appender) Publish() error {
	if err := a.log.writable(); err != nil {
		return err
	}
	if err := a.writeOut(); err != nil {
		return err
	}
	if a.pos > a.log.Appended() {
		a.log.last.start.Store(a.last)
		a.log.appended.raise(a.pos)
	}
	return nil
}

// reserve finds room for n bytes: in this segment with 8 bytes to spare, else
// at the start of the next one.
func (a *Appender) reserve(n int) ([]byte, error) {
	if err := a.log.writable(); err != nil {
		return nil, err
	}
	if a.file == nil || a.pos+int64(n)+record.BlankSize > a.end {
		if int64(n)+record.BlankSize > a.log.o.SegmentSize {
			return nil, fmt.Errorf("%w: %d bytes do not fit a segment of %d", record.ErrIllegal, n, a.log.o.SegmentSize)
		}
		if err := a.roll(); err != nil {
			return nil, err
		}
	}
	if !a.log.o.Staged {
		at := a.pos - a.file.Offset()
		return a.file.Bytes()[at : at+int64(n)], nil
	}
	if len(a.stage)+n > stageMax {
		if err := a.writeOut(); err != nil {
			return nil, err
		}
	}
	have := len(a.stage)
	a.stage = grow(a.stage, n)
	return a.stage[have : have+n], nil
}

// roll closes the segment in use with a BLANK and goes on in the next one,
// which is there before anything is written.
func (a *Appender) roll() error {
	start := a.pos
	if a.file != nil {
		start = a.end
	} else if start%a.log.o.SegmentSize != 0 {
		return fmt.Errorf("%w: the segment that holds offset %d is missing", ErrNoSegment, start)
	}
	next, err := a.alloc.Take(start)
	if err != nil {
		return err
	}
	if a.file != nil && a.pos < a.end {
		if err := a.blank(); err != nil {
			return err
		}
	}
	a.use(next)
	a.pos = start
	return nil
}

// blank fills the rest of the segment with one BLANK (I2).
func (a *Appender) blank() error {
	enc := &a.log.o.Encoder
	remaining := a.end - a.pos
	if !a.log.o.Staged {
		at := a.pos - a.file.Offset()
		enc.EncodeBlank(a.file.Bytes()[at:at+record.BlankSize], remaining)
		return nil
	}
	have := len(a.stage)
	a.stage = grow(a.stage, record.BlankSize)
	enc.EncodeBlank(a.stage[have:], remaining)
	a.pos += record.BlankSize
	return a.writeOut()
}

// writeOut brings the staged bytes into the file.
func (a *Appender) writeOut() error {
	if len(a.stage) == 0 {
		return nil
	}
	if a.pos > a.free {
		a.free = a.alloc.zeros.claim(a.pos)
	}
	at := a.pos - int64(len(a.stage))
	_, err := a.file.File().WriteAt(a.stage, at-a.file.Offset())
	a.stage = a.stage[:0]
	if err != nil {
		err = fmt.Errorf("write %s at offset %d: %w", a.file.Path(), at, err)
		a.log.Fail(err)
		return err
	}
	return nil
}

func (a *Appender) use(f *mapped.MappedFile) {
	a.file, a.end = f, f.Offset()+f.Size()
}

// grow makes b longer by n bytes without clearing them.
func grow(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b[:len(b)+n]
	}
	g := make([]byte, len(b)+n, 2*cap(b)+n)
	copy(g, b)
	return g
}
