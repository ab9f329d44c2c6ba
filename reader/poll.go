package reader

import "context"

// Poll is Get that waits: it returns when there is a message to return, when an
// answer other than "nothing there yet" is due, or with the context's error.
// Messages that the filter turns away are passed by and wake nobody, and result
// says in NextOffset how far it came, also when the context ends.
//
// A queue that does not exist yet is waited for from offset 0 on.
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
