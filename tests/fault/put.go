package fault

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/flusher"
)

// Outcome is what an answer promises about a message.
type Outcome uint8

// The outcomes of a put.
const (
	Refused Outcome = iota // nothing was written: it must never be seen
	Unknown                // it may be there or not
	Acked                  // it must be there
)

// Put is a message that was sent, and what became of it.
type Put struct {
	ID      int
	Topic   string
	QueueID int32
	Size    int // of the body
	Result  actorstore.PutResult
	Outcome Outcome
	Nth     int // within its batch

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

// Message is the message of a put.
func (p *Put) Message() actorstore.Message {
	return actorstore.Message{
		Topic: p.Topic, QueueID: p.QueueID, Body: Body(p.ID, p.Size),
		Properties: actorstore.NewProperties(actorstore.PropertyKeys, Key(p.ID)),
	}
}

// judge says what an answer promises, and what is wrong with the answer itself.
func judge(result actorstore.PutResult, err error, sync, begun bool) (Outcome, error) {
	if (err == nil) != (result.Status == actorstore.PutOK) {
		return Unknown, fmt.Errorf("status %v with error %v", result.Status, err)
	}
	switch {
	case err == nil && sync && result.Durability < flusher.Flushed:
		return Acked, fmt.Errorf("PUT_OK at durability %v under SYNC_FLUSH", result.Durability)
	case err == nil && result.Durability < flusher.Written:
		return Acked, fmt.Errorf("PUT_OK at durability %v", result.Durability)
	case err == nil:
		return Acked, nil
	case errors.Is(err, actorstore.ErrOutcomeUnknown), errors.Is(err, context.DeadlineExceeded):
		return Unknown, nil
	case result.Status == flusher.FlushDiskTimeout:
		if !begun {
			return Unknown, fmt.Errorf("FLUSH_DISK_TIMEOUT for a put that was refused")
		}
		return Unknown, nil
	case result.Status == flusher.UnknownError:
		return Unknown, fmt.Errorf("an unknown status: %w", err)
	}
	return Refused, nil
}
