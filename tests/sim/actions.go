package sim

// action is a step that the simulation may choose.
type action struct {
	name   string
	weight int
	ready  func(l *life) bool
	do     func(w *world)
}

func always(*life) bool { return true }

// on makes a step of something that a life can do.
func on(f func(l *life)) func(w *world) { return func(w *world) { f(w.l) } }

// actions are all steps while a process has the store open.
var actions []action

func init() {
	actions = []action{
		{"client", 30, always, (*world).client},
		{"encode", 25, func(l *life) bool { return len(l.mailbox) > 0 && !l.pairDown },
			func(w *world) { w.l.encode(1 + w.rng.IntN(4)) }},
		{"publish", 25, func(l *life) bool { return len(l.encoded) > 0 && !l.pairDown }, on((*life).publish)},
		{"hand over", 25, func(l *life) bool { return len(l.published) > 0 && !l.pairDown }, on((*life).handOver)},
		{"flush", 15, func(l *life) bool { return !l.pairDown && (len(l.chains) > 0 || l.sync && l.owes()) }, on((*life).flush)},
		{"flush tick", 6, func(l *life) bool { return !l.pairDown && !l.sync }, on((*life).tick)},
		{"flush now", 1, func(l *life) bool { return !l.pairDown }, (*world).flushNow},
		{"answer", 20, func(l *life) bool { return l.covered }, on((*life).answerFlushed)},
		{"leave", 2, func(l *life) bool { return len(l.flight) > 0 }, (*world).leave},
		{"dispatch", 20, func(l *life) bool { return !l.away && (l.wake || len(l.inbox) > 0) }, on((*life).dispatch)},
		{"sink", 35, func(l *life) bool { return len(l.busySinks()) > 0 }, (*world).oneSink},
		{"sink up", 8, func(l *life) bool { return len(l.downSinks()) > 0 }, (*world).sinkUp},
		{"dispatch up", 8, func(l *life) bool { return l.away }, on((*life).startDispatch)},
		{"pair up", 8, func(l *life) bool { return l.pairDown }, on((*life).pairUp)},
		{"allocate", 5, always, on((*life).allocate)},
		{"checkpoint", 6, always, on((*life).checkpoint)},
		{"retention", 4, always, on((*life).retain)},
		{"expire", 6, func(l *life) bool { return l.keeper.pending }, on((*life).expire)},
		{"follow", 4, func(l *life) bool { return !l.keeper.pending }, on((*life).follow)},
		{"delete", 30, (*life).canDelete, on((*life).deleteStep)},
		{"get", 8, always, (*world).get},
		{"by time", 3, always, (*world).byTime},
		{"query", 3, always, (*world).query},
		{"time", 6, always, (*world).pass},
		{"set clock", 1, always, (*world).jumpClock},
		{"sink dies", 2, always, (*world).oneSinkDies},
		{"dispatch dies", 1, func(l *life) bool { return !l.away }, on((*life).dispatchDies)},
		{"pair dies", 1, func(l *life) bool { return !l.pairDown && l.deleting == nil }, on((*life).pairDies)},
		{"retention dies", 1, always, on((*life).restartKeeper)},
		{"fault", 3, func(l *life) bool { return len(l.w.faults.rules) < 2 }, (*world).planFault},
		{"heal", 4, func(l *life) bool { return len(l.w.faults.rules) > 0 }, (*world).heal},
		{"plan a cut", 2, func(l *life) bool { return l.w.cut.in == 0 }, func(w *world) { w.planCut(1 + w.rng.IntN(40)) }},
		{"cut", 1, (*life).busy, func(w *world) { w.planCut(1); w.call() }},
		{"rest", 1, always, (*world).quiet},
		{"close", 1, func(l *life) bool { return l.deleting == nil }, (*world).close},
		{"give up", 4, func(l *life) bool { return l.log.Failed() != nil }, (*world).close},
	}
}

// busy tells whether something is under way that a cut would break off.
func (l *life) busy() bool {
	return len(l.flight) > 0 || l.log.Dispatched() < l.log.Appended() || l.deleting != nil
}

// pick chooses one that is ready.
func (w *world) pick() *action {
	total := 0
	for i := range actions {
		if actions[i].ready(w.l) {
			total += actions[i].weight
		}
	}
	n := w.rng.IntN(total)
	for i := range actions {
		a := &actions[i]
		if !a.ready(w.l) {
			continue
		}
		if n -= a.weight; n < 0 {
			return a
		}
	}
	panic("unreachable")
}

// owes tells whether something waits for a flush.
func (l *life) owes() bool {
	return l.log.Failed() == nil && !l.covered && l.log.Flushed() < l.log.Appended()
}

func (l *life) busySinks() (list []*sink) {
	for _, s := range l.sinks {
		if !s.down && len(s.box) > 0 {
			list = append(list, s)
		}
	}
	return list
}

func (l *life) downSinks() (list []*sink) {
	for _, s := range l.sinks {
		if s.down {
			list = append(list, s)
		}
	}
	return list
}

func (w *world) oneSink() {
	list := w.l.busySinks()
	s := list[w.rng.IntN(len(list))]
	w.trace.note("%s", s.name)
	w.l.take(s)
}

func (w *world) sinkUp() {
	list := w.l.downSinks()
	list[w.rng.IntN(len(list))].start()
}

func (w *world) oneSinkDies() {
	if s := w.l.sinks[w.rng.IntN(len(w.l.sinks))]; !s.down {
		w.l.sinkDies(s)
	}
}

// flushNow is Store.Flush: what was acknowledged before is durable behind it.
func (w *world) flushNow() {
	w.answers()
	end := w.model.AckedEnd()
	w.l.flush()
	if w.l.log.Failed() == nil && !w.dead {
		w.model.Synced(end)
	}
}

// allocate makes the next segment.
func (l *life) allocate() {
	l.alloc.Populate()
	if _, err := l.alloc.Prepare(); err != nil && !injected(err) {
		l.w.fail("no segment on a healthy disk: %v", err)
	}
	l.alloc.Populate()
}

// beside is what others do while the log is being synced.
func (w *world) beside() {
	l := w.l
	if l == nil || w.dead || l.besideSync == 0 {
		return
	}
	n := l.besideSync
	l.besideSync = 0
	for range n {
		switch w.rng.IntN(5) {
		case 0:
			l.encode(1 + w.rng.IntN(3))
		case 1:
			if len(l.encoded) > 0 {
				l.publish()
			}
		case 2:
			if len(l.published) > 0 {
				l.handOver()
			}
		case 3:
			if list := l.busySinks(); len(list) > 0 {
				l.take(list[0])
			}
		case 4:
			if !l.away && (l.wake || len(l.inbox) > 0) {
				l.dispatch()
			}
		}
	}
	w.trace.note("%d beside the sync", n)
}
