package ledger

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"
)

// Row is one run of a rig.
type Row struct {
	Rig               string
	First, Last       uint64 // seeds
	Cases, Violations int64
}

// Append adds a row to the file, which it makes if need be.
func Append(path string, r Row) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s,%s,%d,%d,%d,%d\n", time.Now().UTC().Format(time.DateOnly), r.Rig, r.First, r.Last, r.Cases, r.Violations)
	return errors.Join(err, f.Close())
}

// LastSeed is the largest seed of a rig in the file; 0 if it has none, or there is
// no file.
func LastSeed(path, rig string) (uint64, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return 0, err
	}
	last := uint64(0)
	for _, row := range rows {
		if len(row) == 6 && row[1] == rig {
			n, err := strconv.ParseUint(row[3], 10, 64)
			if err != nil {
				return 0, err
			}
			last = max(last, n)
		}
	}
	return last, nil
}
