package recoverer

// ShortSteps makes a recovery write down its progress often, until it is undone.
func ShortSteps(batch int, replay, persist int64) (undo func()) {
	b, r, p := scanBatch, replayStep, persistStep
	scanBatch, replayStep, persistStep = batch, replay, persist
	return func() { scanBatch, replayStep, persistStep = b, r, p }
}
