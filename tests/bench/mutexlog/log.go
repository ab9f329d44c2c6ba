package mutexlog

import (
	"net/netip"
	"sync"
	"time"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// Log is the log under a mutex.
type Log struct {
	sync  bool
	log   *commitlog.Log
	alloc *commitlog.Allocator
	disk  *commitlog.Syncer

	mu   sync.Mutex // the appender
	out  *commitlog.Appender
	wake chan struct{} // to the goroutine that prepares segments

	commit sync.Mutex // group commit: one leader syncs for all that wait
	turn   *sync.Cond
	busy   bool

	stop chan struct{}
	done sync.WaitGroup
}

// Open makes an empty log in dir.
func Open(dir string, segmentSize int64, syncFlush bool, interval time.Duration) (*Log, error) {
	log, err := commitlog.Open(commitlog.Options{
		FS: mapped.OS(), Dir: dir + "/commitlog", TmpDir: dir + "/tmp", SegmentSize: segmentSize, Staged: syncFlush, ZeroAhead: 16 << 20,
		Encoder: record.Encoder{AppendPropCRC: true, Host: netip.MustParseAddrPort("127.0.0.1:10911")},
	})
	if err != nil {
		return nil, err
	}
	if err := mapped.OS().MkdirAll(dir + "/commitlog"); err != nil {
		return nil, err
	}
	log.Restore(0, 0, 0)
	l := &Log{sync: syncFlush, log: log, alloc: log.Allocator(), disk: log.Syncer(),
		wake: make(chan struct{}, 1), stop: make(chan struct{})}
	l.out = log.Appender(l.alloc, commitlog.NewOffsetTable())
	l.turn = sync.NewCond(&l.commit)
	l.done.Go(l.prepare)
	if !syncFlush {
		l.done.Go(func() { l.flush(interval) })
	}
	return l, nil
}

// Put appends a message and returns when it counts as stored.
func (l *Log) Put(m *record.Message) error {
	l.mu.Lock()
	at, err := l.out.Append(m, time.Now().UnixMilli())
	if err == nil && !l.sync {
		err = l.out.Publish()
	}
	wanted := l.alloc.Wanted()
	l.mu.Unlock()
	if wanted {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
	if err != nil || !l.sync {
		return err
	}
	return l.wait(at.End())
}

// wait is group commit with a leader: who finds nobody syncing writes out and
// syncs for all that have appended by then.
func (l *Log) wait(end int64) error {
	l.commit.Lock()
	defer l.commit.Unlock()
	for l.log.Flushed() < end {
		if l.busy {
			l.turn.Wait()
			continue
		}
		l.busy = true
		l.commit.Unlock()
		l.mu.Lock()
		err := l.out.Publish()
		l.mu.Unlock()
		if err == nil {
			err = l.disk.Flush()
		}
		l.commit.Lock()
		l.busy = false
		l.turn.Broadcast()
		if err != nil {
			return err
		}
	}
	return nil
}

// prepare keeps the next segment and the pages ahead ready.
func (l *Log) prepare() {
	for {
		select {
		case <-l.stop:
			return
		case <-l.wake:
			l.alloc.Populate()
			_, _ = l.alloc.Prepare()
			l.alloc.Populate()
			_ = l.alloc.Zero(time.Now())
		}
	}
}

// flush is the background flush of ASYNC_FLUSH.
func (l *Log) flush(interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-tick.C:
			if l.disk.Flush() != nil {
				return
			}
		}
	}
}

// Close stops the background work and flushes what is left.
func (l *Log) Close() error {
	close(l.stop)
	l.done.Wait()
	err := l.disk.Flush()
	l.log.Close()
	return err
}
