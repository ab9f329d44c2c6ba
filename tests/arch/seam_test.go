package arch_test

import (
	"go/token"
	"regexp"
	"testing"
)

// doors may touch files: the seam itself, and programs.
func isDoor(p *pkg, f *file) bool {
	return f.test || isTests(p.name) || under(p.name, "commitlog/mapped", "cmd", "storetest")
}

var (
	// What the names of os and syscall stand for without touching a file.
	harmlessOS       = regexp.MustCompile(`^(O_[A-Z]+|Err[A-Za-z]+|Mode[A-Za-z]*|FileMode|FileInfo|DirEntry|PathError|LinkError|SyscallError|Getpid|Getpagesize|Hostname|PathSeparator)$`)
	harmlessSyscall  = regexp.MustCompile(`^(E[A-Z0-9]+|Errno)$`)
	harmfulFilepath  = regexp.MustCompile(`^(Walk|WalkDir|Glob|EvalSymlinks)$`)
	forbiddenPackage = regexp.MustCompile(`^(io/ioutil|golang\.org/x/sys/.*|github\.com/edsrzf/mmap-go|plugin)$`)
)

// Nobody but mapped opens, maps, syncs or removes a file: a test can put any
// disk behind the store.
func TestFilesOnlyThroughSeam(t *testing.T) {
	each(t, func(p *pkg, f *file) {
		if isDoor(p, f) {
			return
		}
		for _, path := range f.imports() {
			if forbiddenPackage.MatchString(path) {
				t.Errorf("%s: imports %s", f.path, path)
			}
		}
		f.uses("os", func(at token.Pos, ident string) {
			if !harmlessOS.MatchString(ident) {
				t.Errorf("%s: os.%s outside of mapped", where(at), ident)
			}
		})
		f.uses("syscall", func(at token.Pos, ident string) {
			if !harmlessSyscall.MatchString(ident) {
				t.Errorf("%s: syscall.%s outside of mapped", where(at), ident)
			}
		})
		f.uses("path/filepath", func(at token.Pos, ident string) {
			if harmfulFilepath.MatchString(ident) {
				t.Errorf("%s: filepath.%s outside of mapped", where(at), ident)
			}
		})
	})
}
