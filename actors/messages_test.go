package actors_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/reader"
)

const patience = 20 * time.Second

func options(disk mapped.FS) actors.Options {
	o := actors.DefaultOptions("/store")
	o.FS = disk
	o.MappedFileSizeCommitLog = 64 << 10
	o.MappedFileSizeConsumeQueue = 20 * 64
	o.MaxHashSlotNum, o.MaxIndexNum = 64, 512
	o.MaxMessageSize = 16 << 10
	return o
}

// quietSystem is a user's system that does not print its dead letters.
func quietSystem() *actor.ActorSystem {
	return actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.DiscardHandler)
	}))
}

func put(body string) actors.Put {
	return actors.Put{Message: record.Message{Topic: "a", Body: []byte(body),
		Properties: record.NewProperties("KEYS", "k-"+body)}}
}

// ask sends a message and gives its answer; a future that times out fails.
func ask(t *testing.T, system *actor.ActorSystem, pid *actor.PID, message any) any {
	t.Helper()
	answer, err := system.Root.RequestFuture(pid, message, patience).Result()
	if err != nil {
		t.Fatalf("%T: %v", message, err)
	}
	return answer
}

func TestMessages(t *testing.T) {
	system := quietSystem()
	defer system.Shutdown()
	ctx := context.Background()
	s, err := actors.Spawn(ctx, system.Root, "store", options(mappedtest.NewFS()))
	if err != nil {
		t.Fatal(err)
	}
	pid := s.PID()
	var id string
	for i := range 3 {
		m := put(fmt.Sprint(i))
		var message any = m
		if i > 0 {
			message = &m // by value and by pointer
		}
		r := ask(t, system, pid, message).(*actors.PutReply).Result
		if r.Status != flusher.PutOK || r.QueueOffset != int64(i) {
			t.Errorf("%+v", r)
		}
		id = r.MsgID()
	}
	batch := &actors.PutBatch{Messages: []record.Message{put("3").Message, put("4").Message}}
	if r := ask(t, system, pid, batch).(*actors.PutReply).Result; r.Count != 2 || r.QueueOffset != 3 {
		t.Errorf("%+v", r)
	}
	illegal := put("x")
	illegal.Message.Topic = ""
	if r := ask(t, system, pid, &illegal).(*actors.PutReply).Result; r.Status != flusher.MessageIllegal || r.Err == nil {
		t.Errorf("%+v", r)
	}
	if r := ask(t, system, pid, actors.Flush{}).(*actors.DoneReply); r.Err != nil {
		t.Error(r.Err)
	}
	if err := s.Dispatched(ctx); err != nil {
		t.Fatal(err)
	}
	get := ask(t, system, pid, &actors.Get{GetRequest: reader.GetRequest{Topic: "a", MaxCount: 10}}).(*actors.GetReply)
	if get.Err != nil || len(get.Result.Messages) != 5 || string(get.Result.Messages[4].Body) != "4" {
		t.Errorf("%+v", get)
	}
	at := get.Result.Messages[2]
	query := ask(t, system, pid, actors.Query{QueryRequest: reader.QueryRequest{Topic: "a", Key: "k-3", End: 1 << 60}}).(*actors.QueryReply)
	if query.Err != nil || len(query.Result.Messages) != 1 {
		t.Errorf("%+v", query)
	}
	if r := ask(t, system, pid, &actors.Lookup{PhysicalOffset: at.PhysicalOffset}).(*actors.LookupReply); r.Err != nil || string(r.Message.Body) != "2" {
		t.Errorf("%+v", r)
	}
	if r := ask(t, system, pid, actors.LookupID{ID: id}).(*actors.LookupReply); r.Err != nil || string(r.Message.Body) != "2" {
		t.Errorf("%+v", r)
	}
	if r := ask(t, system, pid, &actors.MessageTime{Topic: "a", Offset: 2}).(*actors.NumberReply); r.Err != nil || r.Value != at.StoreTimestamp {
		t.Errorf("%+v", r)
	}
	if r := ask(t, system, pid, actors.OffsetByTime{Topic: "a", Boundary: consumequeue.Lower}).(*actors.NumberReply); r.Err != nil || r.Value != 0 {
		t.Errorf("%+v", r)
	}
	if r := ask(t, system, pid, &actors.Offsets{Topic: "a"}).(*actors.OffsetsReply); r.Err != nil || r.Min != 0 || r.Max != 5 {
		t.Errorf("%+v", r)
	}
	if r := ask(t, system, pid, actors.Offsets{Topic: "none"}).(*actors.OffsetsReply); !errors.Is(r.Err, reader.ErrNoQueue) {
		t.Errorf("%+v", r)
	}
	if r := ask(t, system, pid, actors.Topics{}).(*actors.TopicsReply); r.Err != nil || len(r.Topics) != 1 || r.Topics[0].Topic != "a" {
		t.Errorf("%+v", r)
	}
	if r := ask(t, system, pid, &actors.GetState{}).(*actors.StateReply); r.Err != nil || r.State.ReadOnly != nil || r.State.Watermarks.Appended == 0 {
		t.Errorf("%+v", r)
	}
	if r := ask(t, system, pid, &actors.DeleteTopic{Topic: "a"}).(*actors.DoneReply); r.Err != nil {
		t.Error(r.Err)
	}
	if r := ask(t, system, pid, actors.Topics{}).(*actors.TopicsReply); len(r.Topics) != 0 {
		t.Errorf("%+v", r)
	}
	system.Root.Send(pid, "not a message of a store")
	m := put("no sender")
	system.Root.Send(pid, &m)
	if r := ask(t, system, pid, put("after")).(*actors.PutReply).Result; r.Status != flusher.PutOK || r.QueueOffset != 1 {
		t.Errorf("%+v", r)
	}
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
	if _, err := system.Root.RequestFuture(pid, put("late"), patience).Result(); !errors.Is(err, actor.ErrDeadLetter) {
		t.Errorf("after the stop: %v", err)
	}
}

