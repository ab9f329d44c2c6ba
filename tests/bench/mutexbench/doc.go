// Command mutexbench puts the bench's load into the mutex log and prints the
// figures of actorstore bench --json that apply to it.
package main
