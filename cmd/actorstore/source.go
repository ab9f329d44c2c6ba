package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/actorstore/actorstore"
)

// inputFormat says what a line of input is.
type inputFormat string

const (
	formatLines inputFormat = "lines"
	formatJSONL inputFormat = "jsonl"
)

// formatOf is what the name of a file says of its lines.
func formatOf(file string) inputFormat {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".jsonl", ".ndjson":
		return formatJSONL
	}
	return formatLines
}

// source turns lines of input into messages.
type source struct {
	lines    *bufio.Scanner
	format   inputFormat
	whole    bool   // a JSON object is the body, whatever is in it
	keyField string // of a JSON object
	topic    string
	queues   int32
	group    int64 // so many lines in a row go to one queue
	number   int64 // of the line that was read last, from 1
	bytes    int64 // read so far
}

// lineMost bounds a line: the largest body, with room for what is around it in
// JSON.
const lineMost = 16 << 20

func newSource(r io.Reader) *source {
	s := &source{lines: bufio.NewScanner(r), group: 1}
	s.lines.Buffer(make([]byte, 64<<10), lineMost)
	return s
}

// item is what a line gave.
type item struct {
	message actorstore.Message
	line    int64
	bytes   int64 // of input up to here
	err     error // io.EOF behind the last line
}

// feedAhead is how many lines are read ahead.
const feedAhead = 64

// feed reads on a goroutine of its own, so that an interrupt is noticed while
// nothing comes in. The goroutine ends behind the last line; one that waits for
// input in vain ends with the program.
func (s *source) feed() <-chan item {
	items := make(chan item, feedAhead)
	go func() {
		defer close(items)
		for {
			m, err := s.next()
			items <- item{m, s.number, s.bytes, err}
			if err == io.EOF || s.lines.Err() != nil {
				return
			}
		}
	}()
	return items
}

// next is the next message; io.EOF behind the last. The message is the caller's.
func (s *source) next() (actorstore.Message, error) {
	if !s.lines.Scan() {
		if err := s.lines.Err(); err != nil {
			if errors.Is(err, bufio.ErrTooLong) {
				err = fmt.Errorf("want at most %s", bytesText(lineMost))
			}
			return actorstore.Message{}, fail(kindFailed, "shorter lines", "line %d: %w", s.number+1, err)
		}
		return actorstore.Message{}, io.EOF
	}
	line := s.lines.Bytes()
	s.number++
	s.bytes += int64(len(line)) + 1
	m := actorstore.Message{Topic: s.topic, QueueID: int32((s.number - 1) / s.group % int64(s.queues))}
	if s.format == formatLines {
		m.Body = bytes.Clone(line)
		return m, s.named(&m)
	}
	if err := s.object(line, &m); err != nil {
		return m, s.bad(s.number, err)
	}
	return m, s.named(&m)
}

// named makes sure that the message has a topic.
func (s *source) named(m *actorstore.Message) error {
	if m.Topic == "" {
		return s.bad(s.number, errors.New(`want a topic: --topic, or "topic" in the object`))
	}
	return nil
}

func (s *source) bad(line int64, err error) error {
	return fail(kindUsage, "mend the line; --skip-bad skips such lines; actorstore run --help says what a line may be",
		"line %d: %w", line, err)
}

// object reads a line of JSON.
func (s *source) object(line []byte, m *actorstore.Message) error {
	var o map[string]json.RawMessage
	if err := json.Unmarshal(line, &o); err != nil || o == nil {
		return fmt.Errorf("want a JSON object: %w", errors.Join(err))
	}
	_, text := o["body"]
	_, coded := o["bodyBase64"]
	if s.whole || !text && !coded {
		m.Body = bytes.Clone(line)
	} else if err := envelope(o, m); err != nil {
		return err
	}
	if s.keyField == "" || len(m.Keys()) > 0 {
		return nil
	}
	if value, ok := o[s.keyField]; ok {
		m.SetKeys(scalar(value))
	}
	return nil
}

// envelope reads an object that describes a message. A member that is not known
// is refused: it may be a misspelt one.
func envelope(o map[string]json.RawMessage, m *actorstore.Message) error {
	for name, value := range o {
		var err error
		switch name {
		case "topic":
			err = json.Unmarshal(value, &m.Topic)
		case "queue":
			err = json.Unmarshal(value, &m.QueueID)
		case "flag":
			err = json.Unmarshal(value, &m.Flag)
		case "body":
			m.Body = []byte(scalar(value))
		case "bodyBase64":
			err = json.Unmarshal(value, &m.Body)
		case "tags", "keys", "properties":
		default:
			return fmt.Errorf(`%q is no member of a message; --whole takes the whole line as the body`, name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return envelopeProperties(o, m)
}

// envelopeProperties comes last, since a map has no order and later properties
// stand behind earlier ones.
func envelopeProperties(o map[string]json.RawMessage, m *actorstore.Message) error {
	if raw, ok := o["properties"]; ok {
		var properties map[string]string
		if err := json.Unmarshal(raw, &properties); err != nil {
			return fmt.Errorf("properties: want an object of strings: %w", err)
		}
		for name, value := range properties {
			m.Properties.Set(name, value)
		}
	}
	if raw, ok := o["tags"]; ok {
		m.SetTags(scalar(raw))
	}
	if raw, ok := o["keys"]; ok {
		var keys []string
		if json.Unmarshal(raw, &keys) != nil {
			keys = strings.Fields(scalar(raw))
		}
		m.SetKeys(keys...)
	}
	return nil
}

// scalar is the text of a JSON string, and the JSON of anything else.
func scalar(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