// Before the store is open, and while it stops, each message has its answer.
func TestMessagesWhenNotOpen(t *testing.T) {
	system := quietSystem()
	defer system.Shutdown()
	inside, gate := make(chan struct{}), make(chan struct{})
	script := mappedtest.NewScript(mappedtest.NewFS(), mappedtest.Rule{Op: mappedtest.OpLock, Before: func() { close(inside); <-gate }})
	props, s := actors.Props(options(script))
	pid, err := system.Root.SpawnNamed(props, "store")
	if err != nil {
		t.Fatal(err)
	}
	<-inside
	b := actors.PutBatch{Messages: []record.Message{put("x").Message}}
	for _, message := range []any{put("x"), b, actors.Get{}, actors.Query{}, actors.Lookup{}, actors.LookupID{},
		actors.OffsetByTime{}, actors.MessageTime{}, actors.Offsets{}, actors.Topics{}, actors.DeleteTopic{Topic: "a"},
		actors.Flush{}, actors.GetState{}} {
		if err := errorOf(ask(t, system, pid, message)); !errors.Is(err, actors.ErrNotReady) {
			t.Errorf("%T while opening: %v", message, err)
		}
	}
	close(gate)
	if err := s.Ready(context.Background()); err != nil {
		t.Fatal(err)
	}
	// Many are under way when it stops: each is answered, or its future told.
	var futures []*actor.Future
	for i := range 200 {
		futures = append(futures, system.Root.RequestFuture(pid, put(fmt.Sprint(i)), patience),
			system.Root.RequestFuture(pid, actors.Get{}, patience), system.Root.RequestFuture(pid, actors.Flush{}, patience))
		if i == 100 {
			system.Root.Stop(pid)
		}
	}
	for i, f := range futures {
		if _, err := f.Result(); errors.Is(err, actor.ErrTimeout) {
			t.Fatalf("future %d was not answered", i)
		}
	}
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

func errorOf(answer any) error {
	switch m := answer.(type) {
	case *actors.PutReply:
		return m.Result.Err
	case *actors.GetReply:
		return m.Err
	case *actors.QueryReply:
		return m.Err
	case *actors.LookupReply:
		return m.Err
	case *actors.NumberReply:
		return m.Err
	case *actors.OffsetsReply:
		return m.Err
	case *actors.TopicsReply:
		return m.Err
	case *actors.DoneReply:
		return m.Err
	case *actors.StateReply:
		return m.Err
	}
	return fmt.Errorf("unknown answer %T", answer)
}

// parent is a user's actor that has a store as a child.
type parent struct {
	props      *actor.Props
	child      chan *actor.PID
	terminated chan *actor.PID
}

func (p *parent) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		pid, err := ctx.SpawnNamed(p.props, "store")
		if err == nil {
			ctx.Watch(pid)
		}
		p.child <- pid
	case *actor.Terminated:
		p.terminated <- m.Who
	}
}

// A store may be the child of any actor: it ends with it, cleanly, and its end is
// seen.
func TestStoreAsChild(t *testing.T) {
	system := quietSystem()
	defer system.Shutdown()
	ctx := context.Background()
	disk := mappedtest.NewFS()
	for round := range 3 {
		props, s := actors.Props(options(disk))
		p := &parent{props, make(chan *actor.PID, 1), make(chan *actor.PID, 2)}
		pid := system.Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return p }))
		child := <-p.child
		if err := s.Ready(ctx); err != nil {
			t.Fatal(err)
		}
		if !child.Equal(s.PID()) {
			t.Errorf("child is %v, store is %v", child, s.PID())
		}
		for i := range 10 {
			if r, err := s.Put(ctx, &record.Message{Topic: "a", Body: []byte("x")}); err != nil || r.QueueOffset != int64(10*round+i) {
				t.Fatalf("%+v %v", r, err)
			}
		}
		if round == 1 { // the store alone
			if err := s.Close(ctx); err != nil {
				t.Error(err)
			}
			if who := <-p.terminated; !who.Equal(child) {
				t.Errorf("terminated: %v", who)
			}
		}
		if err := system.Root.StopFuture(pid).Wait(); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(ctx); err != nil {
			t.Errorf("the end: %v", err)
		}
		if _, err := disk.Stat("/store/abort"); err == nil {
			t.Error("the abort marker is left")
		}
	}
}

// spawner has a store that Spawn made, inside Receive.
func TestSpawnInsideActor(t *testing.T) {
	system := quietSystem()
	defer system.Shutdown()
	type result struct {
		s   *actors.Store
		err error
	}
	done := make(chan result, 2)
	disk := mappedtest.NewFS()
	pid := system.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
		if _, ok := ctx.Message().(*actor.Started); ok {
			s, err := actors.Spawn(context.Background(), ctx, "store", options(disk))
			done <- result{s, err}
			_, err = actors.Spawn(context.Background(), ctx, "other", options(disk))
			done <- result{nil, err}
		}
	}))
	first, second := <-done, <-done
	if first.err != nil {
		t.Fatal(first.err)
	}
	if !errors.Is(second.err, mapped.ErrLocked) {
		t.Errorf("a second store on the disk: %v", second.err)
	}
	if _, err := first.s.Put(context.Background(), &record.Message{Topic: "a"}); err != nil {
		t.Error(err)
	}
	if err := system.Root.StopFuture(pid).Wait(); err != nil {
		t.Fatal(err)
	}
	if err := first.s.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
