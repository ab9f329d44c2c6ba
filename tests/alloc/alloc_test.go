package alloc

import (
	"encoding/binary"
	"testing"
)

var kept []byte

// trusting allocates what a length field says, up to a limit.
func trusting(b []byte) {
	kept = make([]byte, min(binary.BigEndian.Uint32(b), 1<<24))
}

func TestLargest(t *testing.T) {
	for _, n := range []uint64{900, 5000, 30000, 40000, 1 << 20} {
		got := Largest(func() { kept = make([]byte, n); kept = make([]byte, 700) })
		if got < n*7/8 || got > n+8192 {
			t.Errorf("%d bytes look like %d", n, got)
		}
	}
}

// A parser that trusts a length is found out, one that copies its input is not.
func TestCheck(t *testing.T) {
	calls.Store(0)
	for _, size := range []uint32{4000, 20000, 40000, 1 << 30} {
		b := binary.BigEndian.AppendUint32(nil, size)
		if Check(len(b), 2000, func() { trusting(b) }) == nil {
			t.Errorf("%d bytes by a length field are not noticed", size)
		}
	}
	for _, n := range []int{0, 10, 1000, 30000, 1 << 20} {
		b := make([]byte, n)
		if err := Check(n, 1000, func() { kept = append([]byte(nil), b...) }); err != nil {
			t.Error(err)
		}
	}
}

// Later calls are looked at now and then.
func TestSample(t *testing.T) {
	calls.Store(looked)
	b, found := binary.BigEndian.AppendUint32(nil, 1<<20), 0
	for range 10 * sample {
		if Check(len(b), 1000, func() { trusting(b) }) != nil {
			found++
		}
	}
	if found != 10 {
		t.Errorf("found %d times, want 10", found)
	}
}
