package repair

import (
	"fmt"

	"github.com/actorstore/actorstore/recoverer"
)

// Action is what is done with a file or a part of it.
type Action string

// The actions.
const (
	Move    Action = "move aside" // the whole file
	Rename  Action = "rename"     // to the name that its records claim
	Pad     Action = "pad"        // with zeros up to the full length
	Shorten Action = "shorten"    // to the full length
	Rebuild Action = "rebuild"    // from the log
	Cut     Action = "cut"        // bytes behind the end of the log
	Renew   Action = "write anew" // a small file
	Accept  Action = "give up"    // a range of the log that is not there any more
	Recover Action = "recover"    // as opening does after an unclean stop
)

// Step is one thing to do, or that was done.
type Step struct {
	Action Action
	Where  recoverer.Where
	Path   string // file or directory, or topic-queueId
	Offset int64  // where it begins, as in a Finding
	End    int64  // exclusive; 0 = a single place
	Count  int64  // how many findings it answers, at least 1
	Want   string // what was expected at the first of them
	Got    string // what stands there
	To     string // the new name, for Rename; below actorstore/aside/ else, once done
	// Choice marks a step that gives something up: it is done only if damage may
	// be skipped.
	Choice bool
	Done   bool
}

// String is one line: action, file, place, reason.
func (s Step) String() string {
	f := recoverer.Finding{Where: s.Where, Path: s.Path, Offset: s.Offset, End: s.End, Want: s.Want, Got: s.Got}
	line := fmt.Sprintf("%s: %s", s.Action, f)
	if s.To != "" {
		line += ": " + s.To
	}
	return line
}

// finding is what verify tells about the step's reason.
func (s Step) finding() recoverer.Finding {
	return recoverer.Finding{Where: s.Where, Path: s.Path, Offset: s.Offset, End: s.End, Want: s.Want, Got: s.Got}
}

// Kept is something that was put aside.
type Kept struct {
	Path string
	Size int64
}

// Report says what a store needs, or what was done to it.
type Report struct {
	Steps []Step
	// Left is what no step heals: records that are damaged, mostly.
	Left []recoverer.Finding
	Kept []Kept // what this run has put aside
	// Min and End are the bounds of the log, as it will be or is.
	Min, End int64
	Done     bool // the steps were done
}

// Choices counts the steps that wait for a decision.
func (r *Report) Choices() (n int) {
	for _, s := range r.Steps {
		if s.Choice && !s.Done {
			n++
		}
	}
	return n
}
