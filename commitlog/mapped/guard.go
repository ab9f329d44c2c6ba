package mapped

import (
	"fmt"
	"runtime/debug"
	"sync"
	"unsafe"
)

// FaultError says that a page of a mapped file could not be read or written:
// the file was cut behind the mapping, the disk is full under a hole, or the
// device is gone. What was being written there is torn.
type FaultError struct {
	Path   string  // the mapped file
	Offset int64   // position in the file
	Addr   uintptr // address that was touched
}

// Error names the file, the offset and the address.
func (e *FaultError) Error() string {
	return fmt.Sprintf("%s: offset %d: mapped page cannot be accessed (address %#x)", e.Path, e.Offset, e.Addr)
}

// In tells at which byte of b, which is mapped memory, the fault was; false if it was
// elsewhere.
func (e *FaultError) In(b []byte) (int, bool) {
	at := e.Addr - address(b)
	return int(at), e.Addr >= address(b) && at < uintptr(len(b))
}

// Guard runs fn on this goroutine. A memory fault inside a mapped file ends fn
// and becomes a *FaultError; every other panic goes on with its own value.
// Guards may nest, and cost no allocation while nothing goes wrong.
func Guard(fn func()) (err error) {
	old := debug.SetPanicOnFault(true)
	defer settle(old, &err)
	fn()
	return nil
}

// settle is the deferred half of Guard; recover works only in the deferred
// function itself.
func settle(old bool, err *error) {
	debug.SetPanicOnFault(old)
	reason := recover()
	if reason == nil {
		return
	}
	if fault, ok := reason.(interface{ Addr() uintptr }); ok {
		if e := known.find(fault.Addr()); e != nil {
			*err = e
			return
		}
	}
	panic(reason)
}

// known holds every mapped range of the process, asked only after a fault.
var known = ranges{m: map[uintptr]place{}}

type place struct {
	n    int
	path string
	off  int64
}

type ranges struct {
	sync.Mutex
	m map[uintptr]place
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

func (r *ranges) add(b []byte, path string, off int64) {
	r.Lock()
	defer r.Unlock()
	r.m[address(b)] = place{len(b), path, off}
}

func (r *ranges) remove(b []byte) {
	r.Lock()
	defer r.Unlock()
	delete(r.m, address(b))
}

func (r *ranges) find(addr uintptr) *FaultError {
	r.Lock()
	defer r.Unlock()
	for start, p := range r.m {
		if addr >= start && addr-start < uintptr(p.n) {
			return &FaultError{Path: p.path, Offset: p.off + int64(addr-start), Addr: addr}
		}
	}
	return nil
}
