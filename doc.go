// Package actorstore is a message store in the file format of Apache RocketMQ,
// built as a pipeline of actors.
//
// Every message is appended to one CommitLog; ConsumeQueues, one for each topic
// and queue, and a key index are derived from it. A store can be opened by this
// engine and by RocketMQ in turn.
//
//	store, err := actorstore.Open(ctx, actorstore.DefaultOptions("data"))
//	defer store.Close(ctx)
//	put, err := store.Put(ctx, &actorstore.Message{Topic: "orders", Body: []byte("hello")})
//	var got actorstore.GetResult
//	err = store.Poll(ctx, actorstore.GetRequest{Topic: "orders", Offset: put.QueueOffset}, &got)
//
// DefaultOptions make a new store with RocketMQ's file sizes; FoundOptions open one
// that was made with others. Inspect looks at a store and changes nothing.
//
// # Promise
//
// A put answered PUT_OK is there after the process dies, and under SyncFlush
// after the power fails. A message that was damaged on disk is reported and
// never returned, and costs no other message. Package flusher says what an
// answer means, package commitlog lists the invariants.
//
// # Parts
//
// This package is a face. The running store and its messages for other actors
// are in package actors; each subsystem has a package of its own, whose doc
// comment gives its promise, format and invariants.
package actorstore
