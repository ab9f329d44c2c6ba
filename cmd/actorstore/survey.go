package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/actorstore/actorstore"
)

// survey is what stat shows.
type survey struct {
	a                         *app
	dir, state                string
	least, end                int64
	segmentSize               int64
	log, queues, index, aside fileCount
	report                    actorstore.Report
	findings                  []actorstore.Finding
	i                         *actorstore.Inspection
	topics                    []actorstore.TopicInfo
}

// fileCount is how many files a part of the store has and what sizes they show.
type fileCount struct{ files, bytes int64 }

func (a *app) survey(dir string, i *actorstore.Inspection) (*survey, error) {
	o, err := a.options(dir)
	if err != nil {
		return nil, err
	}
	s := &survey{a: a, dir: dir, i: i, state: "clean", segmentSize: o.MappedFileSizeCommitLog,
		report: i.Report(), topics: i.Topics()}
	switch {
	case i.Locked():
		s.state = "in use"
	case !i.Clean():
		s.state = "unclean"
	}
	s.least, s.end = i.Bounds()
	s.findings = s.report.Findings
	if err := s.log.add(a.logDir(dir)); err != nil {
		return nil, err
	}
	for part, count := range map[string]*fileCount{
		"consumequeue": &s.queues, "batchconsumequeue": &s.queues,
		"consumequeue_ext": &s.queues, "index": &s.index, "actorstore/aside": &s.aside,
	} {
		if err := count.add(filepath.Join(dir, part)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// add counts the files below a directory, which need not be there. A file that
// goes meanwhile does not count.
func (c *fileCount) add(dir string) error {
	return filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			c.files++
			c.bytes += info.Size()
		}
		return nil
	})
}

func (s *survey) json() error {
	var l jsonLine
	state, mark := s.i.State(), s.report.Plan.Mark
	l.line().text("store", s.dir).text("state", s.state).number("min", s.least).number("max", s.end).
		number("last", s.report.Last).number("segments", s.log.files).number("segmentSize", s.segmentSize).
		number("logBytes", s.log.bytes).number("queueFiles", s.queues.files).number("queueBytes", s.queues.bytes).
		number("indexFiles", s.index.files).number("indexBytes", s.index.bytes)
	l.number("asideFiles", s.aside.files).number("asideBytes", s.aside.bytes)
	if mark != nil {
		l.number("markSequence", mark.Sequence).number("markFlushed", mark.FlushedEnd)
	}
	l.number("physicMsgTimestamp", state.Checkpoint.PhysicMsgTimestamp).
		number("logicsMsgTimestamp", state.Checkpoint.LogicsMsgTimestamp).
		number("indexMsgTimestamp", state.Checkpoint.IndexMsgTimestamp).
		number("findings", int64(len(s.findings)))
	if err := s.a.put(&l); err != nil {
		return err
	}
	for _, t := range s.topics {
		for _, q := range t.Queues {
			if err := s.a.put(queueLine(&l, t.Topic, q)); err != nil {
				return err
			}
		}
	}
	for _, f := range s.findings {
		if err := s.a.put(findingLine(&l, f, s.i.Heals(f))); err != nil {
			return err
		}
	}
	return nil
}

func (s *survey) people() error {
	a, r := s.a, &s.report
	colour := map[string]style{"clean": green, "in use": cyan, "unclean": yellow}[s.state]
	words := map[string]string{"clean": "closed cleanly", "in use": "in use by another process", "unclean": "not closed cleanly"}[s.state]
	say := func(name, format string, args ...any) {
		a.printf("%s %s\n", a.paint(bold, fmt.Sprintf("%-11s", name)), fmt.Sprintf(format, args...))
	}
	say("store", "%s, %s", s.dir, a.paint(colour, words))
	say("log", "%s to %s (%s), %s of %s", countText(s.least), countText(s.end), bytesText(s.end-s.least),
		counted(s.log.files, "segment"), bytesText(s.segmentSize))
	say("queues", "%s, %s (sparse)", counted(s.queues.files, "file"), bytesText(s.queues.bytes))
	say("index", "%s, %s", counted(s.index.files, "file"), bytesText(s.index.bytes))
	if s.aside.files > 0 {
		say("aside", "%s, %s, that recovery or repair took away, in %s", counted(s.aside.files, "file"), bytesText(s.aside.bytes),
			filepath.Join(s.dir, "actorstore", "aside"))
	}
	say("on disk", "%s", onDisk(&r.Plan, s.least, s.end))
	if r.Writer >= 0 {
		say("writer", "at %s; what stands behind is just being written", countText(r.Writer))
	}
	c := s.i.State().Checkpoint
	say("checkpoint", "log %s, queues %s, index %s", timeText(c.PhysicMsgTimestamp), timeText(c.LogicsMsgTimestamp), timeText(c.IndexMsgTimestamp))
	if len(s.findings) == 0 {
		say("damage", "%s", a.paint(green, "none seen at the end of the log; verify reads everything"))
	}
	for _, f := range s.findings {
		f.Path = short(s.dir, f.Path)
		say("damage", "%s", a.paint(red, f.String()))
	}
	a.printf("\n")
	return s.queueTable()
}

// onDisk tells what the durable mark does, in plain words.
func onDisk(p *actorstore.Plan, least, end int64) string {
	mark := p.Mark
	switch {
	case mark == nil && p.WhyNoMark == "there is none":
		return "not known: this engine has not written the store yet"
	case mark == nil:
		return "not known: " + p.WhyNoMark
	case mark.FlushedEnd <= least && end <= least:
		return "everything; the log is empty"
	case mark.FlushedEnd <= least:
		return "not known yet: the first records were not flushed when this was last written down"
	case mark.FlushedEnd >= end:
		return "the whole log"
	}
	return fmt.Sprintf("the log up to %s, the last %s perhaps not", countText(mark.FlushedEnd), bytesText(end-mark.FlushedEnd))
}

func (s *survey) queueTable() error {
	t := s.a.table("TOPIC", ">QUEUE", "KIND", ">MIN", ">MAX", ">MESSAGES", "")
	for _, topic := range s.topics {
		for _, q := range topic.Queues {
			why := ""
			if q.Err != nil {
				why = s.a.paint(red, strings.ReplaceAll(q.Err.Error(), "\n", "; "))
			}
			if err := t.row(harmless(topic.Topic, false), strconv.Itoa(int(q.ID)), q.Kind.String(), strconv.FormatInt(q.Min, 10),
				strconv.FormatInt(q.Max, 10), countText(q.Max-q.Min), why); err != nil {
				return err
			}
		}
	}
	return t.print()
}
