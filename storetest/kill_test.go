package storetest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/storetest"
)

// Of ten kills in a row one struck: the others came while the actor was away, and
// were lost.
func TestKillsInARow(t *testing.T) {
	for _, name := range append(storetest.Actors(), "store") {
		for in, bubble := range map[string]func(*testing.T, func(*testing.T)){"virtual": storetest.Virtual, "racing": storetest.Racing} {
			t.Run(name+" "+in, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					s := storetest.Open(t, options(func(o *actorstore.Options) { o.RestartBudget = 100 }), nil)
					put(t, s, 0, 10)
					const kills = 4 // a sink that dies more often at the same record is parked
					for range kills {
						s.Kill(name)
					}
					time.Sleep(time.Minute)
					want := strings.TrimSpace(strings.Repeat(fmt.Sprintf("Kill(%q) ", name), kills))
					if got := strings.Join(s.Struck(), " "); got != want || s.Told("restarted "+name) != kills {
						t.Errorf("struck %s; %v", got, s.Events())
					}
					storetest.Check(t, s)
				})
			})
		}
	}
}

// What sends a kill is no message that another fault counts.
func TestKillIsNoMessage(t *testing.T) {
	storetest.Virtual(t, func(t *testing.T) {
		s := storetest.Open(t, options(), storetest.Script{storetest.PanicAt("reader-0", 1).Every(1)})
		for range 3 {
			s.Kill("reader-0")
		}
		time.Sleep(time.Minute)
		if got := fmt.Sprint(s.Struck()); got != `[Kill("reader-0") Kill("reader-0") Kill("reader-0")]` {
			t.Error(got)
		}
	})
}
