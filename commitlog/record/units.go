package record

import (
	"bytes"
	"strconv"
	"strings"
)

// QueueUnit is the place of a record in one queue. Which of its two numbers
// counts is for the kind of the queue to say, as in RocketMQ: see At.
type QueueUnit struct {
	Topic   string
	QueueID int32
	Inner   bool  // the record says that it is an inner batch; a light queue holds none
	Num     int16 // messages, in a queue of batch units
	Offset  int64 // in a queue of simple units
	Base    int64 // in a queue of batch units: of the first message
}

// At is the queue offset of the unit and the number of messages that it stands
// for, in a queue of batch units or in one of simple units, where every record
// takes one unit at its own queue offset.
func (u *QueueUnit) At(batch bool) (offset int64, num int16) {
	if batch {
		return u.Base, u.Num
	}
	return u.Offset, 1
}

// Units visits every queue that the record has a unit in: its own, and with
// multiDispatch its light queues.
func (req *DispatchRequest) Units(multiDispatch bool, names *Interner, visit func(u QueueUnit)) {
	if u, ok := req.OwnUnit(); ok {
		visit(u)
	}
	if multiDispatch {
		req.LightUnits(names, visit)
	}
}

// OwnUnit is the unit in the queue that the record was put to. A prepared or
// rolled-back half of a transaction has none. In a queue of batch units a record
// with INNER_NUM and INNER_BASE stands for that many messages from there on, and
// any other for one; the bit in its flags does not count, as for RocketMQ's
// BatchConsumeQueue. (That one drops a unit with a negative base; here it stands
// at the record's own queue offset, and no message is out of reach.)
func (req *DispatchRequest) OwnUnit() (u QueueUnit, ok bool) {
	u = QueueUnit{
		Topic: req.Topic, QueueID: req.QueueID, Inner: req.SysFlag&SysInnerBatch != 0,
		Num: 1, Offset: req.QueueOffset, Base: req.QueueOffset,
	}
	if req.InnerNum > 0 {
		u.Num = req.InnerNum
		if req.InnerBase >= 0 {
			u.Base = req.InnerBase
		}
	}
	return u, !IsTransactionPending(req.SysFlag)
}

// LightUnits visits the units in the light queues that the record names; again,
// half of a transaction has none. One whose offset is no number is left out,
// where RocketMQ would stop dispatching for good. Names are not checked: see
// CheckTopic. names may be nil; with it, known names cost no allocation.
func (req *DispatchRequest) LightUnits(names *Interner, visit func(u QueueUnit)) {
	if req.MultiDispatch != nil && req.MultiOffset != nil && req.mayBranch() && !IsTransactionPending(req.SysFlag) {
		req.branches(names, visit)
	}
}

// mayBranch follows RocketMQ's LmqDispatch: some topics have no light queues.
func (req *DispatchRequest) mayBranch() bool {
	return !strings.HasPrefix(req.Topic, PrefixRetry) && !strings.HasPrefix(req.Topic, "rmq_sys_") &&
		req.Topic != TopicSchedule
}

// branches goes through the names and the offsets side by side.
func (req *DispatchRequest) branches(interner *Interner, visit func(QueueUnit)) {
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
		visit(QueueUnit{Topic: interner.String(name), QueueID: queueID, Num: 1, Offset: offset, Base: offset})
	}
}
