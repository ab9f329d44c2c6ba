// Package interop runs Apache RocketMQ's own store, from its Maven artifacts,
// beside actorstore.
//
// # Promise
//
// [NewEngine] builds the small Java program under java/ and the [Engine] runs
// its commands: export a store, write one, measure one. What RocketMQ prints
// comes back as the lines of package golden, so the same comparison serves
// golden stores, stores that actorstore wrote and stores that RocketMQ wrote.
//
// # Running
//
// The tests need a JDK 17 and Maven (install.sh installs them on Debian) and
// run only with ACTORSTORE_INTEROP=1, as `make interop` sets it. Then a
// missing tool is a failure, never a skip. Without it every test that needs
// the engine says that it did not run.
//
//	sh tests/interop/install.sh
//	ACTORSTORE_INTEROP=1 go test -parallel 4 ./tests/interop
//
// By hand:
//
//	cd tests/interop/java && mvn -q -B package
//	java -cp 'target/interop.jar:target/dependency/*' actorstore.interop.Main export DIR
//
// The program without a command prints its usage. RocketMQ's log is off and
// goes to standard error with -Drmq.log.level=INFO; no file is written outside
// the store's directory but for a library in the temporary directory, which is
// removed as soon as it is loaded.
//
// # Invariants
//
//  1. Reading commands start the engine, and so write: they get a copy.
//  2. Reading commands and write --halt end without a shutdown of the engine;
//     write otherwise shuts it down in order.
//  3. A put that RocketMQ does not answer with PUT_OK, a unit it cannot
//     follow and a store it refuses to load fail the command.
//
// # Assumptions
//
// One engine at a time uses a directory. The engine listens on a free port for
// slaves, which never come.
package interop
