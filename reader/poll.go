package reader

import "context"

// Poll is Get that waits, as RocketMQ's long polling does: where nothing is there
// yet. That is at the end of a queue (OffsetOverflowOne) and at offset 0 of one
// that has had no message or does not exist (NoMessageInQueue,
// NoMatchedLogicQueue). Messages that the filter turns away, or that retention
// took, are passed by and wake nobody.
//
// An offset that cannot be right is answered at once, without an error and
// without messages: above the end of a queue (OffsetOverflowBadly; above 0 where
// there is none), below its beginning (OffsetTooSmall). NextOffset is then the end, or the beginning, to go
// on at; a RocketMQ broker answers PULL_OFFSET_MOVED there. To wait for an offset
// that is far ahead is what Notifier.Wait is for.
//
// NextOffset says how far the call came, also when the context ends.
func (r *Reader) Poll(ctx context.Context, n *Notifier, req GetRequest, result *GetResult) error {
	for {
		if err := r.Get(ctx, req, result); err != nil {
			if result.NextOffset < req.Offset {
				result.NextOffset = req.Offset
			}
			return err
		}
		switch result.Status {
		case NoMatchedMessage, MessageWasRemoving:
			req.Offset = result.NextOffset
			if result.More {
				continue
			}
		case OffsetOverflowOne:
		case NoMessageInQueue, NoMatchedLogicQueue:
			if req.Offset != 0 {
				return nil
			}
		default:
			return nil
		}
		if err := n.Wait(ctx, req.Topic, req.QueueID, req.Offset); err != nil {
			result.NextOffset = max(result.NextOffset, req.Offset)
			return err
		}
	}
}
