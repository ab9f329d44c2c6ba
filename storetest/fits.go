package storetest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/actorstore/actorstore"
)

// fits is Validate for a store with these options: it has not every actor, and no
// path of its files is like every pattern.
func (s Script) fits(o actorstore.Options) error {
	if err := s.Validate(); err != nil {
		return err
	}
	for _, f := range s {
		if why := f.misfit(o); why != "" {
			return fmt.Errorf("storetest.%v: %s", f, why)
		}
	}
	return nil
}

func (f Fault) misfit(o actorstore.Options) string {
	switch actors := actorsOf(o); {
	case f.ofActor() && !slices.Contains(actors, f.actor):
		return fmt.Sprintf("this store has no actor %q, but %s", f.actor, strings.Join(actors, ", "))
	case f.ofSignal() && f.actor == "flusher" && o.FlushDiskType == actorstore.SyncFlush:
		return "under SYNC_FLUSH the flusher gets no ticks"
	case strings.Contains(f.path, "/") && rooted(o) && !filepath.IsAbs(f.path):
		return fmt.Sprintf("paths begin with %s; a pattern without a slash is for their last step", o.StorePathRootDir)
	}
	return ""
}

// rooted tells whether all paths of a store are absolute.
func rooted(o actorstore.Options) bool {
	return filepath.IsAbs(o.StorePathRootDir) && (o.StorePathCommitLog == "" || filepath.IsAbs(o.StorePathCommitLog))
}

// ofSignal tells whether a fault is one of wakes and ticks.
func (f Fault) ofSignal() bool {
	return f.deed == doDrop || f.deed == doDelay || f.deed == doReorder || f.deed == doDuplicate
}
