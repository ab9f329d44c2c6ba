// Package oracle remembers what was sent to a store and what the answers
// promised, and tells whether a store that is opened later keeps the promise. It
// is the one verifier of all rigs that kill, cut or damage a store.
//
// # Promise
//
// Check finds every one of these:
//
//   - O1: a message that was acknowledged, with a durability that covers what
//     happened since, is missing;
//   - O2: a body, tag, key or other field is not what was sent, or not what the
//     answer said;
//   - O3: something is readable that was never sent, or twice, or although its
//     put was refused;
//   - O4: records do not stand back to back up to the end of the log, or in
//     another order than before: what is left is a prefix of what was written;
//   - O5: queue offsets are not dense and in log order, a record lacks its unit,
//     a unit points at no record;
//   - O6: a key does not find all of its records and only those;
//   - O7: a deleted topic is back, or a deletion took more than the topic;
//   - O8: the store's own check (recoverer.Verify) finds anything, such as bytes
//     behind the end.
//
// # How messages are known
//
// Each message carries its serial number in the property named Serial, so an
// empty body is known too. A number is never given out twice in the life of a
// store, over all its generations.
//
// # Generations
//
// Fork makes the model of the store as it was found: from then on everything
// that was found must stay, byte for byte and in place, and what was not found
// must never come back.
//
// # Assumptions
//
// Puts to a topic and its deletion do not run at the same time. A caller records
// Sent before it puts, and Acked after the answer.
package oracle
