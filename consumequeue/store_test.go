package consumequeue_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	cq "github.com/actorstore/actorstore/consumequeue"
)

func TestOpenRefusesBadOptions(t *testing.T) {
	for name, change := range map[string]func(*cq.Options){
		"no file system":     func(o *cq.Options) { o.FS = nil },
		"no directory":       func(o *cq.Options) { o.Dir = "" },
		"no tmp":             func(o *cq.Options) { o.TmpDir = "" },
		"negative size":      func(o *cq.Options) { o.FileSize = -20 },
		"too large":          func(o *cq.Options) { o.FileSize = 1 << 31 },
		"batch not rounded":  func(o *cq.Options) { o.BatchFileSize = 460 + 1 },
		"negative batch":     func(o *cq.Options) { o.BatchFileSize = -46 },
		"ext file too small": func(o *cq.Options) { o.ExtFileSize = 8 },
	} {
		o := options(mappedtest.NewFS())
		change(&o)
		if _, err := cq.Open(o); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
	o := cq.Options{FS: mappedtest.NewFS(), Dir: "/cq", TmpDir: "/tmp", FileSize: 1999}
	s := open(t, o)
	q := ensure(t, s, "topic", 0, cq.Simple)
	noErr(t, q.Append(entries(0, 1)))
	if b := readFile(t, o.FS, "/cq/topic/0/"+mapped.Name(0)); len(b) != 2000 {
		t.Fatalf("file size %d, want 1999 rounded up", len(b))
	}
}

func TestOpenListsAndWarns(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := open(t, options(fsys))
	for _, name := range []string{"b", "a", "%LMQ%x", "ünï"} {
		for _, id := range []int32{10, 2, 0} {
			noErr(t, ensure(t, s, name, id, cq.Simple).Append(entries(0, 12)))
		}
	}
	noErr(t, ensure(t, s, "batch", 0, cq.Batch).Append(entries(0, 2)))
	strays := map[string]bool{}
	for _, path := range []string{
		"/consumequeue/notes.txt", "/consumequeue/a/x/y", "/consumequeue/a/00/z", "/consumequeue/a/-1/z",
		"/consumequeue/a/2147483648/z", "/consumequeue/a/7", "/batchconsumequeue/a/0/z", "/consumequeue/bad\x01/0/z",
	} {
		putFile(t, fsys, root+path, []byte("mine"))
		strays[root+path] = true
	}
	putFile(t, fsys, root+"/consumequeue/a/0/stray", []byte("mine"))
	noErr(t, fsys.MkdirAll(root+"/consumequeue/a/0/"+mapped.Name(2*fileSize)))
	warned := map[string]int{}
	o := options(fsys)
	o.Warn = func(path, reason string) {
		if reason == "" {
			t.Errorf("no reason for %s", path)
		}
		warned[path]++
	}
	s = open(t, o)
	var got []string
	for q := range s.All() {
		got = append(got, fmt.Sprintf("%s-%d", q.Topic(), q.ID()))
		noErr(t, q.Load())
		noErr(t, q.Load())
	}
	want := "%LMQ%x-0 %LMQ%x-2 %LMQ%x-10 a-0 a-2 a-10 b-0 b-2 b-10 batch-0 ünï-0 ünï-2 ünï-10"
	if strings.Join(got, " ") != want {
		t.Fatalf("queues %v", got)
	}
	if strings.Join(s.Topics(), " ") != "%LMQ%x a b batch ünï" {
		t.Fatalf("topics %v", s.Topics())
	}
	if len(warned) != len(strays)+2 {
		t.Fatalf("%d warnings: %v", len(warned), warned)
	}
	for path, n := range warned {
		if n != 1 {
			t.Errorf("%s: %d warnings", path, n)
		}
	}
	for path := range strays {
		if string(readFile(t, fsys, path)) != "mine" {
			t.Errorf("%s was touched", path)
		}
	}
	if s.Queue("a", 1) != nil || s.Queue("never", 0) != nil || s.Queue("batch", 0).Kind() != cq.Batch {
		t.Fatal("a queue is found that is not there")
	}
	for range s.All() {
		break
	}
}

// Names that would leave the directory make nothing.
func TestEnsureChecksNames(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := open(t, options(fsys))
	for _, name := range []string{"", ".", "..", "../../x", "a/b", "%LMQ%a/b", "..\\x", "a\x00b", "a\nb", "\xff", strings.Repeat("x", 300)} {
		var limit *record.LimitError
		if _, err := s.Ensure(name, 0, cq.Simple); !errors.As(err, &limit) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := s.Ensure("a", -1, cq.Simple); !errors.Is(err, record.ErrIllegal) {
		t.Errorf("queue id -1: %v", err)
	}
	q := ensure(t, s, "a", 1<<31-1, cq.Simple)
	noErr(t, q.Append(entries(0, 1)))
	if ensure(t, s, "a", 1<<31-1, cq.Simple) != q || s.Queue("a", 1<<31-1) != q {
		t.Fatal("want the same queue")
	}
	list, err := fsys.ReadDir("/")
	noErr(t, err)
	if len(list) != 1 {
		t.Fatalf("something outside of %s was made", root)
	}
}

func TestReadOnlyTouchesNothing(t *testing.T) {
	fsys := filled(t, 25)
	script := mappedtest.NewScript(fsys)
	o := options(script)
	o.ReadOnly, o.TmpDir = true, ""
	s := open(t, o)
	q := s.Queue("topic", 0)
	noErr(t, q.Load())
	wantUnits(t, q)
	noErr(t, q.CorrectMin(physical(12)))
	wantRange(t, q, 12, 25)
	if _, err := q.DeleteExpired(physical(12)); err != cq.ErrReadOnly {
		t.Fatalf("DeleteExpired: %v", err)
	}
	_, ensured := s.Ensure("new", 0, cq.Simple)
	for i, err := range []error{
		ensured, q.Append(entries(25, 26)), q.TruncateTo(3), q.TruncatePhysical(0), q.Rewrite(20, entry(20)),
		q.Reset(""), q.Destroy(), s.DeleteTopic("topic"),
	} {
		if !errors.Is(err, cq.ErrReadOnly) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if n, err := s.Sync(); n != 0 || err != nil {
		t.Fatalf("Sync: %d, %v", n, err)
	}
	noErr(t, s.Close())
	for _, c := range script.Trace() {
		switch c.Op {
		case mappedtest.OpWrite, mappedtest.OpTruncate, mappedtest.OpRename, mappedtest.OpRemove, mappedtest.OpMkdirAll,
			mappedtest.OpSync, mappedtest.OpDatasync, mappedtest.OpSyncFS, mappedtest.OpSyncDir, mappedtest.OpAllocate, mappedtest.OpFlush:
			t.Errorf("read-only, and %v", c)
		}
	}
	if open(t, o).Queue("none", 0) != nil {
		t.Fatal("no such queue")
	}
}

func TestClosedStore(t *testing.T) {
	s := open(t, options(filled(t, 25)))
	q := s.Queue("topic", 0)
	noErr(t, q.Load())
	noErr(t, s.Close())
	noErr(t, s.Close())
	if _, err := q.Read(0, make([]cq.Unit, 1)); err != cq.ErrClosed {
		t.Fatalf("Read: %v", err)
	}
	if err := q.Append(entries(25, 26)); err != cq.ErrClosed {
		t.Fatalf("Append: %v", err)
	}
	if _, err := s.Ensure("new", 0, cq.Simple); err != cq.ErrClosed {
		t.Fatalf("Ensure: %v", err)
	}
	s = open(t, options(filled(t, 25)))
	q = s.Queue("topic", 0)
	noErr(t, s.Close())
	if err := q.Load(); err != cq.ErrClosed {
		t.Fatalf("Load: %v", err)
	}
}

func TestOpenErrors(t *testing.T) {
	for k := 1; k <= 3; k++ {
		script := mappedtest.NewScript(filled(t, 25))
		eio := errors.New("input/output error")
		script.Add(mappedtest.Rule{Op: mappedtest.OpReadDir, At: k, Err: eio})
		if _, err := cq.Open(options(script)); !errors.Is(err, eio) && k < 3 {
			t.Errorf("listing %d: %v", k, err)
		}
	}
}

// F34: neither descriptors nor maps grow with the number of queues, and a
// queue whose file cannot be mapped is read all the same.
func TestF34OpenFilesAreBounded(t *testing.T) {
	for _, maps := range []bool{true, false} {
		script := mappedtest.NewScript(mappedtest.NewFS())
		if !maps {
			script.Add(mappedtest.Rule{Op: mappedtest.OpMap, At: 20, Forever: true, Err: errors.New("cannot allocate memory")})
		}
		o := options(script)
		o.MaxOpenFiles = 16
		s := open(t, o)
		for round := int64(0); round < 3; round++ {
			for id := range int32(100) {
				noErr(t, ensure(t, s, "topic", id, cq.Simple).Append(entries(round*9, round*9+9)))
			}
			for q := range s.All() {
				wantRange(t, q, 0, round*9+9)
				wantUnits(t, q)
			}
			if n := script.Count(mappedtest.OpOpen) - script.Count(mappedtest.OpClose); n > 16 {
				t.Fatalf("%d files are open", n)
			}
		}
		if (s.Unmapped() > 0) == maps {
			t.Fatalf("%d files were not mapped", s.Unmapped())
		}
		noErr(t, s.Close())
		if n := script.Count(mappedtest.OpOpen) - script.Count(mappedtest.OpClose); n != 0 {
			t.Fatalf("%d files are open after Close", n)
		}
		maps := script.Count(mappedtest.OpMap) - script.Count(mappedtest.OpUnmap)
		for _, c := range script.Trace() {
			if c.Op == mappedtest.OpMap && c.Err != nil {
				maps--
			}
		}
		if maps > 0 && s.Unmapped() == 0 {
			t.Fatalf("%d maps are left", maps)
		}
	}
}

// F34: out of descriptors: some are given back and the open is tried once more.
func TestF34OutOfDescriptors(t *testing.T) {
	script := mappedtest.NewScript(filled(t, 45))
	_, q := reopen(t, script)
	wantUnits2(t, q)
	script.Add(mappedtest.Rule{Op: mappedtest.OpOpen, At: 1, Err: errors.New("too many open files")})
	_, q = reopen(t, script)
	noErr(t, loadTwice(q))
	script.Add(mappedtest.Rule{Op: mappedtest.OpOpen, At: 1, Err: errors.New("too many open files")})
	wantUnits(t, q)
	script.Add(mappedtest.Rule{Op: mappedtest.OpOpen, Forever: true, Err: errors.New("too many open files")})
	_, q = reopen(t, script)
	if _, err := q.Read(0, make([]cq.Unit, 1)); err == nil {
		t.Fatal("want the error")
	}
}

func wantUnits2(t *testing.T, q *cq.Queue) {
	t.Helper()
	noErr(t, q.Load())
	wantUnits(t, q)
}

func loadTwice(q *cq.Queue) error {
	if err := q.Load(); err == nil {
		return errors.New("want the first Load to fail")
	}
	return q.Load()
}

// F58: a queue that is only known costs little, and finding it nothing.
func TestF58KnownQueuesCostLittle(t *testing.T) {
	const queues = 10000
	s := open(t, options(mappedtest.NewFS()))
	names := make([]string, queues/5)
	for i := range names {
		names[i] = fmt.Sprintf("topic-%d", i)
	}
	// The queues that Open lists are made the same way; listing 20,000
	// directories in memory would measure the file system.
	before := heap()
	for i := range queues {
		ensure(t, s, names[i/5], int32(i%5), cq.Simple)
	}
	if per := (heap() - before) / queues; per > 700 || per == 0 {
		t.Fatalf("%d bytes for a queue", per)
	}
	t.Logf("%d bytes for a queue", (heap()-before)/queues)
	name := string([]byte("topic-77"))
	if n := testing.AllocsPerRun(100, func() {
		if s.Queue(name, 3) == nil || s.Queue(name, 5) != nil {
			t.Fatal("wrong queue")
		}
	}); n != 0 {
		t.Fatalf("finding a queue allocates %v times", n)
	}
	runtime.KeepAlive(s)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestF58LoadIsShort(t *testing.T) {
	script := mappedtest.NewScript(filled(t, 5))
	o := options(script)
	o.FileSize = cq.DefaultFileSize
	resize(t, script, root+"/consumequeue/topic/0/"+mapped.Name(0), o.FileSize)
	q := open(t, o).Queue("topic", 0)
	before := script.Calls()
	noErr(t, q.Load())
	wantRange(t, q, 0, 5)
	if n := script.Calls() - before; n > 20 {
		t.Fatalf("%d calls:\n%s", n, script.TraceString())
	}
}

func TestReadAllocatesNothing(t *testing.T) {
	fsys := mapped.OS()
	dir := t.TempDir()
	o := cq.Options{FS: fsys, Dir: dir + "/consumequeue", TmpDir: dir + "/tmp", FileSize: 2000}
	s := open(t, o)
	defer s.Close()
	q := ensure(t, s, "topic", 0, cq.Simple)
	noErr(t, q.Append(entries(0, 250)))
	buf := make([]cq.Unit, 150)
	at := int64(0)
	if n := testing.AllocsPerRun(100, func() {
		if n, err := q.Read(at%100, buf); n != 150 || err != nil {
			t.Fatal(n, err)
		}
		at++
	}); n != 0 {
		t.Fatalf("Read allocates %v times", n)
	}
}
