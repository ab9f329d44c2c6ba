package actorstore_test

import (
	"context"
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
