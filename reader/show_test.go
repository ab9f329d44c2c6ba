package reader

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// A result that is printed was a dump of its buffer, and of every body in it.
func TestResultInLogsIsOneLine(t *testing.T) {
	s := newStore(t, shape{segment: 1 << 16})
	s.fill("t", 0, 20, 500)
	g, err := s.get(GetRequest{Topic: "t", Offset: 3, MaxCount: 5})
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("GetResult{FOUND, 5 messages of %d bytes, next offset 8 of [0,20), more behind}", g.Size())
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		for _, v := range []any{g, *g} {
			if got := fmt.Sprintf(verb, v); got != want {
				t.Errorf("%s of %T: %.200s", verb, v, got)
			}
		}
		reply := struct {
			Result *GetResult
			Value  GetResult
		}{g, *g}
		if got := fmt.Sprintf(verb, reply); len(got) > 400 {
			t.Errorf("%s inside another: %.200s", verb, got)
		}
	}
	var line strings.Builder
	slog.New(slog.NewTextHandler(&line, nil)).Info("got", "result", g)
	if !strings.Contains(line.String(), want) {
		t.Errorf("slog: %.200s", line.String())
	}
	if got := fmt.Sprint(GetResult{}); got != "GetResult{"+GetMessageStatus(0).String()+", 0 messages of 0 bytes, next offset 0 of [0,0)}" {
		t.Error(got)
	}
}
