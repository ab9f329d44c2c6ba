// Package storetest lets a store fail on purpose: for the tests of services that
// use one, and for this store's own.
//
// # Promise
//
// A store opened with Open or Start is the real one, all its actors included,
// until its Script says otherwise. What the script lists happens at the message,
// signal or call that it names, and nothing else does. Check finds out whether
// the store has kept its promises, past all faults, and a test that fails prints
// the script that has failed it, as Go source.
//
//	s := storetest.Open(t, storetest.Options(), storetest.Script{
//		storetest.PanicAt("flusher", 3),
//		storetest.Drop("dispatch", 2),
//		storetest.FailCall(mappedtest.OpDatasync, 5, syscall.EIO),
//	})
//	useIt(s) // the service under test takes an interface with Put
//	storetest.Check(t, s)
//
// # Faults
//
//	PanicAt, PanicAfter      an actor panics in front of its n-th message, or behind it
//	Kill, Stop               an actor panics now, or is stopped from outside
//	Hang                     an actor stands still
//	Drop, Delay,             a wake or a tick on its way to an actor is lost,
//	Reorder, Duplicate       late, overtaken, doubled
//	FailCall, PanicCall,     a call of the file system fails, panics, or does
//	HangCall                 not return
//	PauseClock               the clock stands still, and the ticks with it
//	Store.Crash, PowerCut    the process dies, or the machine; Reopen goes on
//
// On, Under, After, Every, Times and For say more exactly which, when, how often
// and how long. Random makes a script from a seed. More of a disk can be had from
// Store.Disk and package
//
//	github.com/actorstore/actorstore/commitlog/mapped/mappedtest
//
// which also has the names of the calls, such as mappedtest.OpDatasync.
//
// A fault that could never strike is refused: an actor that the store has not, a
// pattern that no path can be like. Whether the n-th message comes depends on what
// the test does: Store.Missed lists the faults that have not struck, Check logs
// them, and MustStrike fails the test for them.
//
// Under takes patterns for whole paths or for their last step. In a store with the
// Options here they are
//
//	/store/commitlog/00000000000000065536         a segment
//	/store/consumequeue/TOPIC/0/00000000000000000000
//	/store/index/20000101000000004                a file of the index
//	/store/checkpoint, /store/actorstore/mark     what is known to be durable
//	/store/abort, /store/lock                     markers
//	/store/actorstore/tmp/*                       files that are being made
//
// # Virtual time
//
//	func TestAnHour(t *testing.T) {
//		storetest.Virtual(t, func(t *testing.T) {
//			s := storetest.Open(t, storetest.Options(), storetest.Script{
//				storetest.Kill("checkpoint").After(20 * time.Minute),
//			})
//			useIt(s) // with pauses, if it likes
//			time.Sleep(time.Hour)
//			storetest.Settle()
//			storetest.Check(t, s)
//		})
//	}
//
// An hour of a store at rest costs its ticks: about 0.3 s with the flush interval of
// Options, 100 ms; half of it with the store's own, 500 ms. Racing is the same
// without an order, for the race detector, whose scheduler chooses by chance.
//
// # What Check asserts
//
//	I1  min <= dispatched <= confirm <= appended, flushed <= appended, under
//	    SYNC_FLUSH confirm <= flushed, and none goes back: looked at whenever an
//	    actor has dealt with a message
//	I2  no record crosses a segment, and a BLANK ends with its segment
//	I3  what an earlier Check has seen of the log is still the same, and all of it
//	    can be read
//	I4  queue offsets are dense in log order
//	I5  unit i of a queue is the record with queue offset i, below confirm; below
//	    dispatched none is missing
//	I6  a PUT_OK under SYNC_FLUSH lies below flushed at the moment of the answer
//	I7  after a failed flush neither flushed nor confirm moves
//	history   what was answered PUT_OK is in the log and in its queue, once, with
//	    its body, in the order of the puts, and (a sample) found by its first key;
//	    nothing is there that was refused or never put
//	progress  a store that is not read-only, and in which no Hang stands, comes to rest
//
// The history knows what went through Put, PutBatch, Begin, BeginBatch and PutAsync
// of the Store here; a put that was begun is answered when Wait returns. A service
// that has the embedded store in hand bypasses it: note its puts with History.Note
// and NoteBatch,
// let it take an interface, or say History.Off, and Check holds the store against
// itself only. Otherwise Check fails where the log holds messages and no put was
// noted. Inner batches and transactions that
// are not committed are looked at for I2 and I3 only.
//
// # Determinism
//
//   - D1: a fault counts messages, signals or calls of its own kind from the
//     opening of the store (faults of an actor), from the moment when it serves
//     (calls, kills, pauses), or from After on. It strikes there on every run.
//   - D2: under Virtual a run repeats itself, to the last call of the disk: what is
//     answered, strikes and is told is a function of script, options and what is
//     put. Actors and callers take turns, each at an instant of virtual time of his
//     own, in an order that the script decides: another script, another order.
//     This holds for one store that opens in the bubble at a time, and for
//     callers who come by the methods of the Store here (those of the embedded store
//     take no turn), put different things when they put at the same instant,
//     sleep for whole microseconds, and decide nothing themselves by chance, by the
//     order of a map, or by a select with two cases ready. Within a turn, where an
//     actor has woken others and goes on, the one processor is all that orders them: of
//     5,000 runs of random scripts with one and three callers none was another one, but
//     a machine that stops the process for 10 ms may make one.
//   - D3: without Virtual, under Racing, and in a test that is built with -race, which of two goroutines comes first is
//     the scheduler's choice, and the n-th message may be another one on the next
//     run. A script that has failed once is worth a few repetitions.
//   - D4: Random is a function of its arguments, for one version of this package.
//   - D5: in a bubble of testing/synctest no timer takes real time, and time moves
//     only when every goroutine of the bubble is blocked. A caller that spins stops
//     the clock. Such tests must not run in parallel: Virtual sets GOMAXPROCS,
//     requests are pooled over all stores of a process, and what belongs to a bubble
//     must not leave it.
//
// # Assumptions
//
// Append works on the goroutine of a caller when that finds it idle: a Hang of
// append holds up that caller, whatever its context says. A Drop is more than
// can happen in a process, where a signal is lost only with its actor; where no
// other message makes up for it, the store's watch does, after HangTimeout. Check
// wants that nobody puts any more.
package storetest
