package dispatch_test

import (
	"testing"

	"github.com/actorstore/actorstore/dispatch"
)

// BenchmarkRead makes a window of 1 MiB from records as small as they get: the
// cost of a record beside that of its bytes. Nothing is allocated for a record.
func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name  string
		pairs []string
	}{
		{"plain", nil},
		{"light", []string{"INNER_MULTI_DISPATCH", "%LMQ%a,%LMQ%b"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			d := begin(b, 2<<20, dispatch.Rules{})
			for i := range int32(6000) {
				m := message("T", i%8, c.pairs...)
				m.Body = nil
				d.put(m)
			}
			end := d.log.Confirm()
			d.catchUp()
			w := &dispatch.Window{}
			b.ReportAllocs()
			for b.Loop() {
				d.reput.Rewind(0)
				noErr(b, d.reput.Read(w, end))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*w.Records), "ns/record")
		})
	}
}
