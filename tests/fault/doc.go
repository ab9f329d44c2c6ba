// Package fault proves what happens when the machine fails under a store: calls
// that return errors, syncs that lose what they were given, disks that are full
// or gone, files that shrink under their maps.
//
// # Promise
//
// Whatever call fails, and however often: no acknowledged message is lost, no
// put is left unanswered, every answer tells the truth, the process lives, and
// the store is afterwards either healthy or read-only until it is opened again.
//
// # Parts
//
//   - TestSweep fails the k-th call of the file seam for every k, or from there on
//     all that do the same with that file, or all, over small workloads of the real
//     store, in memory and in virtual time. Each case ends with a close, a kill or a
//     power cut, and is opened again without fault.
//   - TestFsyncgate fails each sync of the log: no flush, no acknowledgement
//     after it.
//   - The real rigs need root: TestPowerCut shuts ext4 and XFS down by ioctl,
//     TestBlockImages copies the block device of a store that is in use,
//     TestRealFsyncgate lets a writeback fail (loop device on a full tmpfs),
//     TestDiskFull fills small disks. ACTORSTORE_ROOT_RIGS=1 runs them; install.sh
//     installs what they need.
//   - TestTruncated cuts files under their maps.
//   - What a store has promised, and whether it keeps it, is judged by
//     tests/crash/oracle in all of them.
//   - faults.csv, one directory up, names the test of each known fault of such
//     engines; TestFaultsCSV keeps it complete.
//
// # Flags
//
//	-fault.cases n   how many cases of the sweep, 0 = all
//	-fault.seed s    which ones, and which crash images
//	-fault.case c    one case, as a failure prints it
//	-fault.cycles n  how often each real rig repeats
//	-fault.ledger f  append a row for each run of a rig to this file
//
// # Assumptions
//
// A case is repeatable as far as the order of calls of concurrent actors is: the
// k-th call of a repetition may be another one nearby. The calls are waited for in
// steps of time in which the process ran, so that one that is stopped meanwhile
// does not look as if the store hung.
package fault
