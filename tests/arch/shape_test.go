package arch_test

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	maxFile     = 400 // lines
	maxFunction = 70  // lines
	maxTest     = 100 // lines of a test function, its table included
)

func TestSizes(t *testing.T) {
	each(t, func(p *pkg, f *file) {
		if f.lines > maxFile {
			t.Errorf("%s: %d lines, at most %d", f.path, f.lines, maxFile)
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			most := maxFunction
			if f.test {
				most = maxTest
			}
			if n := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1; n > most {
				t.Errorf("%s: %s has %d lines, at most %d", where(fn.Pos()), fn.Name.Name, n, most)
			}
		}
	})
}

var banned = []string{"manager", "managers", "util", "utils", "helper", "helpers", "common", "impl", "misc"}

var words = regexp.MustCompile(`[a-z]+`)

// Names say what a thing is.
func TestNames(t *testing.T) {
	each(t, func(p *pkg, f *file) {
		name := f.ast.Name.Name
		for _, w := range append(words.FindAllString(strings.ToLower(path.Base(f.path)), -1), strings.TrimSuffix(name, "_test"), path.Base(p.name)) {
			if slices.Contains(banned, w) {
				t.Errorf("%s: %q says nothing", f.path, w)
			}
		}
	})
}

// Every package tells in doc.go what it promises, and only there.
func TestPackageDocs(t *testing.T) {
	docs, all := map[string]bool{}, map[string]string{}
	each(t, func(p *pkg, f *file) {
		all[p.name] = f.ast.Name.Name
		if path.Base(f.path) == "doc.go" {
			docs[p.name] = f.ast.Doc != nil
		} else if f.ast.Doc != nil && !f.test {
			t.Errorf("%s: the package comment belongs into doc.go", f.path)
		}
	})
	for name := range all {
		if !docs[name] {
			t.Errorf("package %s has no doc.go with a package comment", name)
		}
	}
}

// Every exported name has a comment: its own, that of its group, one on its line,
// or one in its group that names it.
func TestExportedDocs(t *testing.T) {
	each(t, func(p *pkg, f *file) {
		if f.test || f.ast.Name.Name == "main" {
			return
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && exportedReceiver(d) && d.Doc == nil {
					t.Errorf("%s: %s has no comment", where(d.Pos()), d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					for _, name := range undocumented(d, s) {
						if !named(d, name) {
							t.Errorf("%s: %s has no comment", where(s.Pos()), name)
						}
					}
				}
			}
		}
	})
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	x := d.Recv.List[0].Type
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return true
		}
	}
}

func undocumented(d *ast.GenDecl, s ast.Spec) (names []string) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && s.Doc == nil && (d.Doc == nil || d.Lparen.IsValid()) && s.Comment == nil {
			names = append(names, s.Name.Name)
		}
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.IsExported() && s.Doc == nil && s.Comment == nil && d.Doc == nil {
				names = append(names, n.Name)
			}
		}
	}
	return names
}

// named reports whether a comment in a group speaks of a name.
func named(d *ast.GenDecl, name string) bool {
	word := regexp.MustCompile(`\b` + name + `\b`)
	for _, s := range d.Specs {
		var doc *ast.CommentGroup
		switch s := s.(type) {
		case *ast.TypeSpec:
			doc = s.Doc
		case *ast.ValueSpec:
			doc = s.Doc
		}
		if doc != nil && word.MatchString(doc.Text()) {
			return true
		}
	}
	return false
}
