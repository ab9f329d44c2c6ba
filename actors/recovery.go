package actors

import (
	"bytes"
	"fmt"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/recoverer"
)

// deferIndex is how much log the index must lack, or a segment of it, for the
// index to be made whole behind the open store by its own actor; what is less is
// made up for while opening.
const deferIndex = 64 << 20

// recoveryInput gathers what recovery needs, the small files included.
func (r *rooms) recoveryInput(o *Options) (recoverer.Input, error) {
	state, found, err := recoverer.ReadState(r.fs, r.layout)
	if err != nil {
		return recoverer.Input{}, err
	}
	delays, err := record.ParseDelayLevels(o.MessageDelayLevel)
	if err != nil {
		return recoverer.Input{}, err
	}
	warn := func(f recoverer.Finding) {
		if f.Torn { // OpenedEvent.Cut tells of it
			say(o.Logger.Info().Str("path", f.Path).Int64("offset", f.Offset).Str("got", f.Got), "end of the log cut")
			return
		}
		r.damaged.Add(1)
		if o.Events.CorruptionFound != nil {
			o.Events.CorruptionFound(&record.CorruptionError{Path: f.Path, Offset: f.Offset, Want: f.Want, Got: f.Got, Next: f.End})
		}
		say(o.Logger.Warn().Str("where", string(f.Where)).Str("path", f.Path).Int64("offset", f.Offset).
			Str("want", f.Want).Str("got", f.Got), "damage")
	}
	for _, f := range found {
		warn(f)
	}
	return recoverer.Input{
		FS: r.fs, Layout: r.layout, Log: r.log, Queues: r.queues, Index: r.index, State: state,
		SyncFlush: o.FlushDiskType == SyncFlush, Kind: r.kinds.of, MultiDispatch: o.multiDispatch(),
		Delays: delays, Parallel: parallel, Warn: warn, DeferIndex: min(deferIndex, o.MappedFileSizeCommitLog),
		Progress: func(p recoverer.Progress) {
			if o.Events.Recovery != nil {
				o.Events.Recovery(RecoveryEvent{Phase: string(p.Phase), Done: p.Done, Total: p.Total})
			}
		},
	}, nil
}

// keepAside keeps bytes of the log that are about to be cut.
func (r *rooms) keepAside(offset int64, b []byte) error {
	_, err := checkpoint.Aside(r.fs, r.layout, fmt.Sprintf("commitlog-%020d", offset), bytes.NewReader(b))
	return err
}
