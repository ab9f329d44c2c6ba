package mapped

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/actorstore/actorstore/commitlog/record"
)

// found is a directory entry that is a segment by its name.
type found struct {
	path   string
	offset int64
	size   int64
}

// wrongSize names the place where a file that begins at an offset ends too soon, or
// goes on too long, in the numbers of its queue: for the log a physical offset.
func wrongSize(path string, begin, want, got int64) error {
	return &record.CorruptionError{
		Path: path, Offset: begin + min(want, got),
		Want: fmt.Sprintf("file of %d bytes", want),
		Got:  fmt.Sprintf("%d bytes", got),
		Next: -1,
	}
}

// classify sorts the entries of a directory into segments and strays. It takes
// RocketMQ's view of what a segment is (a name that parses as a long), but a
// name that cannot be one of this file size is an error, never an offset.
func classify(dir string, entries []fs.DirEntry, fileSize int64, warn func(path, reason string)) ([]found, error) {
	var files []found
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		offset, numeric, fits := parseDigits(e.Name())
		switch {
		case e.IsDir():
			warn(path, "a directory, not a segment; left alone")
			continue
		case !e.Type().IsRegular() && numeric:
			// A link, mostly: without what it leads to the log would begin or end too
			// soon, and queues would follow it.
			return nil, &record.CorruptionError{Path: path, Offset: offset, Want: "a regular file", Got: e.Type().String(), Next: -1}
		case !e.Type().IsRegular():
			warn(path, "not a regular file; left alone")
			continue
		case !numeric:
			warn(path, "not named by an offset; left alone")
			continue
		case !fits || offset%fileSize != 0:
			return nil, &record.CorruptionError{
				Path: path, Offset: offset,
				Want: "a name that is a multiple of " + strconv.FormatInt(fileSize, 10),
				Got:  e.Name(), Next: -1,
			}
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		files = append(files, found{path, offset, info.Size()})
	}
	slices.SortFunc(files, func(a, b found) int { // of two names for one offset the longest is first
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(len(b.path), len(a.path)))
	})
	for i := 1; i < len(files); i++ {
		if files[i].offset == files[i-1].offset {
			return nil, &record.CorruptionError{
				Path: files[i].path, Offset: files[i].offset,
				Want: "one file for each offset", Got: "also " + files[i-1].path, Next: -1,
			}
		}
	}
	return files, nil
}

// checkSizes splits an empty last file off (a process died between making and
// sizing it) and refuses every other size than fileSize.
func checkSizes(files []found, fileSize int64) (kept []found, empty string, err error) {
	if n := len(files); n > 0 && files[n-1].size == 0 {
		empty, files = files[n-1].path, files[:n-1]
	}
	for _, f := range files {
		if f.size != fileSize {
			return nil, "", wrongSize(f.path, f.offset, fileSize, f.size)
		}
	}
	return files, empty, nil
}
