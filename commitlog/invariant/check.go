package invariant

// Check panics with msg if checks are compiled in and cond is false. Guard the
// call with Enabled where cond or msg is costly to compute.
func Check(cond bool, msg string) {
	if Enabled && !cond {
		panic("invariant broken: " + msg)
	}
}
