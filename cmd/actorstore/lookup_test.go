package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// put printed a message id, and no command took one.
func TestLookupTakesWhatPutPrints(t *testing.T) {
	dir := t.TempDir()
	succeeds(t, with(small, "put", dir, "orders", "one")...)
	var put, got struct{ ID, UniqKey, Body string }
	o := succeeds(t, "put", dir, "orders", "two", "--json", "--property", "UNIQ_KEY=AC11000100002A9F0000000000000001")
	if err := json.Unmarshal([]byte(o.out), &put); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"lookup", dir, put.ID}, {"lookup", dir, strings.ToLower(put.ID)}, {"get", dir, "orders", "--offset", "1"},
		{"query", dir, "orders", "AC11000100002A9F0000000000000001", "--messages"}, {"tail", dir, "orders", "-n", "1"},
	} {
		o := succeeds(t, with(args, "--json")...)
		if err := json.Unmarshal([]byte(o.out), &got); err != nil || got.ID != put.ID || got.Body != "two" ||
			got.UniqKey != "AC11000100002A9F0000000000000001" {
			t.Errorf("%v: %s", args, o.out)
		}
	}
	if o := succeeds(t, "lookup", dir, "0"); !strings.Contains(o.out, "orders/0 @ 0\n") || !strings.Contains(o.out, "\none\n") {
		t.Errorf("by offset: %s", o.out)
	}
	if o := succeeds(t, "query", dir, "orders", "AC11000100002A9F0000000000000001"); !strings.Contains(o.out, put.ID) {
		t.Errorf("query shows no id: %s", o.out)
	}
	for _, c := range []struct {
		what string
		code int
		says string
	}{
		{"7", exitNotFound, "try: actorstore dump " + dir + " --ruler -n 1 --from 7"},
		{"99999", exitNotFound, "try: "},
		{"zz", exitUsage, `"zz" is no message id and no offset`},
		{"AC11000100002A9F0000000000000001", exitNotFound, "UNIQ_KEY"},
		{"7F00000100002A9F000000000000000", exitUsage, "want 32 or 56 hex digits"},
	} {
		if o := program(t, "lookup", dir, c.what); o.code != c.code || !strings.Contains(o.err, c.says) || o.out != "" {
			t.Errorf("%s: exit code %d: %s%s", c.what, o.code, o.out, o.err)
		}
	}
}

// 0 as --begin or --end is RocketMQ's word for no bound, and the help says so.
func TestQueryFromZeroToZeroIsUnbounded(t *testing.T) {
	dir := t.TempDir()
	succeeds(t, with(small, "put", dir, "orders", "one", "--key", "k")...)
	for _, flags := range [][]string{nil, {"--begin", "0", "--end", "0"}, {"--end", "0"}, {"--begin", "0"}} {
		if o := succeeds(t, with(flags, "query", dir, "orders", "k", "--json")...); !strings.HasSuffix(o.out, `"offsets":"0"}`+"\n") {
			t.Errorf("%v: %s", flags, o.out)
		}
	}
	if help := succeeds(t, "help", "query").out; strings.Count(help, "(0, or none: no bound)") != 2 {
		t.Errorf("help: %s", help)
	}
	if o := program(t, "query", dir, "orders", "k", "--end", "1"); o.code != exitNotFound {
		t.Errorf("--end 1: exit code %d: %s", o.code, o.out)
	}
}
