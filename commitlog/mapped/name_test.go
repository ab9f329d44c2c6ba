package mapped_test

import (
	"math"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

func TestName(t *testing.T) {
	for _, c := range []struct {
		offset int64
		name   string
	}{
		{0, "00000000000000000000"},
		{1 << 30, "00000000001073741824"},
		{math.MaxInt64, "09223372036854775807"},
	} {
		if got := mapped.Name(c.offset); got != c.name {
			t.Errorf("Name(%d) = %s, want %s", c.offset, got, c.name)
		}
		if got, ok := mapped.ParseName(c.name); !ok || got != c.offset {
			t.Errorf("ParseName(%s) = %d %v", c.name, got, ok)
		}
	}
	for _, name := range []string{
		"", "0", "00000000000000000000.bak", "0000000000000000000x", "-0000000000000000001",
		"+0000000000000000001", "09223372036854775808", "99999999999999999999", "000000000000000000000",
		"0000000000000000000\u0660",
	} {
		if got, ok := mapped.ParseName(name); ok {
			t.Errorf("ParseName(%q) = %d, want refusal", name, got)
		}
	}
}

func FuzzParseName(f *testing.F) {
	for _, s := range []string{"", "00000000000000000000", "09223372036854775807", "09223372036854775808", "core.123", "00000000001073741824.tmp"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		offset, ok := mapped.ParseName(name)
		if ok && (offset < 0 || mapped.Name(offset) != name) {
			t.Errorf("ParseName(%q) = %d, whose name is %q", name, offset, mapped.Name(offset))
		}
	})
}
