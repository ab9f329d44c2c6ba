package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/build"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each bug fits the code as it is: its text stands there once, what comes of it is
// formatted, type-checks, and the tests that must find it exist.
func TestBugsFit(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	list, err := bugs("bugs")
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 25 {
		t.Errorf("%d bugs", len(list))
	}
	check := newChecker(t, root)
	tests := make(map[string][]string)
	for _, b := range list {
		text, err := b.planted(root)
		if err != nil {
			t.Error(err)
			continue
		}
		if formatted, err := format.Source(text); err != nil || string(formatted) != string(text) {
			t.Errorf("%s: gofmt would change %s: %v", b.name, b.file, err)
		}
		if err := check.file(filepath.Join(root, filepath.FromSlash(b.file)), text); err != nil {
			t.Errorf("%s: %v", b.name, err)
		}
		for _, k := range b.kills {
			if tests[k.pkg] == nil {
				tests[k.pkg] = testsOf(t, filepath.Join(root, filepath.FromSlash(k.pkg)))
			}
			for _, name := range k.tests {
				if !slices.Contains(tests[k.pkg], name) {
					t.Errorf("%s: %s has no %s", b.name, k.pkg, name)
				}
			}
		}
	}
}

// testsOf are the names of the tests in a directory.
func testsOf(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}

// checker type-checks a package of which one file is replaced, against what the
// go command has compiled of the others.
type checker struct {
	fset *token.FileSet
	conf types.Config
}

func newChecker(t *testing.T, root string) *checker {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export", "./...")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := make(map[string]string)
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ ImportPath, Export string }
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	open := func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, errors.New("not compiled: " + path)
		}
		return os.Open(exports[path])
	}
	return &checker{fset, types.Config{Importer: importer.ForCompiler(fset, "gc", open)}}
}

// file checks the package of the file at path with text in its place. A file of
// another platform is only parsed.
func (c *checker) file(path string, text []byte) error {
	dir, err := build.ImportDir(filepath.Dir(path), 0)
	if err != nil {
		return err
	}
	changed, err := parser.ParseFile(c.fset, path, text, parser.SkipObjectResolution)
	if err != nil || !slices.Contains(dir.GoFiles, filepath.Base(path)) {
		return err
	}
	files := []*ast.File{changed}
	for _, name := range dir.GoFiles {
		if name == filepath.Base(path) {
			continue
		}
		f, err := parser.ParseFile(c.fset, filepath.Join(dir.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	_, err = c.conf.Check(dir.Name, c.fset, files, nil)
	return err
}
