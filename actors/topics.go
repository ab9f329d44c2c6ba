package actors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"strings"
	"sync"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/consumequeue"
)

// topicKinds tells the kind of each topic's queues: by option, else by
// RocketMQ's config/topics.json, else by the record.
type topicKinds struct {
	batch map[string]bool // true: batch, false: simple
}

// readTopicKinds reads the attributes of topics.json; where that is missing or
// cannot be read as JSON, those of topics.json.bak, as RocketMQ does. Neither
// is none.
func readTopicKinds(fsys mapped.FS, path string, batchTopics []string) (*topicKinds, error) {
	k := &topicKinds{batch: make(map[string]bool)}
	for _, path := range []string{path, path + ".bak"} {
		b, err := readAll(fsys, path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if k.parse(b) {
			break
		}
	}
	for _, topic := range batchTopics {
		k.batch[topic] = true
	}
	return k, nil
}

// readAll is the content of a small file, nil if it is missing.
func readAll(fsys mapped.FS, path string) ([]byte, error) {
	f, err := fsys.OpenFile(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(f, 0, size))
}

// parse takes the kinds from a topics.json; false if it is none.
func (k *topicKinds) parse(b []byte) bool {
	var config struct {
		TopicConfigTable map[string]struct {
			Attributes map[string]string `json:"attributes"`
		} `json:"topicConfigTable"`
	}
	if err := json.Unmarshal(quoteKeys(b), &config); err != nil {
		return false
	}
	for topic, c := range config.TopicConfigTable {
		if kind, ok := c.Attributes["queue.type"]; ok {
			k.batch[topic] = strings.EqualFold(kind, "BatchCQ")
		}
	}
	return true
}

// quoteKeys puts the keys of maps into quotes that have none: fastjson writes
// numbers so.
func quoteKeys(b []byte) []byte {
	out := make([]byte, 0, len(b)+16)
	for at := 0; at < len(b); {
		end := at + 1
		switch c := b[at]; {
		case c == '"':
			for end < len(b) && b[end] != '"' {
				if b[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(b))
		case inBareKey(c):
			for end < len(b) && inBareKey(b[end]) {
				end++
			}
			if rest := bytes.TrimLeft(b[end:], " \t\r\n"); len(rest) > 0 && rest[0] == ':' {
				out = append(append(append(out, '"'), b[at:end]...), '"')
				at = end
				continue
			}
		}
		out = append(out, b[at:end]...)
		at = end
	}
	return out
}

func inBareKey(c byte) bool {
	return c == '-' || c == '_' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// of is the kind of a topic's queues; innerBatch is what its record says.
func (k *topicKinds) of(topic string, innerBatch bool) consumequeue.Kind {
	batch, known := k.batch[topic]
	if batch || (!known && innerBatch) {
		return consumequeue.Batch
	}
	return consumequeue.Simple
}

// deletedTopics are the topics that were deleted while records of them were
// still in the log. It is shared by the actors.
type deletedTopics struct {
	mu     sync.RWMutex
	topics checkpoint.DeletedTopics
	fs     mapped.FS
	layout checkpoint.Layout
}

func readDeleted(fsys mapped.FS, layout checkpoint.Layout) (*deletedTopics, error) {
	topics, err := checkpoint.ReadDeleted(fsys, layout)
	if err != nil {
		return nil, err
	}
	if topics == nil {
		topics = checkpoint.DeletedTopics{}
	}
	return &deletedTopics{topics: topics, fs: fsys, layout: layout}, nil
}

// end is the end of the log when the topic was deleted, 0 if it was not.
func (d *deletedTopics) end(topic string) int64 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.topics[topic]
}

// replace takes over what recovery has made of the deletions.
func (d *deletedTopics) replace(topics checkpoint.DeletedTopics) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if topics == nil {
		topics = checkpoint.DeletedTopics{}
	}
	d.topics = topics
}

// add makes a deletion durable.
func (d *deletedTopics) add(topic string, end int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	topics := maps.Clone(d.topics)
	topics[topic] = end
	if err := checkpoint.WriteDeleted(d.fs, d.layout, topics); err != nil {
		return err
	}
	d.topics = topics
	return nil
}

// cut follows a log that has lost its tail: a deletion cannot reach behind its
// end, or it would cover what is put there from now on (F21).
func (d *deletedTopics) cut(end int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	cut := maps.Clone(d.topics)
	for topic, deleted := range cut {
		cut[topic] = min(deleted, end)
	}
	if maps.Equal(cut, d.topics) {
		return nil
	}
	if err := checkpoint.WriteDeleted(d.fs, d.layout, cut); err != nil {
		return err
	}
	d.topics = cut
	return nil
}
