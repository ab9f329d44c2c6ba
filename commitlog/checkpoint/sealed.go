package checkpoint

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// A sealed file is one of ours that is replaced as a whole: magic, count, body,
// CRC. The count is what the entries are bounded by, so it comes first.
const (
	sealedHead = 12
	sealedTail = 4
	// sealedLimit bounds what is read into memory: far above a million queues.
	sealedLimit = 1 << 30
)

// sealedMagic tells the kind of the file and the version of its format.
type sealedMagic [8]byte

// newSealed starts a file; entries are appended, then seal closes it.
func newSealed(magic sealedMagic, count, capacity int) []byte {
	b := make([]byte, 0, sealedHead+capacity+sealedTail)
	b = append(b, magic[:]...)
	return binary.BigEndian.AppendUint32(b, uint32(count))
}

func seal(b []byte) []byte {
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// readSealed gives a cursor over the body, nil if the file is not there.
func readSealed(fsys mapped.FS, path string, magic sealedMagic) (*cursor, error) {
	b, err := readFile(fsys, path, sealedLimit)
	if err != nil || b == nil {
		return nil, err
	}
	return openSealed(path, b, magic)
}

func openSealed(path string, b []byte, magic sealedMagic) (*cursor, error) {
	bad := func(off int, want, got string) error {
		return &record.CorruptionError{Path: path, Offset: int64(off), Want: want, Got: got, Next: -1}
	}
	if len(b) < sealedHead+sealedTail {
		return nil, bad(len(b), fmt.Sprintf("at least %d bytes", sealedHead+sealedTail), fmt.Sprintf("%d bytes", len(b)))
	}
	if sealedMagic(b[:8]) != magic {
		return nil, bad(0, fmt.Sprintf("magic %x", magic), fmt.Sprintf("%x", b[:8]))
	}
	end := len(b) - sealedTail
	if want, got := crc32.ChecksumIEEE(b[:end]), binary.BigEndian.Uint32(b[end:]); want != got {
		return nil, bad(end, fmt.Sprintf("checksum %08x", want), fmt.Sprintf("%08x", got))
	}
	return &cursor{path: path, b: b[:end], at: sealedHead, count: binary.BigEndian.Uint32(b[8:])}, nil
}

// cursor reads a body; the first read past the end latches short, so that only
// the end of an entry needs a check.
type cursor struct {
	path  string
	b     []byte
	at    int
	count uint32
	short bool
}

func (c *cursor) take(n int) []byte {
	if c.short || len(c.b)-c.at < n {
		c.short = true
		return nil
	}
	c.at += n
	return c.b[c.at-n : c.at]
}

func (c *cursor) u64() int64 {
	if b := c.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if b := c.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) u8() uint8 {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

// text reads a u16 length and that many bytes.
func (c *cursor) text() string {
	if b := c.take(2); b != nil {
		return string(c.take(int(binary.BigEndian.Uint16(b))))
	}
	return ""
}

// err is set when the entries ended early.
func (c *cursor) err() error {
	if !c.short {
		return nil
	}
	return &record.CorruptionError{Path: c.path, Offset: int64(c.at), Next: -1,
		Want: fmt.Sprintf("%d entries", c.count), Got: "the end of the file"}
}

// end is set when entries ended early or bytes are left over.
func (c *cursor) end() error {
	if c.short || c.at == len(c.b) {
		return c.err()
	}
	return &record.CorruptionError{Path: c.path, Offset: int64(c.at), Next: -1,
		Want: fmt.Sprintf("the end after %d entries", c.count), Got: fmt.Sprintf("%d more bytes", len(c.b)-c.at)}
}

// appendText is the writing side of text; longer names than a u16 can tell are
// refused before.
func appendText(b []byte, s string) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(len(s)))
	return append(b, s...)
}

func checkName(topic string) error {
	if topic == "" || len(topic) > 0xffff {
		return fmt.Errorf("topic name: want 1..65535 bytes, got %d", len(topic))
	}
	return nil
}
