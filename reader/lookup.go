package reader

import (
	"context"
	"fmt"

	"github.com/actorstore/actorstore/commitlog/record"
)

// Lookup reads the message whose record starts at a physical offset. Errors:
// *commitlog.MissingError where the log holds nothing, or nothing that may be
// seen yet; ErrNoRecord where no record starts; *record.CorruptionError where one
// does and its checksum is wrong; *mapped.FaultError where the file cannot be
// read.
func (r *Reader) Lookup(ctx context.Context, physicalOffset int64) (*record.MessageExt, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	cur := r.log.Cursor()
	defer cur.Close()
	m := new(record.MessageExt)
	err := r.fetch(&cur, physicalOffset, func(b []byte) error {
		var mem arena
		return r.own(&mem, cur.Path(), physicalOffset, b, m)
	})
	if err != nil {
		return nil, r.gone(err)
	}
	return m, nil
}

// LookupID reads the message that an offset message id names (32 or 56 hex
// digits). The id holds the store host of its record: an id that another store
// gave out is ErrNoRecord, not some message at the same place. Other errors are
// as for Lookup.
func (r *Reader) LookupID(ctx context.Context, id string) (*record.MessageExt, error) {
	host, offset, err := record.DecodeMessageID(id)
	if err != nil {
		return nil, err
	}
	m, err := r.Lookup(ctx, offset)
	if err != nil {
		return nil, err
	}
	if m.StoreHost != host {
		return nil, noRecord(offset, fmt.Errorf("the id names store host %v, the record %v", host, m.StoreHost))
	}
	return m, nil
}
