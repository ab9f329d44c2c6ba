package mapped

// Refresh takes the pages of [off, off+n) out of memory where no sync may make them
// durable, so that what is then written there is. They show again what the disk has:
// keep what they hold. A page that was written once more since a sync of it failed
// waits for a write, and would stay: so they are synced before.
func Refresh(r Region, off, n int64) error {
	at, err := r.Unwritten(off, n)
	if err != nil || at < 0 {
		return err
	}
	if err := r.Flush(off, n); err != nil {
		return err
	}
	_, err = r.Drop(off, n)
	return err
}
