package record

import (
	"bytes"
	"strconv"
	"strings"
)

// Units visits every queue that the record has a unit in: its own, and with
// multiDispatch the light queues that it names. A prepared or rolled-back half
// of a transaction has none. num is the number of messages: INNER_NUM for an
// inner batch, whose unit begins at INNER_BASE, else 1. In a queue of simple
// units an inner batch takes one unit, too, at the record's own queue offset.
//
// A light queue whose offset is no number is left out, where RocketMQ would
// stop dispatching for good. Names are not checked: see CheckTopic. names may be
// nil; with it, known names cost no allocation.
func (req *DispatchRequest) Units(multiDispatch bool, names *Interner, visit func(topic string, queueID int32, offset int64, num int16)) {
	if IsTransactionPending(req.SysFlag) {
		return
	}
	offset, num := req.QueueOffset, int16(1)
	if req.SysFlag&SysInnerBatch != 0 && req.InnerNum > 0 {
		num = req.InnerNum
		if req.InnerBase >= 0 {
			offset = req.InnerBase
		}
	}
	visit(req.Topic, req.QueueID, offset, num)
	if multiDispatch && req.MultiDispatch != nil && req.MultiOffset != nil && req.mayBranch() {
		req.branches(names, visit)
	}
}

// mayBranch follows RocketMQ's LmqDispatch: some topics have no light queues.
func (req *DispatchRequest) mayBranch() bool {
	return !strings.HasPrefix(req.Topic, PrefixRetry) && !strings.HasPrefix(req.Topic, "rmq_sys_") &&
		req.Topic != TopicSchedule
}

// branches goes through the names and the offsets side by side.
func (req *DispatchRequest) branches(interner *Interner, visit func(string, int32, int64, int16)) {
	names, offsets := req.MultiDispatch, req.MultiOffset
	for len(names) > 0 && len(offsets) > 0 {
		var name, number []byte
		name, names, _ = bytes.Cut(names, []byte{','})
		number, offsets, _ = bytes.Cut(offsets, []byte{','})
		offset, err := strconv.ParseInt(string(number), 10, 64)
		if err != nil || offset < 0 || len(name) == 0 {
			continue
		}
		queueID := req.QueueID
		if bytes.HasPrefix(name, []byte(PrefixLMQ)) {
			queueID = 0
		}
		visit(interner.String(name), queueID, offset, 1)
	}
}
