package record_test

import (
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
)

func TestCheckTopic(t *testing.T) {
	x := strings.Repeat
	for _, c := range []struct {
		topic      string
		found, put bool
	}{
		{"T", true, true},
		{x("t", 127), true, true},
		{x("t", 128), true, false},
		{x("t", 255), true, false},
		{x("t", 256), false, false},
		{x("t", 300), false, false},
		{"%RETRY%" + x("g", 120), true, true},
		{"%RETRY%" + x("g", 121), true, true},
		{"%RETRY%" + x("g", 248), true, true},
		{"%RETRY%" + x("g", 249), false, false},
		{x("題", 42), true, true},
		{x("題", 43), true, false},
		{"%LMQ%a", true, true},
		{"%LMQ%a/b", false, false},
		{"", false, false},
		{".", false, false},
		{"..", false, false},
		{"...", true, true},
		{"a..b", true, true},
		{"../../x", false, false},
		{`..\x`, false, false},
		{"/etc/x", false, false},
		{"a/b", false, false},
		{"a\x00b", false, false},
		{"a\nb", false, false},
		{"a\x7fb", false, false},
		{"題\x01", false, false},
		{"題/題", false, false},
		{`題\題`, false, false},
		{"題\u0085", false, false},
		{"\xff", false, false},
		{"a\xed\xa0\x80", false, false},
		{"a\ufffd", true, true}, // what a damaged name in a record reads as
		{"con", true, true},
		{" a ", true, true},
	} {
		if err := record.CheckTopic(c.topic); (err == nil) != c.found {
			t.Errorf("CheckTopic(%q): %v", c.topic, err)
		}
		err := record.CheckPutTopic(c.topic)
		if le := refused(t, err); (le == nil) != c.put || le != nil && le.Field != "topic" {
			t.Errorf("CheckPutTopic(%q): %v", c.topic, err)
		}
		m := record.Message{Topic: c.topic}
		if err := (&record.Limits{}).Check(&m); (err == nil) != c.put {
			t.Errorf("Check(%q): %v", c.topic, err)
		}
		if err := (&record.Limits{V1Only: true}).Check(&m); (err == nil) != (c.put && len(c.topic) <= 127) {
			t.Errorf("V1Only Check(%q): %v", c.topic, err)
		}
	}
}
