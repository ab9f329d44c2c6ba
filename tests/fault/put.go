package fault

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// Put is a message that was sent, and what became of it.
type Put struct {
	*oracle.Sent
	pending actorstore.Pending
	begun   bool
}

// Key is the key that finds the message of an id.
func Key(id int) string { return "k" + strconv.Itoa(id) }

// Body is the body of a message: its id, and bytes that follow from it.
func Body(id, size int) []byte {
	b := make([]byte, 0, size+16)
	b = append(b, "m"+strconv.Itoa(id)+"|"...)
	for x := uint32(id)*2654435761 + 1; len(b) < size; x = x*1664525 + 1013904223 {
		b = append(b, byte(x>>24))
	}
	return b
}

// IDOf is the id that a body begins with, -1 if it has none.
func IDOf(body []byte) int {
	head, _, ok := strings.Cut(string(body[:min(len(body), 20)]), "|")
	if !ok || !strings.HasPrefix(head, "m") {
		return -1
	}
	id, err := strconv.Atoi(head[1:])
	if err != nil {
		return -1
	}
	return id
}

// message is the message of an id.
func message(id int, topic string, queue int32, size int) actorstore.Message {
	return actorstore.Message{Topic: topic, QueueID: queue, Body: Body(id, size),
		Properties: actorstore.NewProperties(actorstore.PropertyKeys, Key(id), oracle.Serial, strconv.Itoa(id))}
}

// honest says what is wrong with an answer itself.
func honest(result actorstore.PutResult, err error, sync, begun bool) error {
	switch {
	case (err == nil) != (result.Status == actorstore.PutOK):
		return fmt.Errorf("status %v with error %v", result.Status, err)
	case err == nil && sync && result.Durability < flusher.Flushed:
		return fmt.Errorf("PUT_OK at durability %v under SYNC_FLUSH", result.Durability)
	case err == nil && result.Durability < flusher.Written:
		return fmt.Errorf("PUT_OK at durability %v", result.Durability)
	case result.Status == flusher.FlushDiskTimeout && !begun:
		return errors.New("FLUSH_DISK_TIMEOUT for a put that was refused")
	case result.Status == flusher.UnknownError && !errors.Is(err, actorstore.ErrOutcomeUnknown) && !errors.Is(err, context.Canceled):
		return fmt.Errorf("an unknown status: %w", err)
	}
	return nil
}
