// Package arch has no code: its tests hold the source to the rules of the house.
//
// # Promise
//
// A build that passes them keeps these rules, on every platform, as the files of
// all build tags are read:
//
//   - Rooms import only what lies below them; layers_test.go has the table. Only
//     actors imports protoactor, and each other module has one room.
//   - Files are touched through mapped.FS alone (seam_test.go).
//   - Cores have no clock and no goroutine (cores_test.go).
//   - A loop that syncs ends with the first error: no sync is tried again
//     (sync_test.go).
//   - Every package has a doc.go, every exported name a comment; files, functions
//     and names keep their measure (shape_test.go).
//
// # Limits
//
// They read syntax. A goroutine or a retry that hides in a function of another
// package, or behind an interface, is not found.
package arch
