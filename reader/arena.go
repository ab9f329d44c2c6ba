package reader

// arena hands out pieces of chunks that it keeps. Pieces stay where they are
// while more are taken, so messages may point into them.
type arena struct {
	chunks [][]byte
	at     int // chunk in use
	used   int // bytes of it that are handed out
}

const minChunk = 4096

func (a *arena) reset() { a.at, a.used = 0, 0 }

// take gives n bytes of any contents. more is how many bytes the caller expects
// to take in all, which sizes a new chunk.
func (a *arena) take(n, more int) []byte {
	for ; a.at < len(a.chunks); a.at, a.used = a.at+1, 0 {
		if c := a.chunks[a.at]; len(c)-a.used >= n {
			b := c[a.used : a.used+n : a.used+n]
			a.used += n
			return b
		}
	}
	c := make([]byte, max(n, more, minChunk))
	a.chunks = append(a.chunks, c)
	a.used = n
	return c[:n:n]
}

// back takes the last piece, of n bytes, back.
func (a *arena) back(n int) { a.used -= n }
