package fault_test

import (
	"encoding/csv"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const faults = 67

// TestFaultsCSV: faults.csv names for every known fault the tests that prove it
// impossible, and each of them exists.
func TestFaultsCSV(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "faults.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0], ","); got != "fault,test,where" {
		t.Errorf("the columns are %s", got)
	}
	number := regexp.MustCompile(`^F[0-9]{2}$`)
	tests := map[string]map[string]bool{} // of a directory
	covered := map[string]bool{}
	last := ""
	for _, row := range rows[1:] {
		name, test, where := row[0], row[1], row[2]
		if !number.MatchString(name) || name < last {
			t.Errorf("%v: not a number, or out of order", row)
		}
		covered[name], last = true, name
		if test == "replication" || test == "remote" {
			continue // comes with that part
		}
		if tests[where] == nil {
			tests[where] = testsIn(t, filepath.Join("..", "..", where))
		}
		if !tests[where][test] {
			t.Errorf("%s: there is no %s in %s", name, test, where)
		}
	}
	for n := 1; n <= faults; n++ {
		if name := fmt.Sprintf("F%02d", n); !covered[name] {
			t.Errorf("%s is not covered", name)
		}
	}
	if len(covered) != faults {
		t.Errorf("%d faults are covered, %d are known", len(covered), faults)
	}
}

// testsIn lists the tests of a directory by what its files declare.
func testsIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Errorf("no tests in %s: %v", dir, err)
	}
	found := map[string]bool{}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				found[f.Name.Name] = true
			}
		}
	}
	return found
}
