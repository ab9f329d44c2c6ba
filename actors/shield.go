package actors

import "fmt"

// shielded makes events harmless that panic: they are the user's, and an actor waits
// for them.
func (e Events) shielded(tell func(error)) Events {
	e.Opened = shield(e.Opened, tell)
	e.Closed = shield(e.Closed, tell)
	e.Recovery = shield(e.Recovery, tell)
	e.SegmentCreated = shield(e.SegmentCreated, tell)
	e.SegmentsExpired = shield2(e.SegmentsExpired, tell)
	e.RetentionBlocked = shield2(e.RetentionBlocked, tell)
	e.FlushFailed = shield(e.FlushFailed, tell)
	e.ReadOnly = shield(e.ReadOnly, tell)
	e.CorruptionFound = shield(e.CorruptionFound, tell)
	e.ActorRestarted = shield(e.ActorRestarted, tell)
	e.ActorHung = shield(e.ActorHung, tell)
	e.DiskSlow = shield(e.DiskSlow, tell)
	e.ActorMoves = shield(e.ActorMoves, tell)
	e.SinkParked = shield(e.SinkParked, tell)
	e.DiskFull = shield2(e.DiskFull, tell)
	e.Stray = shield2(e.Stray, tell)
	return e
}

func shield[T any](f func(T), tell func(error)) func(T) {
	if f == nil {
		return nil
	}
	return func(v T) { aside(func() { f(v) }, tell) }
}

func shield2[T, U any](f func(T, U), tell func(error)) func(T, U) {
	if f == nil {
		return nil
	}
	return func(v T, u U) { aside(func() { f(v, u) }, tell) }
}

// aside runs f on a goroutine of its own and waits: f may end that, as t.FailNow
// does.
func aside(f func(), tell func(error)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if reason := recover(); reason != nil {
				alone(func() { tell(fmt.Errorf("event panicked: %v", reason)) })
			}
		}()
		f()
	}()
	<-done
}
