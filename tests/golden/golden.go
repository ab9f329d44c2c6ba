package golden

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What all golden stores were written with. Sizes are in bytes; the last two
// are the geometry of an index file.
const (
	SegmentSize    = 65536
	QueueFileSize  = 2000
	MaxHashSlotNum = 97
	MaxIndexNum    = 400
)

// The stores. Each name is that of the store's directory, too.
const (
	Clean          = "clean"           // eight segments, shut down in order
	Halt           = "halt"            // halted: abort file, unused segment, open index file
	MultiDispatch  = "multidispatch"   // some messages are in two more queues, %LMQ%a and %LMQ%b
	PropCRC        = "propcrc"         // every record ends with its checksum
	V2             = "v2"              // a topic of 130 bytes: both record versions
	Trimmed        = "trimmed"         // clean without its first three segments
	Rebuilt        = "rebuilt"         // clean with nothing left but the log, and an abort file
	TrimmedRebuilt = "trimmed-rebuilt" // both: queues that start in the middle
)

//go:embed testdata
var data embed.FS

// Names returns the names of all golden stores.
func Names() []string {
	return []string{Clean, Halt, MultiDispatch, PropCRC, V2, Trimmed, Rebuilt, TrimmedRebuilt}
}

// Settings are the settings a store was written with, and must be opened
// with. RocketMQ's name of each is in its comment.
type Settings struct {
	SegmentSize    int  // bytes, mappedFileSizeCommitLog
	QueueFileSize  int  // bytes, mappedFileSizeConsumeQueue
	MaxHashSlotNum int  // maxHashSlotNum
	MaxIndexNum    int  // maxIndexNum
	AppendCRC      bool // enabledAppendPropCRC
	LMQ            bool // enableLmq and enableMultiDispatch
}

// SettingsOf returns the settings of a golden store.
func SettingsOf(name string) Settings {
	return Settings{
		SegmentSize:    SegmentSize,
		QueueFileSize:  QueueFileSize,
		MaxHashSlotNum: MaxHashSlotNum,
		MaxIndexNum:    MaxIndexNum,
		AppendCRC:      name == PropCRC,
		LMQ:            name == MultiDispatch,
	}
}

// Open unpacks a fresh copy of a store and returns its directory, which goes
// away with the test.
func Open(t testing.TB, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := untar(bytes.NewReader(unzip(t, name+".tar.gz")), dir); err != nil {
		t.Fatalf("unpacking golden store %s: %v", name, err)
	}
	return filepath.Join(dir, name)
}

// Lines returns what RocketMQ reads from a store, without line ends.
func Lines(t testing.TB, name string) []string {
	t.Helper()
	text := strings.TrimSuffix(string(unzip(t, name+".jsonl.gz")), "\n")
	return strings.Split(text, "\n")
}

// Expected returns what RocketMQ reads from a store, parsed.
func Expected(t testing.TB, name string) *Reading {
	t.Helper()
	r, err := Parse(Lines(t, name))
	if err != nil {
		t.Fatalf("golden reading of %s: %v", name, err)
	}
	return r
}

func unzip(t testing.TB, file string) []byte {
	t.Helper()
	if store, _, _ := strings.Cut(file, "."); !slices.Contains(Names(), store) {
		t.Fatalf("no golden store is named %q", store)
	}
	packed, err := data.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return plain
}
