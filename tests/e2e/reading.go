package e2e

import (
	"cmp"
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/tests/golden"
)

// View is what an open store and an inspected one have in common.
type View interface {
	Get(context.Context, actorstore.GetRequest, *actorstore.GetResult) error
	Query(context.Context, actorstore.QueryRequest) (actorstore.QueryResult, error)
	OffsetByTime(topic string, queueID int32, timestamp int64, boundary actorstore.Boundary) (int64, error)
	Topics() []actorstore.TopicInfo
}

// Read reads everything from a view: each queue with its messages, and the
// answers to the questions of ask, which may be nil. min and end are the bounds
// of the log. Options tell where the segments are.
func Read(ctx context.Context, v View, o actorstore.Options, min, end int64, ask *golden.Reading) (*golden.Reading, error) {
	r := &golden.Reading{Min: min, Max: end}
	trailers := trailers{dir: cmp.Or(o.StorePathCommitLog, filepath.Join(o.StorePathRootDir, "commitlog")), size: o.MappedFileSizeCommitLog}
	defer trailers.close()
	for _, topic := range v.Topics() {
		for _, q := range topic.Queues {
			if q.Err != nil {
				return nil, fmt.Errorf("%s-%d: %w", topic.Topic, q.ID, q.Err)
			}
			queue := golden.Queue{Topic: topic.Topic, Queue: q.ID, MinOffset: q.Min, MaxOffset: q.Max}
			if err := readQueue(ctx, v, &queue, &trailers); err != nil {
				return nil, err
			}
			r.Queues = append(r.Queues, queue)
		}
	}
	if ask == nil {
		return r, nil
	}
	return r, answer(ctx, v, r, ask)
}

func readQueue(ctx context.Context, v View, q *golden.Queue, trailers *trailers) error {
	var got actorstore.GetResult
	for next := q.MinOffset; next < q.MaxOffset; next = got.NextOffset {
		err := v.Get(ctx, actorstore.GetRequest{Topic: q.Topic, QueueID: q.Queue, Offset: next, MaxCount: 32}, &got)
		if err != nil {
			return fmt.Errorf("get %s-%d at %d: %w", q.Topic, q.Queue, next, err)
		}
		if got.Status != actorstore.Found || got.NextOffset <= next {
			return fmt.Errorf("get %s-%d at %d: %v, next %d", q.Topic, q.Queue, next, got.Status, got.NextOffset)
		}
		for i := range got.Messages {
			crc, err := trailers.of(&got.Messages[i])
			if err != nil {
				return err
			}
			q.Messages = append(q.Messages, golden.Message{
				Offset: got.Messages[i].QueueOffset, Phy: got.Messages[i].PhysicalOffset, Size: got.Messages[i].StoreSize,
				Stored: got.Messages[i].StoreTimestamp, CRC: got.Messages[i].BodyCRC,
			})
			describe(&q.Messages[len(q.Messages)-1], &got.Messages[i].Message, crc)
		}
	}
	return nil
}

func answer(ctx context.Context, v View, r, ask *golden.Reading) error {
	for _, q := range ask.Queries {
		got, err := v.Query(ctx, actorstore.QueryRequest{Topic: q.Topic, Key: q.Key})
		if err != nil {
			return fmt.Errorf("query %s/%s: %w", q.Topic, q.Key, err)
		}
		q.Offsets = nil
		for i := range got.Messages {
			q.Offsets = append(q.Offsets, got.Messages[i].PhysicalOffset)
		}
		r.Queries = append(r.Queries, q)
	}
	for _, t := range ask.Times {
		var err error
		if t.Lower, err = v.OffsetByTime(t.Topic, t.Queue, t.Time, actorstore.Lower); err != nil {
			return fmt.Errorf("%s-%d at time %d: %w", t.Topic, t.Queue, t.Time, err)
		}
		if t.Upper, err = v.OffsetByTime(t.Topic, t.Queue, t.Time, actorstore.Upper); err != nil {
			return fmt.Errorf("%s-%d at time %d: %w", t.Topic, t.Queue, t.Time, err)
		}
		r.Times = append(r.Times, t)
	}
	return nil
}

// describe fills in what a message has from its producer. crc is the checksum
// of the record as text, empty if there is none.
func describe(g *golden.Message, m *actorstore.Message, crc string) {
	g.Topic, g.Queue, g.Flag, g.SysFlag, g.Born = m.Topic, m.QueueID, m.Flag, m.SysFlag, m.BornTimestamp
	g.BornHost, g.StoreHost = javaHost(m.BornHost), javaHost(m.StoreHost)
	g.Recon, g.Prep, g.Len = m.ReconsumeTimes, m.PreparedTransactionOffset, len(m.Body)
	sum := md5.Sum(m.Body)
	g.MD5 = hex.EncodeToString(sum[:])
	props := maps.Collect(m.Properties.All())
	if crc != "" {
		props[record.PropertyCRC] = crc
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(props)) {
		fmt.Fprintf(&b, "%s=%s;", name, props[name])
	}
	g.Props = b.String()
}

// javaHost prints an address as Java does: all groups of IPv6, shortest form.
func javaHost(a netip.AddrPort) string {
	if !a.Addr().Is6() {
		return "/" + a.String()
	}
	b := a.Addr().As16()
	groups := make([]string, 8)
	for i := range groups {
		groups[i] = fmt.Sprintf("%x", int(b[2*i])<<8|int(b[2*i+1]))
	}
	return fmt.Sprintf("/[%s]:%d", strings.Join(groups, ":"), a.Port())
}

// trailers reads from the segments the checksums that records end with.
type trailers struct {
	dir  string
	size int64
	name string
	file *os.File
}

func (t *trailers) of(m *actorstore.MessageExt) (string, error) {
	start := m.PhysicalOffset - m.PhysicalOffset%t.size
	if name := mapped.Name(start); name != t.name {
		t.close()
		f, err := os.Open(filepath.Join(t.dir, name))
		if err != nil {
			return "", err
		}
		t.name, t.file = name, f
	}
	b := make([]byte, m.StoreSize)
	if _, err := t.file.ReadAt(b, m.PhysicalOffset-start); err != nil && err != io.EOF {
		return "", err
	}
	if !record.HasRecordCRC(b) {
		return "", nil
	}
	value := b[len(b)-record.CRCTrailer+len(record.PropertyCRC)+1:]
	return string(value[:len(value)-1]), nil
}

func (t *trailers) close() {
	if t.file != nil {
		t.file.Close()
	}
	t.file, t.name = nil, ""
}
