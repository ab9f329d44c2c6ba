package arch_test

import (
	"slices"
	"strings"
	"testing"
)

// layers lists the rooms from the bottom. A room imports those of lower layers
// only, and of its own layer what beside allows.
var layers = [][]string{
	{"commitlog/record", "commitlog/mapped", "commitlog/checkpoint", "commitlog/invariant"},
	{"commitlog", "consumequeue", "indexsvc", "commitlog/mapped/mappedtest"},
	{"dispatch", "flusher", "haactor", "recoverer", "progress", "reader", "retention", "commitlog/commitlogtest"},
	{"repair"},
	{"actors", "actors/pb"},
	{"."},
	{"cmd/actorstore", "cmd/actorstore/load", "storetest"},
}

var beside = map[string][]string{
	"commitlog/mapped":     {"commitlog/record"},
	"commitlog/checkpoint": {"commitlog/mapped", "commitlog/record"},
	"actors":               {"actors/pb"},
	"cmd/actorstore":       {"cmd/actorstore/load"},
}

// modules says which rooms import packages of other modules.
var modules = map[string][]string{
	"github.com/asynkron/protoactor-go": {"actors"},
	"google.golang.org/protobuf":        {"actors"},
	"go.opentelemetry.io":               {"actors"},
	"github.com/prometheus":             {"actors", "cmd"},
	"github.com/rs/zerolog":             {"actors", "cmd", "."},
	"golang.org/x/sys":                  {"commitlog/mapped"},
	"github.com/edsrzf/mmap-go":         {"commitlog/mapped"},
	"github.com/spf13/cobra":            {"cmd"},
	"github.com/spf13/pflag":            {"cmd"},
	"github.com/schollz/progressbar":    {"cmd"},
	"github.com/olekukonko/tablewriter": {"cmd"},
	"golang.org/x/term":                 {"cmd"},
	"go.uber.org/goleak":                {},
	"pgregory.net/rapid":                {},
	"github.com/cockroachdb/datadriven": {},
}

func layerOf(name string) int {
	return slices.IndexFunc(layers, func(rooms []string) bool { return slices.Contains(rooms, name) })
}

func isTests(name string) bool { return under(name, "tests") }

// Every room is in the table, and imports only downwards.
func TestLayers(t *testing.T) {
	told := map[string]bool{}
	each(t, func(p *pkg, f *file) {
		from := layerOf(p.name)
		if from < 0 && !isTests(p.name) {
			if !told[p.name] {
				t.Errorf("package %s has no layer", p.name)
			}
			told[p.name] = true
			return
		}
		if f.test || isTests(p.name) {
			return // a test may look anywhere
		}
		for _, path := range f.imports() {
			to := below(path)
			switch at := layerOf(to); {
			case to == "":
			case to == "commitlog/commitlogtest", to == "commitlog/mapped/mappedtest" && p.name != "storetest":
				t.Errorf("%s: imports %s outside of a test", f.path, to)
			case at < 0 || at > from || at == from && !slices.Contains(beside[p.name], to):
				t.Errorf("%s: %s must not import %s", f.path, p.name, to)
			}
		}
	})
}

// Another module is imported by its rooms, by tests, and by nobody else; and no
// package of Go that is not listed comes in.
func TestModules(t *testing.T) {
	each(t, func(p *pkg, f *file) {
		for _, path := range f.imports() {
			first, _, _ := strings.Cut(path, "/")
			if !strings.Contains(first, ".") || below(path) != "" {
				continue // Go's own, or ours
			}
			rooms, known := owner(path)
			switch {
			case !known:
				t.Errorf("%s: imports %s, which is not on the list of modules", f.path, path)
			case !f.test && !isTests(p.name) && !under(p.name, rooms...):
				t.Errorf("%s: %s must not import %s", f.path, p.name, path)
			case strings.HasPrefix(path, "github.com/asynkron/") && !under(p.name, "actors", "tests", "storetest"):
				t.Errorf("%s: only actors knows protoactor", f.path)
			}
		}
	})
}

func owner(path string) (rooms []string, known bool) {
	for prefix, rooms := range modules {
		if path == prefix || strings.HasPrefix(path, prefix+"/") {
			return rooms, true
		}
	}
	return nil, false
}

// Not even by detours does anything below actors depend on protoactor, or a core
// on the network or on another process.
func TestDependencies(t *testing.T) {
	list, err := source()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, p := range list {
		layer := layerOf(p.name)
		if layer < 0 || layer >= layerOf("actors") {
			continue
		}
		checked++
		for _, d := range p.deps {
			switch {
			case strings.HasPrefix(d, "github.com/asynkron/"):
				t.Errorf("%s depends on %s", p.name, d)
			case (d == "net" || d == "net/http" || d == "os/exec") && p.name != "haactor":
				t.Errorf("%s depends on %s", p.name, d)
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d packages checked", checked)
	}
}
