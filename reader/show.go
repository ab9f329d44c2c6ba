package reader

import (
	"fmt"
	"log/slog"
)

// String tells of a result in one line, for logs: how it ended and how much it
// holds, never the messages, and not the memory behind them.
func (g GetResult) String() string {
	more := ""
	if g.More {
		more = ", more behind"
	}
	return fmt.Sprintf("GetResult{%v, %d messages of %d bytes, next offset %d of [%d,%d)%s}",
		g.Status, len(g.Messages), g.Size(), g.NextOffset, g.MinOffset, g.MaxOffset, more)
}

// GoString is String: %#v would print megabytes, too.
func (g GetResult) GoString() string { return g.String() }

// LogValue is String for structured loggers.
func (g GetResult) LogValue() slog.Value { return slog.StringValue(g.String()) }
