package arch_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"testing"
)

// cores decide and compute; time and concurrency come from outside.
var cores = map[string]bool{
	"commitlog": true, "commitlog/record": true, "commitlog/checkpoint": true, "commitlog/invariant": true,
	"consumequeue": true, "indexsvc": true, "dispatch": true, "flusher": true, "progress": true, "recoverer": true, "reader": true, "retention": true,
}

var clocks = regexp.MustCompile(`^(Now|Since|Until|Sleep|After|AfterFunc|Tick|NewTimer|NewTicker)$`)

// patience is where a core may pause: a caller that leaves a put waits until its
// body is copied, which takes microseconds.
var patience = map[string]string{"flusher/waiter.go": "Sleep"}

func TestCoresHaveNoClock(t *testing.T) {
	each(t, func(p *pkg, f *file) {
		if f.test || !cores[p.name] {
			return
		}
		f.uses("time", func(at token.Pos, ident string) {
			if clocks.MatchString(ident) && patience[f.path] != ident {
				t.Errorf("%s: time.%s in a core", where(at), ident)
			}
		})
	})
}

func TestCoresHaveNoGoroutine(t *testing.T) {
	each(t, func(p *pkg, f *file) {
		if f.test || !cores[p.name] {
			return
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: a core starts a goroutine", where(n.Pos()))
			case *ast.CallExpr: // sync.WaitGroup.Go and its like
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Go" && len(n.Args) == 1 {
					t.Errorf("%s: a core starts a goroutine", where(n.Pos()))
				}
			}
			return true
		})
	})
}

// The rules apply to rooms that exist.
func TestCoresExist(t *testing.T) {
	found := map[string]bool{}
	each(t, func(p *pkg, f *file) { found[p.name] = true })
	for name := range cores {
		if !found[name] {
			t.Errorf("no package %s", name)
		}
	}
	for path := range patience {
		seen := false
		each(t, func(_ *pkg, f *file) { seen = seen || f.path == path })
		if !seen {
			t.Errorf("no file %s", path)
		}
	}
}
