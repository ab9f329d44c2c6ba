package haactor

import "fmt"

// State is the first field of every AutoSwitchHA frame.
type State int32

// The states that frames carry.
const (
	Handshake State = 1
	Transfer  State = 2
)

// Sizes of AutoSwitchHA in bytes.
const (
	SlaveHandshakeSize  = 16
	SlaveReportSize     = 12
	MasterHandshakeSize = 20
	TransferSize        = 36
	EpochEntrySize      = 12
	// MaxEpochEntries is how many a RocketMQ master can send.
	MaxEpochEntries = 1000
)

// SlaveHandshake opens a connection. It must be sent in one write: RocketMQ's
// master acts on its first 12 bytes.
type SlaveHandshake struct {
	SyncFromLastFile bool
	AsyncLearner     bool
	BrokerID         int64
}

// Append adds the frame to b.
func (h SlaveHandshake) Append(b []byte) []byte {
	b = be.AppendUint32(b, uint32(Handshake))
	b = be.AppendUint16(b, bit(h.SyncFromLastFile))
	b = be.AppendUint16(b, bit(h.AsyncLearner))
	return be.AppendUint64(b, uint64(h.BrokerID))
}

func bit(v bool) uint16 {
	if v {
		return 1
	}
	return 0
}

// AppendSlaveReport adds a report: the end of the slave's log.
func AppendSlaveReport(b []byte, maxOffset int64) []byte {
	return be.AppendUint64(be.AppendUint32(b, uint32(Transfer)), uint64(maxOffset))
}

// SlaveFrame is what a slave sends: a handshake or a report.
type SlaveFrame struct {
	State     State
	Handshake SlaveHandshake // with state Handshake
	MaxOffset int64          // with state Transfer
}

// DecodeSlaveFrame reads a frame of a slave and tells how many bytes it has. The
// error is ErrShort or a *FrameError.
func DecodeSlaveFrame(b []byte) (f SlaveFrame, n int, err error) {
	if len(b) < 4 {
		return f, 0, ErrShort
	}
	switch f.State = State(be.Uint32(b)); f.State {
	case Handshake:
		if len(b) < SlaveHandshakeSize {
			return f, 0, ErrShort
		}
		f.Handshake = SlaveHandshake{
			SyncFromLastFile: be.Uint16(b[4:]) == 1, AsyncLearner: be.Uint16(b[6:]) == 1,
			BrokerID: int64(be.Uint64(b[8:])),
		}
		return f, SlaveHandshakeSize, nil
	case Transfer:
		if len(b) < SlaveReportSize {
			return f, 0, ErrShort
		}
		f.MaxOffset = int64(be.Uint64(b[4:]))
		return f, SlaveReportSize, nil
	}
	return f, 0, stateError(f.State)
}

// EpochEntry says at which physical offset an epoch began.
type EpochEntry struct {
	Epoch int32
	Start int64
}

// MasterHandshake answers a slave's handshake.
type MasterHandshake struct {
	MaxOffset int64
	LastEpoch int32 // -1 if there is none
	Entries   []EpochEntry
}

// Append adds the frame to b.
func (h MasterHandshake) Append(b []byte) []byte {
	b = be.AppendUint32(b, uint32(Handshake))
	b = be.AppendUint32(b, uint32(len(h.Entries)*EpochEntrySize))
	b = be.AppendUint64(b, uint64(h.MaxOffset))
	b = be.AppendUint32(b, uint32(h.LastEpoch))
	for _, e := range h.Entries {
		b = be.AppendUint64(be.AppendUint32(b, uint32(e.Epoch)), uint64(e.Start))
	}
	return b
}

// TransferHeader stands in front of log bytes. Size 0 is a heartbeat. The epoch
// may be the one that follows the bytes: RocketMQ labels the last chunk of an
// epoch so.
type TransferHeader struct {
	Size       int32
	Offset     int64
	Epoch      int32
	EpochStart int64
	Confirm    int64
}

// Append adds the header to b.
func (h TransferHeader) Append(b []byte) []byte {
	b = be.AppendUint32(b, uint32(Transfer))
	b = be.AppendUint32(b, uint32(h.Size))
	b = be.AppendUint64(b, uint64(h.Offset))
	b = be.AppendUint32(b, uint32(h.Epoch))
	b = be.AppendUint64(b, uint64(h.EpochStart))
	return be.AppendUint64(b, uint64(h.Confirm))
}

// MasterFrame is what a master sends: a handshake, or a transfer header whose
// body follows in the stream.
type MasterFrame struct {
	State     State
	Handshake MasterHandshake
	Transfer  TransferHeader
}

// DecodeMasterFrame reads a whole handshake, or a transfer header, and tells how
// many bytes it has; limit is the largest body that is acceptable. The error is
// ErrShort or a *FrameError.
func DecodeMasterFrame(b []byte, limit int32) (f MasterFrame, n int, err error) {
	if len(b) < 4 {
		return f, 0, ErrShort
	}
	switch f.State = State(be.Uint32(b)); f.State {
	case Handshake:
		f.Handshake, n, err = decodeMasterHandshake(b)
		return f, n, err
	case Transfer:
		if len(b) < TransferSize {
			return f, 0, ErrShort
		}
		f.Transfer = TransferHeader{
			Size: int32(be.Uint32(b[4:])), Offset: int64(be.Uint64(b[8:])), Epoch: int32(be.Uint32(b[16:])),
			EpochStart: int64(be.Uint64(b[20:])), Confirm: int64(be.Uint64(b[28:])),
		}
		return f, TransferSize, checkSize(f.Transfer.Size, limit)
	}
	return f, 0, stateError(f.State)
}

func decodeMasterHandshake(b []byte) (h MasterHandshake, n int, err error) {
	if len(b) < MasterHandshakeSize {
		return h, 0, ErrShort
	}
	size := int32(be.Uint32(b[4:]))
	if err := checkSize(size, MaxEpochEntries*EpochEntrySize); err != nil {
		return h, 0, err
	}
	if size%EpochEntrySize != 0 {
		return h, 0, &FrameError{"size", "a multiple of 12", fmt.Sprint(size)}
	}
	n = MasterHandshakeSize + int(size)
	if len(b) < n {
		return h, 0, ErrShort
	}
	h.MaxOffset, h.LastEpoch = int64(be.Uint64(b[8:])), int32(be.Uint32(b[16:]))
	for at := MasterHandshakeSize; at < n; at += EpochEntrySize {
		h.Entries = append(h.Entries, EpochEntry{int32(be.Uint32(b[at:])), int64(be.Uint64(b[at+4:]))})
	}
	return h, n, nil
}

func stateError(s State) error {
	return &FrameError{"state", "1 or 2", fmt.Sprint(int32(s))}
}
