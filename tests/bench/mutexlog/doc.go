// Package mutexlog is what the actor pipeline is measured against: the same
// records with both checksums, written through the same segments, preparation,
// roll and flush, but by the callers themselves under a mutex. It has no queues,
// no index and no recovery, so it does less; it shows what the pipeline costs.
package mutexlog
