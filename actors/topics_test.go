package actors

import (
	"os"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/consumequeue"
)

func TestTopicKinds(t *testing.T) {
	const table = `{"dataVersion":{"counter":{"value":3},"stateVersion":0,"timestamp":17},
	"topicConfigTable":{
		"batch":{"attributes":{"queue.type":"BatchCQ"},"order":false,"perm":6,"topicName":"batch"},
		"lower":{"attributes":{"queue.type":"batchcq","cleanup.policy":"DELETE"}},
		"simple":{"attributes":{"queue.type":"SimpleCQ"}},
		"none":{"attributes":{},"readQueueNums":8},
		7:{"attributes":{"queue.type":"BatchCQ"}},
		"a\"b:7,{x:1":{"attributes":{"queue.type":"BatchCQ"}}
	},"numbers":[1,2,{3:4,-5 : 6}],"flag":true}`
	unquoted := strings.NewReplacer(`"topicConfigTable"`, `topicConfigTable`, `"attributes"`, "attributes\n").Replace(table)
	for name, c := range map[string]struct {
		file, bak string
		batch     bool // what topic "batch" is
	}{
		"quoted":                {table, "", true},
		"unquoted":              {unquoted, "", true},
		"missing":               {"", "", false},
		"backup":                {"", table, true},
		"damaged":               {"{\"topicConfigTable\":{", table, true},
		"damaged both":          {"{", "}", false},
		"file before backup":    {`{"topicConfigTable":{}}`, table, false},
		"value of another kind": {`{"topicConfigTable":[1]}`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			disk := mappedtest.NewFS()
			write(t, disk, "/config/topics.json", c.file)
			write(t, disk, "/config/topics.json.bak", c.bak)
			k, err := readTopicKinds(disk, "/config/topics.json", []string{"listed"})
			if err != nil {
				t.Fatal(err)
			}
			kind := func(topic string, inner bool) bool { return k.of(topic, inner) == consumequeue.Batch }
			if got := kind("batch", false); got != c.batch {
				t.Errorf("batch is a batch topic: %v, want %v", got, c.batch)
			}
			if !kind("listed", false) || !kind("unknown", true) || kind("unknown", false) {
				t.Error("topics that the file does not know")
			}
			if !c.batch {
				return
			}
			for topic, want := range map[string]bool{"lower": true, "simple": false, "none": false, "7": true, `a"b:7,{x:1`: true} {
				if got := kind(topic, false); got != want {
					t.Errorf("topic %s is a batch topic: %v, want %v", topic, got, want)
				}
			}
			if kind("simple", true) {
				t.Error("the file says simple, the record must not overrule it")
			}
		})
	}
}

func FuzzQuoteKeys(f *testing.F) {
	f.Add([]byte(`{1:0,"a":{b : 2}}`))
	f.Add([]byte(`"\`))
	f.Fuzz(func(t *testing.T, b []byte) {
		once := quoteKeys(b)
		if twice := quoteKeys(once); string(twice) != string(once) {
			t.Errorf("%q, then %q", once, twice)
		}
		if len(once) < len(b) {
			t.Errorf("%q is shorter than %q", once, b)
		}
	})
}

func write(t *testing.T, disk mapped.FS, path, content string) {
	t.Helper()
	if content == "" {
		return
	}
	if err := disk.MkdirAll("/config"); err != nil {
		t.Fatal(err)
	}
	f, err := disk.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(content), 0); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
}
