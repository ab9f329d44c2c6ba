//go:build race

package recoverer_test

// slower is how much less is done under the race detector.
const slower = 8
