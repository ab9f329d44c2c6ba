package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/actorstore/actorstore"
)

// ingest is one run.
type ingest struct {
	a       *app
	f       *runFlags
	src     *source
	pipe    *pipeline
	meter   *meter
	line    jsonLine
	batch   []actorstore.Message
	lines   []int64
	bodies  int // bytes in batch
	most    int // bytes that a batch may have
	stored  int64
	bytes   int64 // of bodies stored
	skipped int64
	read    int64 // lines
	input   int64 // bytes
	began   time.Time
}

func (a *app) run(ctx context.Context, f *runFlags, args []string) (err error) {
	if err := f.check(args[1]); err != nil {
		return err
	}
	in, size, err := a.input(args[1])
	if err != nil {
		return err
	}
	defer in.Close()
	o, err := a.options(args[0])
	if err != nil {
		return err
	}
	s, err := a.open(ctx, o)
	if err != nil {
		return err
	}
	r := &ingest{a: a, f: f, src: newSource(in), most: o.MaxMessageSize, began: time.Now(), meter: a.meter("put", 0, size, true)}
	r.src.format, r.src.whole, r.src.keyField = inputFormat(f.format), f.whole, f.keyField
	r.src.topic, r.src.queues, r.src.group = f.topic, f.queues, int64(f.batch)
	r.pipe = newPipeline(s, f.window, r.acknowledged)
	// What was sent is answered even after an interrupt.
	err = errors.Join(r.all(ctx), r.pipe.drain(context.WithoutCancel(ctx)))
	r.meter.finish()
	took := time.Since(r.began)
	err = errors.Join(err, a.close(s))
	return errors.Join(r.summary(took), err)
}

// input opens FILE; size is -1 if it is not known.
func (a *app) input(name string) (io.ReadCloser, int64, error) {
	if name == "-" {
		return io.NopCloser(a.in), -1, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, notFound("a file, or - for standard input", "%w", err)
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return f, -1, err
	}
	return f, info.Size(), nil
}

// all sends everything. When no line is at hand it sends what it has collected
// and waits for all answers, so a slow input is acknowledged at once.
func (r *ingest) all(ctx context.Context) error {
	items := r.src.feed()
	for {
		var it item
		select {
		case it = <-items:
		default:
			if err := errors.Join(r.sendBatch(ctx), r.pipe.drain(ctx)); err != nil {
				return err
			}
			select {
			case it = <-items:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if it.err == io.EOF {
			return r.sendBatch(ctx)
		}
		if err := errors.Join(r.take(ctx, it), ctx.Err()); err != nil {
			return err
		}
	}
}

// take sends one line, or passes it by if it is none and that is wanted.
func (r *ingest) take(ctx context.Context, it item) error {
	r.read, r.input = it.line, it.bytes
	var bad *failure
	switch {
	case it.err == nil:
		return r.add(ctx, it.message)
	case errors.As(it.err, &bad) && bad.kind == kindUsage && r.f.skipBad:
		r.a.note("%v", it.err)
		r.skipped++
		return nil
	}
	return errors.Join(it.err, r.sendBatch(ctx))
}

// add puts a message into the batch, and sends the batch that it does not fit.
func (r *ingest) add(ctx context.Context, m actorstore.Message) error {
	if n := len(r.batch); n > 0 {
		first := &r.batch[0]
		if n == r.f.batch || first.Topic != m.Topic || first.QueueID != m.QueueID || r.bodies+len(m.Body) > r.most {
			if err := r.sendBatch(ctx); err != nil {
				return err
			}
		}
	}
	r.batch, r.lines = append(r.batch, m), append(r.lines, r.read)
	r.bodies += len(m.Body)
	if r.f.batch == 1 {
		return r.sendBatch(ctx)
	}
	return nil
}

func (r *ingest) sendBatch(ctx context.Context) error {
	if len(r.batch) == 0 {
		return nil
	}
	err := r.pipe.send(ctx, r.batch, r.lines)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("line %d: %w", r.lines[0], err)
		var limit *actorstore.LimitError
		if errors.As(err, &limit) && r.f.skipBad {
			r.a.note("%v", err)
			r.skipped += int64(len(r.batch))
			err = nil
		}
	}
	r.batch, r.lines, r.bodies = nil, nil, 0
	return err
}

// acknowledged counts an answer and tells of it.
func (r *ingest) acknowledged(s *sending, result actorstore.PutResult) error {
	r.stored += int64(len(s.messages))
	for i := range s.messages {
		m := &s.messages[i]
		r.bytes += int64(len(m.Body))
		if !r.f.acks {
			continue
		}
		l := r.line.line().number("line", s.lines[i]).text("topic", m.Topic).number("queue", int64(m.QueueID)).
			number("offset", result.QueueOffset+int64(i))
		if i == 0 {
			l.number("phy", result.PhysicalOffset)
		}
		if err := r.a.put(l); err != nil {
			return err
		}
	}
	if r.f.acks {
		return r.a.out.Flush()
	}
	r.meter.at(r.input)
	return nil
}

func (r *ingest) summary(took time.Duration) error {
	seconds := max(took.Seconds(), 1e-9)
	if r.a.json || r.f.acks {
		return r.a.put(r.line.line().number("stored", r.stored).number("skipped", r.skipped).number("lines", r.read).
			number("bytes", r.bytes).real("seconds", seconds).real("put_per_s", float64(r.stored)/seconds))
	}
	r.a.printf("%s %s of %s in %s: %s messages/s, %s/s\n", r.a.paint(green, "stored"), countText(r.stored),
		counted(r.read, "line"), tookText(took), countText(int64(float64(r.stored)/seconds)),
		bytesText(int64(float64(r.bytes)/seconds)))
	if r.skipped > 0 {
		what := "line that is no message"
		if r.skipped != 1 {
			what = "lines that are no messages"
		}
		r.a.printf("%s %s %s\n", r.a.paint(yellow, "skipped"), countText(r.skipped), what)
	}
	return nil
}
