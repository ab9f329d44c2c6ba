//go:build race

package sim_test

// raceEnabled: the race detector makes a seed ten times as slow.
const raceEnabled = true
