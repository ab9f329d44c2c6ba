package arch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

var syncCalls = []string{"Sync", "Datasync", "SyncDir", "SyncFS", "Flush"}

// A sync that failed may have dropped the data and succeed the next time
// (invariant I7 of commitlog), so no loop may come back to it: inside a loop that
// does not range over things, a sync's error is returned, or ends the loop, at
// once.
func TestNoSyncIsRepeated(t *testing.T) {
	each(t, func(p *pkg, f *file) {
		if f.test || isTests(p.name) || under(p.name, "cmd") {
			return
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if body := repeating(n); body != nil {
				for _, at := range careless(body) {
					t.Errorf("%s: a loop goes on after a sync that may have failed", where(at))
				}
			}
			return true
		})
	})
}

// repeating is the body of a loop that may do the same thing again.
func repeating(n ast.Node) *ast.BlockStmt {
	switch n := n.(type) {
	case *ast.ForStmt:
		return n.Body
	case *ast.RangeStmt:
		if n.Key == nil && n.Value == nil { // for range 3
			return n.Body
		}
	}
	return nil
}

// careless lists the syncs in a block after whose failure control stays in it.
func careless(b *ast.BlockStmt) (list []token.Pos) {
	for i, s := range b.List {
		switch s := s.(type) {
		case *ast.ReturnStmt:
		case *ast.AssignStmt:
			if at := syncIn(s); at.IsValid() && !(i+1 < len(b.List) && leaves(b.List[i+1])) {
				list = append(list, at)
			}
		case *ast.IfStmt:
			if s.Init != nil && syncIn(s.Init).IsValid() && !leaves(s) {
				list = append(list, s.Pos())
			}
			list = append(list, careless(s.Body)...)
			if e, ok := s.Else.(*ast.BlockStmt); ok {
				list = append(list, careless(e)...)
			}
		case *ast.BlockStmt:
			list = append(list, careless(s)...)
		case *ast.ExprStmt:
			if at := syncIn(s); at.IsValid() {
				list = append(list, at)
			}
		}
	}
	return list
}

// syncIn finds a call of a sync in a statement.
func syncIn(n ast.Node) (at token.Pos) {
	ast.Inspect(n, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if s, ok := c.Fun.(*ast.SelectorExpr); ok && slices.Contains(syncCalls, s.Sel.Name) {
				at = c.Pos()
			}
		}
		_, isFunc := n.(*ast.FuncLit)
		return !isFunc
	})
	return at
}

// leaves reports whether a statement is "if err != nil" and ends the loop.
func leaves(s ast.Stmt) bool {
	i, ok := s.(*ast.IfStmt)
	if !ok || len(i.Body.List) == 0 {
		return false
	}
	if !failed(i.Cond) {
		return false
	}
	switch last := i.Body.List[len(i.Body.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return last.Tok == token.BREAK || last.Tok == token.GOTO
	}
	return false
}

// failed reports whether a condition holds for every error: "err != nil", alone
// or before "||".
func failed(x ast.Expr) bool {
	c, ok := x.(*ast.BinaryExpr)
	if !ok {
		return false
	}
	if c.Op == token.LOR {
		return failed(c.X) || failed(c.Y)
	}
	y, ok := c.Y.(*ast.Ident)
	return c.Op == token.NEQ && ok && y.Name == "nil"
}

// The check finds what it is for.
func TestCareless(t *testing.T) {
	for body, want := range map[string]int{
		"for { if err := f.Sync(); err != nil { return err } }":                     0,
		"for { if err := f.Sync(); err != nil || done { return err } }":             0,
		"for { if err := f.Sync(); err != nil && done { return err } }":             1,
		"for { if err := f.Sync(); err != nil { continue } }":                       1,
		"for { if err := f.Sync(); err == nil { return nil } }":                     1,
		"for range 3 { err = f.Datasync(); if err == nil { break } }":               1,
		"for range 3 { err = f.Datasync(); if err != nil { break } }":               0,
		"for i := 0; i < 3; i++ { f.Flush(0, 10) }":                                 1,
		"for { if x { err = fs.SyncDir(d) } }":                                      1,
		"for { _ = fs.SyncFS(d) }":                                                  1,
		"for _, f := range files { failed = errors.Join(failed, f.Sync()) }":        0,
		"for { return f.Sync() }":                                                   0,
		"for { err = f.Close(); if err == nil { break } }":                          0,
		"for { { if err := f.Sync(); err != nil { time.Sleep(1) } else { x() } } }": 1,
	} {
		tree, err := parser.ParseFile(fset, "x.go", "package p\nfunc f() error {"+body+"}", 0)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		ast.Inspect(tree, func(x ast.Node) bool {
			if b := repeating(x); b != nil {
				n += len(careless(b))
			}
			return true
		})
		if n != want {
			t.Errorf("%s: %d found, want %d", body, n, want)
		}
	}
}
