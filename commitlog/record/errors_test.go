package record_test

import (
	"errors"
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
)

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		err     error
		is, not error
		text    string
	}{
		{&record.CorruptionError{Path: "a/b", Offset: 7, Want: "x", Got: "y"}, record.ErrCorrupt, record.ErrIllegal, "a/b: offset 7: want x, got y"},
		{&record.CorruptionError{Offset: 7, Want: "x", Got: "y"}, record.ErrCorrupt, record.ErrIllegal, "record: offset 7: want x, got y"},
		{&record.LimitError{Field: "body", Want: "x", Got: "y"}, record.ErrIllegal, record.ErrCorrupt, "message refused: body: want x, got y"},
	} {
		if !errors.Is(c.err, c.is) || errors.Is(c.err, c.not) || c.err.Error() != c.text {
			t.Errorf("%v", c.err)
		}
	}
}
