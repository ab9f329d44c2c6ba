// Package load puts messages as the bench does, and as the Java bench of
// tests/interop does: the same bodies, queues, producers and windows, so that
// stores are compared by what they do with them.
package load
