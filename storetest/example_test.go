package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"syscall"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/storetest"
)

// orders is a service that writes orders and tries again what may be tried again.
type orders struct {
	store interface {
		Put(context.Context, *actorstore.Message) (actorstore.PutResult, error)
	}
	tries int
}

func (o *orders) place(ctx context.Context, id string) error {
	for {
		o.tries++
		_, err := o.store.Put(ctx, &actorstore.Message{Topic: "orders", Body: []byte(id)})
		if !errors.Is(err, actorstore.ErrRestarting) {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// Test your service against a flusher that dies.
func Example_flusherDies() {
	ctx := context.Background()
	o := storetest.Options()
	o.FlushDiskType = actorstore.SyncFlush
	s, err := storetest.Start(ctx, o, storetest.Script{storetest.PanicAt("flusher", 2).On("puts")})
	if err != nil {
		log.Fatal(err)
	}
	service := &orders{store: s}
	fmt.Println("first:", service.place(ctx, "1"))
	err = service.place(ctx, "2") // the flusher has this one in hand, and dies
	fmt.Println("second is in doubt:", errors.Is(err, actorstore.ErrOutcomeUnknown))
	fmt.Println("third:", service.place(ctx, "3"))

	fmt.Println("restarts:", s.Told("restarted flusher"))
	fmt.Println("broken promises:", s.Verify(ctx))
	fmt.Println("close:", s.Close(ctx))
	// Output:
	// first: <nil>
	// second is in doubt: true
	// third: <nil>
	// restarts: 1
	// broken promises: <nil>
	// close: <nil>
}

// A disk whose third sync fails: nothing is acknowledged after it, and all that
// was is there after the store is opened again.
func Example_syncFails() {
	ctx := context.Background()
	o := storetest.Options()
	o.FlushDiskType = actorstore.SyncFlush
	s, err := storetest.Start(ctx, o, storetest.Script{
		storetest.FailCall(mappedtest.OpDatasync, 3, syscall.EIO).Under("/store/commitlog/*"),
	})
	if err != nil {
		log.Fatal(err)
	}
	for id := 1; id <= 4; id++ {
		r, err := s.Put(ctx, &actorstore.Message{Topic: "orders", Body: fmt.Append(nil, id)})
		fmt.Println(id, r.Status, errors.Is(err, syscall.EIO))
	}
	s.PowerCut(1, mappedtest.Nothing)
	if err := s.Reopen(ctx, nil); err != nil {
		log.Fatal(err)
	}
	most, _ := s.MaxOffset("orders", 0)
	fmt.Println("after the power cut:", most, "messages, broken promises:", s.Verify(ctx))
	fmt.Println("close:", s.Close(ctx))
	// Output:
	// 1 PUT_OK false
	// 2 PUT_OK false
	// 3 FLUSH_DISK_TIMEOUT true
	// 4 SERVICE_NOT_AVAILABLE true
	// after the power cut: 2 messages, broken promises: <nil>
	// close: <nil>
}

// An index that panics on the same record again and again is parked; puts and
// queues go on, and the next start has all keys.
func Example_indexIsParked() {
	ctx := context.Background()
	s, err := storetest.Start(ctx, storetest.Options(), storetest.Script{
		storetest.PanicCall(mappedtest.OpAllocate, 1).Under("/store/actorstore/tmp/2*").Every(1), // an index file
	})
	if err != nil {
		log.Fatal(err)
	}
	for id := 1; id <= 3; id++ {
		m := &actorstore.Message{Topic: "orders", Body: fmt.Append(nil, id)}
		m.SetKeys(fmt.Sprint("order-", id))
		if _, err := s.Put(ctx, m); err != nil {
			log.Fatal(err)
		}
	}
	if err := storetest.Await(ctx, func() bool { return len(s.Parked()) > 0 }); err != nil {
		log.Fatal(err)
	}
	err = s.Dispatched(ctx) // by all the others
	most, _ := s.MaxOffset("orders", 0)
	fmt.Println("parked:", s.Parked(), "messages:", most, "Dispatched says so:", errors.Is(err, actorstore.ErrParked))

	s.Crash()
	if err := s.Reopen(ctx, nil); err != nil {
		log.Fatal(err)
	}
	if err := s.Dispatched(ctx); err != nil {
		log.Fatal(err)
	}
	found, err := s.Query(ctx, actorstore.QueryRequest{Topic: "orders", Key: "order-2", End: 1 << 62})
	fmt.Println("order-2 is found:", len(found.Messages), err)
	fmt.Println("close:", s.Close(ctx))
	// Output:
	// parked: [index] messages: 3 Dispatched says so: true
	// order-2 is found: 1 <nil>
	// close: <nil>
}
