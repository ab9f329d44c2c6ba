package record

import (
	"errors"
	"fmt"
)

// ErrCorrupt is what errors.Is finds in every CorruptionError.
var ErrCorrupt = errors.New("corrupt")

// CorruptionError says that bytes in a file are not what the format, or another
// file, says they must be. It is the one type for that in the whole store.
type CorruptionError struct {
	Path   string // file, empty where only bytes were at hand
	Offset int64  // position in the file, or the physical offset for the log
	Want   string // what was expected
	Got    string // what was found
	Next   int64  // offset at which reading can go on; -1 = unknown
}

// Error names the file, the offset, what was expected and what was found.
func (e *CorruptionError) Error() string {
	path := e.Path
	if path == "" {
		path = "record"
	}
	return fmt.Sprintf("%s: offset %d: want %s, got %s", path, e.Offset, e.Want, e.Got)
}

// Is makes errors.Is(err, ErrCorrupt) true.
func (e *CorruptionError) Is(target error) bool { return target == ErrCorrupt }

// ErrIllegal is what errors.Is finds in every LimitError: the message was
// refused before anything was written (PutMessageStatus MESSAGE_ILLEGAL or
// PROPERTIES_SIZE_EXCEEDED).
var ErrIllegal = errors.New("message illegal")

// LimitError says which rule of Limits a message breaks.
type LimitError struct {
	Field      string // "topic", "queueId", "body", "properties", ...
	Want       string // the rule
	Got        string // what was given
	Properties bool   // the size of the properties is at fault
}

// Error names the field, the rule and what was given.
func (e *LimitError) Error() string {
	return fmt.Sprintf("message refused: %s: want %s, got %s", e.Field, e.Want, e.Got)
}

// Is makes errors.Is(err, ErrIllegal) true.
func (e *LimitError) Is(target error) bool { return target == ErrIllegal }
