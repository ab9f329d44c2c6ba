package actors_test

import (
	"context"
	"errors"
	"testing"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
)

// An inner batch takes several queue offsets and one unit: among single messages
// it would leave a gap that stops everything behind it.
func TestInnerBatchAmongSingleMessagesIsRefused(t *testing.T) {
	ctx := context.Background()
	o := actors.DefaultOptions("/store")
	o.FS, o.MappedFileSizeCommitLog, o.MessageIndexEnable = mappedtest.NewFS(), 64<<10, false
	s, err := actors.Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(ctx)
	inner := record.Message{Topic: "t", SysFlag: record.SysInnerBatch | record.SysNeedUnwrap,
		Properties: record.NewProperties(record.PropertyInnerNum, "3"),
		Body:       record.EncodeInnerBatch(nil, []record.Message{{Body: []byte("a")}, {Body: []byte("b")}, {Body: []byte("c")}})}
	single := record.Message{Topic: "t", Body: []byte("x")}
	put := func(m record.Message, queue int32) (flusher.PutResult, error) {
		m.QueueID = queue
		return s.Put(ctx, &m)
	}
	for queue, first := range []record.Message{single, inner} {
		if _, err := put(first, int32(queue)); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := put(inner, 0); r.Status != flusher.MessageIllegal || !errors.Is(err, record.ErrIllegal) {
		t.Errorf("behind a single message: %v, %v", r.Status, err)
	}
	for want, m := range map[int64]record.Message{3: inner} {
		if r, err := put(m, 1); err != nil || r.QueueOffset != want {
			t.Errorf("behind an inner batch: %+v, %v", r, err)
		}
	}
	if r, err := put(single, 0); err != nil || r.QueueOffset != 1 {
		t.Errorf("the refused one took an offset: %+v, %v", r, err)
	}
	if err := s.Dispatched(ctx); err != nil {
		t.Fatal(err)
	}
}
