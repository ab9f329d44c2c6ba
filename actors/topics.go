package actors

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	batch  map[string]bool // true: batch, false: simple
	listed []string
}

// readTopicKinds reads the attributes of topics.json; a missing file is none.
func readTopicKinds(fsys mapped.FS, path string, batchTopics []string) (*topicKinds, error) {
	k := &topicKinds{batch: make(map[string]bool), listed: batchTopics}
	if err := k.readFile(fsys, path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, topic := range batchTopics {
		k.batch[topic] = true
	}
	return k, nil
}

func (k *topicKinds) readFile(fsys mapped.FS, path string) error {
	f, err := fsys.OpenFile(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return err
	}
	var config struct {
		TopicConfigTable map[string]struct {
			Attributes map[string]string `json:"attributes"`
		} `json:"topicConfigTable"`
	}
	if err := json.NewDecoder(io.NewSectionReader(f, 0, size)).Decode(&config); err != nil {
		return nil // RocketMQ starts with defaults then, too
	}
	for topic, c := range config.TopicConfigTable {
		if kind, ok := c.Attributes["queue.type"]; ok {
			k.batch[topic] = strings.EqualFold(kind, "BatchCQ")
		}
	}
	return nil
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

// add makes a deletion durable.
func (d *deletedTopics) add(topic string, end int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	before, was := d.topics[topic]
	d.topics[topic] = end
	err := checkpoint.WriteDeleted(d.fs, d.layout, d.topics)
	if err != nil {
		delete(d.topics, topic)
		if was {
			d.topics[topic] = before
		}
	}
	return err
}
