package commitlog_test

import (
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

// A failed write is the last: the log says so from then on, writes nothing more
// and shows nothing of what it could not write.
func TestFailedWriteLatches(t *testing.T) {
	for name, step := range map[string]func(b *bed) error{
		"publish": func(b *bed) error {
			b.put(message("t", 0, 100))
			return b.tryPublish()
		},
		"roll": func(b *bed) error {
			b.put(message("t", 0, 3000))
			_, err := b.append(message("t", 0, 3000))
			return err
		},
		"full stage": func(b *bed) error {
			for range 5 {
				if _, err := b.append(message("t", 0, 1<<20)); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		for _, short := range []int{0, 10} {
			t.Run(name, func(t *testing.T) {
				s := mappedtest.NewScript(mappedtest.NewFS())
				set := sized(segment)
				if name == "full stage" {
					set = sized(16 << 20)
				}
				b := begin(t, s, "/store", staged, set)
				b.fill(1, 500)
				noErr(t, b.disk.Flush())
				s.Add(mappedtest.Rule{Op: mappedtest.OpWrite, Err: syscall.EIO, Short: short})
				wantErr(t, step(b), syscall.EIO)
				wantErr(t, b.log.Failed(), commitlog.ErrReadOnly, syscall.EIO)
				writes, syncs := s.Count(mappedtest.OpWrite), s.Count(mappedtest.OpDatasync)
				for range 3 {
					_, err := b.append(message("t", 0, 100))
					wantErr(t, err, commitlog.ErrReadOnly, syscall.EIO)
					_, err = b.appendBatch([]record.Message{*message("t", 0, 100)})
					wantErr(t, err, commitlog.ErrReadOnly, syscall.EIO)
					wantErr(t, b.tryPublish(), commitlog.ErrReadOnly, syscall.EIO)
					wantErr(t, b.disk.Flush(), commitlog.ErrReadOnly, syscall.EIO)
				}
				equal(t, "writes after the failure", s.Count(mappedtest.OpWrite), writes)
				equal(t, "syncs after the failure", s.Count(mappedtest.OpDatasync), syncs)
				equal(t, "marks", marks(b.log), [5]int64{0, 0, 0, 500, 500})
				equal(t, "records", len(items(t, b.log, 0, 500)), 1)
			})
		}
	}
}

// A log that was made to fail stays so, with its first cause.
func TestFailKeepsFirstCause(t *testing.T) {
	b := begin(t, mappedtest.NewFS(), "/store")
	b.log.Fail(syscall.EIO)
	b.log.Fail(syscall.ENOSPC)
	wantErr(t, b.log.Failed(), commitlog.ErrReadOnly, syscall.EIO)
	_, err := b.append(message("t", 0, 100))
	wantErr(t, err, commitlog.ErrReadOnly, syscall.EIO)
	f, err := b.alloc.Prepare()
	if f != nil || err != nil {
		t.Errorf("Prepare of a failed log: got %v, %v, want nothing", f, err)
	}
	equal(t, "segments", len(b.log.Segments()), 0)
}

// No segment: nothing changes, whatever of its making fails, and the same append
// works as soon as the disk does. This is the state of a full disk.
func TestNoSegment(t *testing.T) {
	for _, rule := range []mappedtest.Rule{
		{Op: mappedtest.OpAllocate, Err: syscall.ENOSPC},
		{Op: mappedtest.OpSync, Err: syscall.EIO},
		{Op: mappedtest.OpRename, Err: syscall.EACCES},
		{Op: mappedtest.OpSyncDir, Err: syscall.EIO},
		{Op: mappedtest.OpOpen, Err: syscall.EMFILE},
		{Op: mappedtest.OpOpen, At: 2, Err: syscall.EMFILE},
		{Op: mappedtest.OpMap, Err: syscall.ENOMEM},
		{Op: mappedtest.OpStat, Err: syscall.EIO},
	} {
		t.Run(rule.Op.String(), func(t *testing.T) {
			modes(t, func(t *testing.T, fs mapped.FS, root string, mode setting) {
				s := mappedtest.NewScript(fs)
				b := begin(t, s, root, mode)
				b.fill(1, 3000)
				noErr(t, b.disk.Flush())
				for range 3 {
					s.Add(rule)
					_, err := b.append(message("t", 0, 2000))
					wantErr(t, err, commitlog.ErrNoSegment, rule.Err)
					s.Clear()
					b.publish()
					noErr(t, b.disk.Flush())
					equal(t, "marks", marks(b.log), [5]int64{0, 0, 0, 3000, 3000})
					same(t, "segments", offsets(b.log), []int64{0})
					equal(t, "next offset", *b.out.Offsets().Next("t", 0), 1)
					if rule.Op == mappedtest.OpMap {
						break // its file is there now
					}
				}
				noErr(t, b.log.Failed())
				b.put(message("t", 0, 500)) // there is room for this one
				at := b.put(message("t", 0, 2000))
				b.publish()
				noErr(t, b.disk.Flush())
				equal(t, "place", at.PhysicalOffset, segment)
				equal(t, "records", len(records(items(t, b.log, 0, b.log.Appended()))), 3)
			})
		})
	}
}

// A segment whose making could not be finished or undone is taken over by the
// next try. What is acknowledged in it must survive a power cut.
func TestAdopt(t *testing.T) {
	for _, rules := range [][]mappedtest.Rule{
		{{Op: mappedtest.OpMap, Err: syscall.ENOMEM}},
		{{Op: mappedtest.OpSyncDir, Err: syscall.EIO}, {Op: mappedtest.OpRemove, At: 2, Err: syscall.EIO}},
		{{Op: mappedtest.OpOpen, At: 2, Err: syscall.EMFILE}, {Op: mappedtest.OpRemove, At: 2, Err: syscall.EIO}},
	} {
		t.Run(rules[0].Op.String(), func(t *testing.T) {
			for _, mode := range []setting{staged, func(*commitlog.Options) {}} {
				fs := mappedtest.NewFS()
				s := mappedtest.NewScript(fs)
				b := begin(t, s, "/store", mode)
				b.fill(1, 3000)
				s.Add(rules...)
				_, err := b.append(message("t", 0, 2000))
				wantErr(t, err, commitlog.ErrNoSegment, rules[0].Err)
				s.Clear()
				if _, err := fs.Stat("/store/commitlog/" + mapped.Name(segment)); err != nil {
					t.Fatalf("the test leaves nothing to adopt: %v", err)
				}
				renames := s.Count(mappedtest.OpRename)
				b.put(message("t", 0, 2000))
				b.publish()
				noErr(t, b.disk.Flush())
				equal(t, "segments made anew", s.Count(mappedtest.OpRename), renames)
				end := b.log.Flushed()
				after := open(t, fs.Crash(1, mappedtest.Nothing), "/store", 0, end, mode)
				equal(t, "records after a power cut", len(records(items(t, after.log, 0, end))), 2)
			}
		})
	}
}

// A log of which the segment in use is missing takes nothing.
func TestSegmentInUseMissing(t *testing.T) {
	b := open(t, mappedtest.NewFS(), "/store", 0, 100)
	_, err := b.append(message("t", 0, 100))
	wantErr(t, err, commitlog.ErrNoSegment)
}
