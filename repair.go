package actorstore

import (
	"context"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/repair"
)

type (
	// RepairReport says what a store needs, or what was done to it.
	RepairReport = repair.Report
	// RepairStep is one thing to do, or that was done.
	RepairStep = repair.Step
	// RepairOptions say how far Repair may go.
	RepairOptions struct {
		// SkipDamaged agrees to steps that give something up for good: see
		// RepairStep.Choice. Records that can be read are never lost.
		SkipDamaged bool
	}
)

// ErrChoice is what Repair returns, having changed nothing, if a step needs
// RepairOptions.SkipDamaged.
var ErrChoice = repair.ErrChoice

// PlanRepair says what Repair would do, by file and offset. It changes nothing.
func PlanRepair(ctx context.Context, options Options) (RepairReport, error) {
	return actors.Repair(ctx, options, false, false)
}

// Repair makes a store whole that opening refuses, or that verify finds something
// in: it puts the files in order, rebuilds queues and index where they do not say
// what the log says, and cuts what stands behind the log's end. What it takes
// away or writes over is kept in actorstore/aside/. Nobody else may use the store
// meanwhile. It may be cut at any point and called again.
func Repair(ctx context.Context, options Options, r RepairOptions) (RepairReport, error) {
	return actors.Repair(ctx, options, true, r.SkipDamaged)
}
