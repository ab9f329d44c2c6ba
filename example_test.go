package actorstore_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/actorstore/actorstore"
)

// Put a message and get it back.
func Example() {
	dir, err := os.MkdirTemp("", "actorstore")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	store, err := actorstore.Open(ctx, actorstore.DefaultOptions(dir))
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close(ctx)
	put, err := store.Put(ctx, &actorstore.Message{Topic: "orders", Body: []byte("hello")})
	if err != nil {
		log.Fatal(err)
	}
	var got actorstore.GetResult
	err = store.Poll(ctx, actorstore.GetRequest{Topic: "orders", Offset: put.QueueOffset}, &got)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(put.Status, string(got.Messages[0].Body))
	// Output: PUT_OK hello
}

// Read a queue from its beginning and wait for what comes, until ctx ends. A store
// that was made elsewhere, by RocketMQ too, is opened with the sizes of its files.
func ExampleStore_Poll() {
	dir, err := os.MkdirTemp("", "actorstore")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	options, err := actorstore.FoundOptions(dir) // the defaults: there is none yet
	if err != nil {
		log.Fatal(err)
	}
	options.MappedFileSizeCommitLog, options.MaxHashSlotNum, options.MaxIndexNum = 1<<20, 1000, 4000
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	store, err := actorstore.Open(ctx, options)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close(context.Background())
	for i := range 3 {
		if _, err := store.Put(ctx, &actorstore.Message{Topic: "orders", Body: fmt.Append(nil, "order ", i)}); err != nil {
			log.Fatal(err)
		}
	}

	var got actorstore.GetResult // used again: no allocation for a message
	request := actorstore.GetRequest{Topic: "orders", MaxCount: 32}
	for {
		err := store.Poll(ctx, request, &got)
		var damaged *actorstore.CorruptionError
		if err != nil && !errors.As(err, &damaged) {
			fmt.Println(err)
			return
		}
		for i := range got.Messages {
			m := &got.Messages[i]
			fmt.Println(m.MsgID(), string(m.Body))
		}
		request.Offset = got.NextOffset // behind damage, too
		if request.Offset == 3 {
			cancel()
		}
	}
	// Output:
	// 7F00000100002A9F0000000000000000 order 0
	// 7F00000100002A9F000000000000007C order 1
	// 7F00000100002A9F00000000000000F8 order 2
	// context canceled
}
