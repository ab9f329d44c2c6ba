package arch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/actorstore/actorstore"

// pkg is a package of this module.
type pkg struct {
	name  string // import path below the module, "." for the root
	dir   string
	deps  []string // import paths, all of them
	files []*file
}

// file is a source file, whatever its build tags.
type file struct {
	path  string // below the module's directory
	test  bool
	ast   *ast.File
	lines int
	made  bool // generated
}

// imports are the import paths of a file.
func (f *file) imports() []string {
	var list []string
	for _, i := range f.ast.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		list = append(list, path)
	}
	return list
}

// nameOf is the name that a file uses for an import, "" if it does not import it.
func (f *file) nameOf(path string) string {
	for _, i := range f.ast.Imports {
		if p, _ := strconv.Unquote(i.Path.Value); p == path {
			if i.Name != nil {
				return i.Name.Name
			}
			return path[strings.LastIndexByte(path, '/')+1:]
		}
	}
	return ""
}

// uses visits every X of name.X in a file, where name is what an import is called.
func (f *file) uses(path string, visit func(at token.Pos, ident string)) {
	name := f.nameOf(path)
	if name == "" {
		return
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == name && x.Obj == nil {
				visit(s.Pos(), s.Sel.Name)
			}
		}
		return true
	})
}

var fset = token.NewFileSet()

func where(at token.Pos) string {
	p := fset.Position(at)
	return p.Filename + ":" + strconv.Itoa(p.Line)
}

// source reads the module once.
var source = sync.OnceValues(func() ([]*pkg, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return nil, err
	}
	root := strings.TrimSpace(string(out))
	cmd := exec.Command("go", "list", "-e", "-deps", "-json=ImportPath,Dir,Deps,Standard", "./...")
	cmd.Dir = root
	if out, err = cmd.Output(); err != nil {
		return nil, err
	}
	var list []*pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir string
			Deps            []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		if p.ImportPath != module && !strings.HasPrefix(p.ImportPath, module+"/") {
			continue
		}
		q := &pkg{name: below(p.ImportPath), dir: p.Dir, deps: p.Deps}
		if q.files, err = parse(root, p.Dir); err != nil {
			return nil, err
		}
		list = append(list, q)
	}
})

// below is an import path of this module without the module, "" if it is another's.
func below(path string) string {
	if path == module {
		return "."
	}
	rest, ok := strings.CutPrefix(path, module+"/")
	if !ok {
		return ""
	}
	return rest
}

func parse(root, dir string) ([]*file, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []*file
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		path, err := filepath.Rel(root, filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		path = filepath.ToSlash(path)
		tree, err := parser.ParseFile(fset, path, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		list = append(list, &file{
			path: path, test: strings.HasSuffix(path, "_test.go"), ast: tree,
			lines: bytes.Count(text, []byte{'\n'}), made: ast.IsGenerated(tree),
		})
	}
	return list, nil
}

// each visits every file that somebody has written by hand.
func each(t *testing.T, visit func(p *pkg, f *file)) {
	t.Helper()
	list, err := source()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 10 {
		t.Fatalf("only %d packages found", len(list))
	}
	for _, p := range list {
		for _, f := range p.files {
			if !f.made {
				visit(p, f)
			}
		}
	}
}

// under reports whether a package is one of rooms or below it.
func under(name string, rooms ...string) bool {
	return slices.ContainsFunc(rooms, func(r string) bool { return name == r || strings.HasPrefix(name, r+"/") })
}
