package haactor_test

import (
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/haactor"
	"github.com/actorstore/actorstore/tests/alloc"
)

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.NewReplacer(" ", "", "|", "").Replace(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The frames were captured between RocketMQ 5.5.0 and hand-made peers.
func TestDefaultHAFrames(t *testing.T) {
	if got := haactor.AppendReport(nil, 4264); string(got) != string(unhex(t, "00000000000010a8")) {
		t.Errorf("report %x", got)
	}
	h := haactor.Header{Offset: 131072, Size: 29563}
	wire := unhex(t, "0000000000020000 0000737b")
	if got := h.Append(nil); string(got) != string(wire) {
		t.Errorf("header %x", got)
	}
	if got, err := haactor.DecodeHeader(wire, 32768); err != nil || got != h {
		t.Errorf("decoded %+v, %v", got, err)
	}
}

func TestLastReportTakesTheNewestWholeOne(t *testing.T) {
	b := haactor.AppendReport(haactor.AppendReport(nil, 7), 9)
	at, n, err := haactor.LastReport(append(b, 1, 2, 3))
	if at != 9 || n != 16 || err != nil {
		t.Errorf("%d %d %v", at, n, err)
	}
	if _, _, err := haactor.LastReport(b[:7]); !errors.Is(err, haactor.ErrShort) {
		t.Errorf("7 bytes: %v", err)
	}
}

func TestSlaveFrames(t *testing.T) {
	wire := haactor.SlaveHandshake{BrokerID: 2}.Append(nil)
	if string(wire) != string(unhex(t, "00000001 0000 0000 0000000000000002")) {
		t.Errorf("handshake %x", wire)
	}
	f, n, err := haactor.DecodeSlaveFrame(wire)
	if err != nil || n != 16 || f.Handshake.BrokerID != 2 || f.State != haactor.Handshake {
		t.Errorf("%+v %d %v", f, n, err)
	}
	report := haactor.AppendSlaveReport(nil, 4264)
	if string(report) != string(unhex(t, "00000002 00000000000010a8")) {
		t.Errorf("report %x", report)
	}
	for cut := range wire {
		if _, _, err := haactor.DecodeSlaveFrame(wire[:cut]); !errors.Is(err, haactor.ErrShort) {
			t.Errorf("handshake cut at %d: %v", cut, err)
		}
	}
}

func TestMasterFrames(t *testing.T) {
	h := haactor.MasterHandshake{MaxOffset: 4264, LastEpoch: 2,
		Entries: []haactor.EpochEntry{{Epoch: 1, Start: 0}, {Epoch: 2, Start: 4096}}}
	wire := unhex(t, "00000001 00000018 00000000000010a8 00000002 | 00000001 0000000000000000 00000002 0000000000001000")
	if got := h.Append(nil); string(got) != string(wire) {
		t.Errorf("handshake %x", got)
	}
	f, n, err := haactor.DecodeMasterFrame(wire, 0)
	if err != nil || n != len(wire) || !reflect.DeepEqual(f.Handshake, h) {
		t.Errorf("%+v %d %v", f, n, err)
	}
	tr := haactor.TransferHeader{Size: 168, Offset: 4096, Epoch: 2, EpochStart: 4096, Confirm: 4264}
	wire = unhex(t, "00000002 000000a8 0000000000001000 00000002 0000000000001000 00000000000010a8")
	if got := tr.Append(nil); string(got) != string(wire) {
		t.Errorf("transfer %x", got)
	}
	f, n, err = haactor.DecodeMasterFrame(wire, 32768)
	if err != nil || n != 36 || f.Transfer != tr {
		t.Errorf("%+v %d %v", f, n, err)
	}
}

// F45: frames that no peer can mean end the connection, whatever follows.
func TestF45ImpossibleFramesAreErrors(t *testing.T) {
	for name, wire := range map[string]string{
		"negative size":      "00000002 fffffc19 00000000000003e7 00000001 0000000000018895 0000000000024e0c",
		"size of 2 GB":       "00000002 7fffffff 00000000000003e7 00000001 0000000000018895 0000000000024e0c",
		"unknown state":      "00000003 00000000",
		"odd epoch list":     "00000001 0000000d 0000000000000000 ffffffff",
		"endless epochs":     "00000001 7ffffff8 0000000000000000 ffffffff",
		"negative handshake": "00000001 fffffff4 0000000000000000 ffffffff",
	} {
		var fe *haactor.FrameError
		if _, _, err := haactor.DecodeMasterFrame(unhex(t, wire), 4<<20); !errors.As(err, &fe) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, wire := range map[string]string{
		"negative size": "0000000000001000 ffffffff", "negative offset": "8000000000001000 00000001",
	} {
		var fe *haactor.FrameError
		if _, err := haactor.DecodeHeader(unhex(t, wire), 4<<20); !errors.As(err, &fe) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// results is what a frame may cost beyond its bytes: an error with its texts, and
// the room to grow of a list of epochs.
const results = 2 << 10

func FuzzDecodeMasterFrame(f *testing.F) {
	f.Add(haactor.MasterHandshake{LastEpoch: -1}.Append(nil))
	f.Add(haactor.TransferHeader{Size: 5, Offset: 9}.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := alloc.Check(len(b), results, func() { _, _, _ = haactor.DecodeMasterFrame(b, 1<<20) }); err != nil {
			t.Fatal(err)
		}
		frame, n, err := haactor.DecodeMasterFrame(b, 1<<20)
		if err != nil {
			return
		}
		if n > len(b) || len(frame.Handshake.Entries) > haactor.MaxEpochEntries {
			t.Fatalf("%d bytes of %d, %d entries", n, len(b), len(frame.Handshake.Entries))
		}
		again := frame.Transfer.Append(nil)
		if frame.State == haactor.Handshake {
			again = frame.Handshake.Append(nil)
		}
		if string(again) != string(b[:n]) {
			t.Fatalf("%x became %x", b[:n], again)
		}
	})
}

func FuzzDecodeSlaveFrame(f *testing.F) {
	f.Add(haactor.SlaveHandshake{BrokerID: 2}.Append(nil))
	f.Add(haactor.AppendSlaveReport(nil, 7))
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := alloc.Check(len(b), results, func() {
			_, _, _ = haactor.DecodeSlaveFrame(b)
			_, _ = haactor.DecodeHeader(b, 1<<20)
			_, _, _ = haactor.LastReport(b)
		}); err != nil {
			t.Fatal(err)
		}
		if _, n, err := haactor.DecodeSlaveFrame(b); err == nil && n > len(b) {
			t.Fatal(n)
		}
		if _, err := haactor.DecodeHeader(b, 1<<20); err == nil && len(b) < haactor.HeaderSize {
			t.Fatal("header of nothing")
		}
	})
}
