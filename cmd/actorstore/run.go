package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/actorstore/actorstore"
)

const runHelp = `Store each line of a file, or of standard input (-), as a message, and end with
a summary. Many puts are under way at a time; they are answered in order.

--format lines: a line is the body, without its line end.

--format jsonl: a line is a JSON object. Without the members "body" and
"bodyBase64" the whole line is the body. With one of them it is a message:
  {"topic":"orders","queue":0,"tags":"paid","keys":["a","b"],
   "properties":{"region":"eu"},"flag":0,"body":"hello"}
All but the body may be missing; "keys" may be one string with blanks; a body
that is no string is stored as its JSON; other members are an error. --whole
takes the whole line as the body in any case. --key-field names a member whose
value becomes the message's key, if it has none.

A message goes to its own queue, else to queue (line - 1) mod --queues. With
--batch N up to N messages of one topic and queue that follow each other are
stored as a batch (the queue then changes every N lines).

--acks prints a line {"line":1,"topic":"t","queue":0,"offset":0,"phy":0} for each
message when it was acknowledged.`

// runFlags are what run is told.
type runFlags struct {
	topic, format, keyField string
	queues                  int32
	batch, window           int
	whole, skipBad, acks    bool
}

func newRun(a *app) *cobra.Command {
	f := &runFlags{}
	c := &cobra.Command{
		Use: "run DIR FILE|- [flags]", Short: "Store the lines of a file or of standard input", Long: runHelp,
		Example: `  actorstore run data access.log --topic access --queues 8
  tail -f app.log | actorstore run data - --topic app --flush sync
  actorstore run data orders.jsonl --topic orders --format jsonl --key-field orderId`,
		Args: words("DIR", "FILE"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	c.Flags().StringVar(&f.topic, "topic", "", "topic of messages that name none")
	c.Flags().Int32Var(&f.queues, "queues", 4, "queues that messages without one are spread over")
	c.Flags().StringVar(&f.format, "format", "lines", "what a line is: lines or jsonl")
	c.Flags().StringVar(&f.keyField, "key-field", "", "with jsonl: the member that is the key")
	c.Flags().BoolVar(&f.whole, "whole", false, "with jsonl: the whole line is the body, whatever is in it")
	c.Flags().BoolVar(&f.skipBad, "skip-bad", false, "pass lines by that are no message")
	c.Flags().IntVar(&f.batch, "batch", 1, "at most so many messages are put together")
	c.Flags().IntVar(&f.window, "window", 512, "at most so many puts are under way")
	c.Flags().BoolVar(&f.acks, "acks", false, "print a JSON line for each acknowledged message")
	complete(c, "format", "lines", "jsonl")
	a.store.flushing(c, "async")
	a.store.sizes(c)
	c.RunE = a.runs(func(c *cobra.Command, args []string) error { return a.run(c.Context(), f, args) })
	return c
}

func (f *runFlags) check() error {
	help := "actorstore run --help"
	switch {
	case f.format != string(formatLines) && f.format != string(formatJSONL):
		return usage("--format lines, or --format jsonl", "--format %q is neither", f.format)
	case f.queues < 1 || f.batch < 1 || f.window < 1:
		return usage(help, "--queues, --batch and --window are at least 1")
	case f.format == string(formatLines) && (f.keyField != "" || f.whole):
		return usage("--format jsonl", "--key-field and --whole are for JSON lines")
	case f.format == string(formatLines) && f.topic == "":
		return usage("--topic NAME", "lines have no topic of their own")
	}
	return nil
}

// ingest is one run.
type ingest struct {
	a       *app
	f       *runFlags
	src     *source
	pipe    *pipeline
	bar     *progressbar.ProgressBar
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
	if err := f.check(); err != nil {
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
	r := &ingest{a: a, f: f, src: newSource(in), most: o.MaxMessageSize, began: time.Now(), bar: a.progress("put", size, true)}
	r.src.format, r.src.whole, r.src.keyField = inputFormat(f.format), f.whole, f.keyField
	r.src.topic, r.src.queues, r.src.group = f.topic, f.queues, int64(f.batch)
	r.pipe = newPipeline(s, f.window, r.acknowledged)
	// What was sent is answered even after an interrupt.
	err = errors.Join(r.all(ctx), r.pipe.drain(context.WithoutCancel(ctx)))
	_ = r.bar.Finish()
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
	case errors.As(it.err, &bad) && bad.code == exitUsage && r.f.skipBad:
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
	return r.bar.Set64(r.input)
}

func (r *ingest) summary(took time.Duration) error {
	seconds := max(took.Seconds(), 1e-9)
	if r.a.json || r.f.acks {
		return r.a.put(r.line.line().number("stored", r.stored).number("skipped", r.skipped).number("lines", r.read).
			number("bytes", r.bytes).real("seconds", seconds).real("put_per_s", float64(r.stored)/seconds))
	}
	r.a.printf("%s %s of %s lines in %s: %s messages/s, %s/s\n", r.a.paint(green, "stored"), countText(r.stored),
		countText(r.read), tookText(took), countText(int64(float64(r.stored)/seconds)),
		bytesText(int64(float64(r.bytes)/seconds)))
	if r.skipped > 0 {
		r.a.printf("%s %s lines that are no message\n", r.a.paint(yellow, "passed by"), countText(r.skipped))
	}
	return nil
}
