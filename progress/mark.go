package progress

import (
	"errors"
	"hash/crc32"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/record"
)

// mark writes the durable mark and the checkpoint page that goes with it, if
// anything was flushed since the last one.
func (w *Writer) mark() error {
	if err := w.putPage(); err != nil {
		return err
	}
	log := w.o.Log
	start, end, ok := log.FlushedRecord()
	if end == w.marked || (!ok && end != 0) {
		return nil
	}
	m := checkpoint.Mark{FlushedEnd: end, LastRecordStart: -1, Sync: w.o.SyncFlush}
	if ok {
		err := log.Reader().View(start, int(end-start), func(b []byte) error {
			m.LastRecordStart, m.LastRecordCRC = start, crc32.ChecksumIEEE(b)
			ts, err := record.StoreTimestampOf(b)
			w.fields.PhysicMsgTimestamp = ts
			return err
		})
		if err != nil {
			return nil // retention has just taken it; the next pass has a newer one
		}
	}
	m.Fields = w.fields.Digest()
	if log.Failed() == nil {
		m.Mounted = w.o.FS.Mounted(w.o.Layout.CommitLog())
	}
	if err := errors.Join(w.putMark(m), w.disown(m)); err != nil {
		return err
	}
	page := w.fields
	w.page, w.pageLast, w.marked = &page, m.LastRecordStart, end
	return w.putPage()
}

// disown takes the mount out of a mark again if a write of the log has failed while it
// was written: who told of that failure may have disowned the marks before it was there.
func (w *Writer) disown(m checkpoint.Mark) error {
	if m.Mounted == 0 || w.o.Log.Failed() == nil {
		return nil
	}
	return checkpoint.DisownMount(w.o.FS, w.o.Layout)
}

// putMark writes a mark: into the other slot, or, after a mark that failed, into
// a new file with the one that counts.
func (w *Writer) putMark(m checkpoint.Mark) error {
	var err error
	if w.renew {
		err = checkpoint.RenewMark(w.o.FS, w.o.Layout, m, w.onDisk)
	} else {
		err = checkpoint.WriteMark(w.o.FS, w.o.Layout, m)
	}
	w.renew = err != nil
	return err
}

// putPage writes the checkpoint page that the last mark needs to count.
func (w *Writer) putPage() error {
	if w.page == nil {
		return nil
	}
	if err := checkpoint.WriteCheckpoint(w.o.FS, w.o.Layout.CheckpointFile(), *w.page); err != nil {
		return err
	}
	w.onDisk, w.page = *w.page, nil
	w.proven.Store(w.pageLast)
	return nil
}
