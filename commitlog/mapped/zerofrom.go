package mapped

import "io"

// ZeroFrom tells that no byte of a file is set from an offset on. What cannot be read
// is not known to be zero, nor to be anything else.
func ZeroFrom(f File, at int64) (bool, error) {
	b := make([]byte, 1<<20)
	for ; ; at += int64(len(b)) {
		n, err := f.ReadAt(b, at)
		if err != nil && err != io.EOF {
			return false, err
		}
		for _, c := range b[:n] {
			if c != 0 {
				return false, nil
			}
		}
		if n < len(b) {
			return true, nil
		}
	}
}
