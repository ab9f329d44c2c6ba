package commitlog_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

// TestScript runs the scripts in testdata/script for a staged and for a mapped
// log: whatever way the bytes take, the log is the same.
//
//	open [segment=N]        an empty log
//	append topic queue size [prepared|commit|rollback]
//	batch topic queue size...
//	publish, flush, prepare
//	log                     entries in [min, appended)
//	marks                   segments and watermarks
func TestScript(t *testing.T) {
	for name, set := range map[string]setting{"staged": staged, "mapped": func(*commitlog.Options) {}} {
		t.Run(name, func(t *testing.T) {
			datadriven.Walk(t, "testdata/script", func(t *testing.T, path string) {
				var b *bed
				datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
					if d.Cmd == "open" {
						n := int64(segment)
						if d.HasArg("segment") {
							d.ScanArgs(t, "segment", &n)
						}
						b = begin(t, mappedtest.NewFS(), "/store", set, sized(n))
						return ""
					}
					return b.command(t, d)
				})
			})
		})
	}
}

func (b *bed) command(t *testing.T, d *datadriven.TestData) string {
	var out strings.Builder
	for _, line := range strings.Split(d.Cmd+" "+argsOf(d)+"\n"+d.Input, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if s := b.step(t, words); s != "" {
			out.WriteString(strings.TrimSuffix(s, "\n") + "\n")
		}
	}
	return out.String()
}

func argsOf(d *datadriven.TestData) string {
	var words []string
	for _, a := range d.CmdArgs {
		words = append(words, a.Key)
	}
	return strings.Join(words, " ")
}

func (b *bed) step(t *testing.T, words []string) string {
	switch words[0] {
	case "append":
		m := message(words[1], int32(number(t, words[2])), number(t, words[3]))
		if len(words) > 4 {
			m.SysFlag = map[string]int32{"prepared": record.SysTransactionPrepared,
				"commit": record.SysTransactionCommit, "rollback": record.SysTransactionRollback}[words[4]]
		}
		at, err := b.append(m)
		return outcome(at.PhysicalOffset, at.Size, at.QueueOffset, err)
	case "batch":
		var ms []record.Message
		for _, size := range words[3:] {
			ms = append(ms, *message(words[1], int32(number(t, words[2])), number(t, size)))
		}
		at, err := b.appendBatch(ms)
		return outcome(at.PhysicalOffset, at.Size, at.QueueOffset, err)
	case "publish":
		return failure(b.tryPublish())
	case "flush":
		return failure(b.disk.Flush())
	case "prepare":
		f, err := b.alloc.Prepare()
		if f == nil {
			return "nothing made" + failure(err)
		}
		return fmt.Sprintf("made %d%s", f.Offset(), failure(err))
	case "marks":
		m := marks(b.log)
		return fmt.Sprintf("segments %v flushed %d appended %d", offsets(b.log), m[3], m[4])
	case "log":
		var out strings.Builder
		for _, i := range items(t, b.log, b.log.Min(), b.log.Appended()) {
			fmt.Fprintf(&out, "%d: %s of %d", i.offset, i.kind, i.size)
			if m := &i.message; i.kind == record.KindRecord {
				fmt.Fprintf(&out, ", %s/%d at %d", m.Topic, m.QueueID, m.QueueOffset)
			}
			out.WriteByte('\n')
		}
		return out.String()
	}
	t.Fatalf("unknown command %q", words)
	return ""
}

func outcome(offset int64, size int, queueOffset int64, err error) string {
	if err != nil {
		return failure(err)
	}
	return fmt.Sprintf("%d bytes at %d, queue offset %d", size, offset, queueOffset)
}

func failure(err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return ""
}

func number(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	noErr(t, err)
	return n
}
