package load

// javaRandom gives the numbers of java.util.Random, so that this bench and the
// Java one put the same bytes.
type javaRandom uint64

const (
	javaFactor = 0x5DEECE66D
	javaAdd    = 0xB
	javaMask   = 1<<48 - 1
)

func newJavaRandom(seed int64) *javaRandom {
	r := javaRandom((uint64(seed) ^ javaFactor) & javaMask)
	return &r
}

// fill is nextBytes: four bytes of each number, the lowest first.
func (r *javaRandom) fill(b []byte) {
	for i := 0; i < len(b); {
		*r = (*r*javaFactor + javaAdd) & javaMask
		n := uint32(*r >> 16)
		for k := 0; k < 4 && i < len(b); k++ {
			b[i] = byte(n)
			n >>= 8
			i++
		}
	}
}
