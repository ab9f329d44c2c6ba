package repair

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/recoverer"
)

// queues looks through the directories of all kinds of queues.
func (l *look) queues() error {
	for _, root := range []struct {
		dir  string
		size int64
	}{
		{l.layout.ConsumeQueue(), l.sizes.Queue},
		{l.layout.BatchConsumeQueue(), l.sizes.BatchQueue},
		{l.layout.ConsumeQueueExt(), 0}, // read only where a unit leads there
	} {
		topics, err := l.below(root.dir, "the directory of a topic")
		if err != nil {
			return err
		}
		for _, topic := range topics {
			queues, err := l.below(topic, "the directory of a queue")
			if err != nil {
				return err
			}
			for _, queue := range queues {
				if err := l.queue(queue, root.size); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// below gives the directories in dir; files there are strays.
func (l *look) below(dir, want string) (dirs []string, err error) {
	entries, err := l.list(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			dirs = append(dirs, path)
		case e.Type().IsRegular():
			l.stray(recoverer.ConsumeQueue, path, want)
		}
	}
	return dirs, err
}

// queueFile is a file of a queue as the directory lists it.
type queueFile struct {
	path        string
	start, size int64
}

// queue looks at one queue: its files follow each other and have one length.
// What is behind the first that does not comes from the log again.
func (l *look) queue(dir string, size int64) error {
	if id := filepath.Base(dir); !isQueueID(id) {
		return nil
	}
	entries, err := l.list(dir)
	if err != nil {
		return err
	}
	var files []queueFile
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !e.Type().IsRegular() {
			continue
		}
		start, ok := mapped.ParseName(e.Name())
		if !ok {
			l.stray(recoverer.ConsumeQueue, path, "a queue file, named by the position of its first byte")
			continue
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		files = append(files, queueFile{path, start, info.Size()})
	}
	if size > 0 {
		l.queueFiles(files, size)
	}
	return nil
}

func (l *look) queueFiles(files []queueFile, size int64) {
	slices.SortFunc(files, func(a, b queueFile) int { return cmp.Compare(a.start, b.start) })
	next := int64(-1)
	for i, f := range files {
		s := Step{Action: Move, Where: recoverer.ConsumeQueue, Path: f.path}
		switch {
		case f.start%size != 0:
			s.Want, s.Got = fmt.Sprintf("a name that is a multiple of %d", size), fmt.Sprint(f.start)
		case next >= 0 && f.start != next:
			s.Want, s.Got = "the file "+mapped.Name(next)+" in front of it", "none"
		case f.size != size:
			s.Offset = min(f.size, size)
			s.Want, s.Got = fmt.Sprintf("a file of %d bytes", size), fmt.Sprintf("%d bytes", f.size)
		default:
			next = f.start + size
			continue
		}
		// The last one first: what a stop leaves is the front of a queue.
		for j := len(files) - 1; j > i; j-- {
			l.add(Step{Action: Move, Where: recoverer.ConsumeQueue, Path: files[j].path,
				Want: "files that follow each other", Got: "one behind " + filepath.Base(f.path) + ", which is wrong"})
		}
		l.add(s)
		return
	}
}

// isQueueID accepts what a queue id prints as.
func isQueueID(name string) bool {
	id, err := strconv.ParseInt(name, 10, 32)
	return err == nil && id >= 0 && strconv.FormatInt(id, 10) == name
}
