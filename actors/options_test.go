package actors

import (
	"errors"
	"testing"
)

// An option that cannot be is named, before anything is opened.
func TestOptionsThatCannotBe(t *testing.T) {
	for name, set := range map[string]func(*Options){
		"FS and Now":              func(o *Options) { o.FS = nil },
		"MappedFileSizeCommitLog": func(o *Options) { o.MappedFileSizeCommitLog = 5 },
		"RestartBudget":           func(o *Options) { o.RestartBudget = -1 },
		"RestartWindow":           func(o *Options) { o.RestartWindow = 0 },
		"StorePathRootDir":        func(o *Options) { o.StorePathRootDir = "" },
		"ZeroAheadCommitLog":      func(o *Options) { o.ZeroAheadCommitLog = -1 },
	} {
		o := DefaultOptions("store")
		if err := o.Validate(); err != nil {
			t.Fatalf("the defaults: %v", err)
		}
		set(&o)
		var bad *OptionError
		if err := o.Validate(); !errors.As(err, &bad) || bad.Option != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}
