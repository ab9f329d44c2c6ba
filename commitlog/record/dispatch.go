package record

// DispatchParser reads from records what the derived files need.
type DispatchParser struct {
	Topics *Interner   // may be nil
	Delays *DelayTable // nil = DefaultDelayLevels
}

// ParseDispatch is DispatchParser.Parse with the default delay levels.
func ParseDispatch(b []byte, req *DispatchRequest, topics *Interner) error {
	p := DispatchParser{Topics: topics}
	return p.Parse(b, req)
}

// Parse fills req from the record that starts at b[0]. It checks the structure
// as Decode does and reads header, topic and properties, never the body, each
// once; with a known topic it allocates nothing. Values that RocketMQ would
// choke on are no damage here: a DELAY that is no number counts as none, and an
// INNER_NUM and INNER_BASE that are not both numbers, the first above 0, count as
// not there. The error is *CorruptionError with Offset 0; req is then as it was.
func (p *DispatchParser) Parse(b []byte, req *DispatchRequest) error {
	var f frame
	if k := f.parse(b); k != sound {
		return k.corrupt(b, &f, 0)
	}
	delays := p.Delays
	if delays == nil {
		delays = defaultDelays
	}
	*req = DispatchRequest{
		Topic:          p.Topics.String(f.topic(b)),
		QueueID:        int32(be.Uint32(b[atQueueID:])),
		SysFlag:        f.sysFlag,
		Size:           int32(f.size),
		PhysicalOffset: int64(be.Uint64(b[atPhysicalOffset:])),
		QueueOffset:    int64(be.Uint64(b[atQueueOffset:])),
		StoreTimestamp: int64(be.Uint64(b[f.storeTime:])),
		InnerBase:      -1,
	}
	delay := req.scan(f.userProperties(b))
	req.TagsCode = delays.TagsCode(req.Topic, req.Tags, delay, req.StoreTimestamp)
	return nil
}

// scan goes through the properties once and returns the DELAY value.
func (req *DispatchRequest) scan(props []byte) (delay []byte) {
	var innerNum, innerBase []byte
	for len(props) > 0 {
		var name, value []byte
		name, value, props = cutItem(props)
		switch string(name) {
		case PropertyTags:
			req.Tags = value
		case PropertyKeys:
			req.Keys = value
		case PropertyUniqKey:
			req.UniqKey = value
		case PropertyDelay:
			delay = value
		case PropertyInnerNum:
			innerNum = value
		case PropertyInnerBase:
			innerBase = value
		case PropertyMultiDispatch:
			req.MultiDispatch = value
		case PropertyMultiOffset:
			req.MultiOffset = value
		}
	}
	if innerNum != nil && innerBase != nil {
		num, okNum := parseInt(innerNum, 16)
		base, okBase := parseInt(innerBase, 64)
		if okNum && okBase && num > 0 {
			req.InnerNum, req.InnerBase = int16(num), base
		}
	}
	return delay
}
