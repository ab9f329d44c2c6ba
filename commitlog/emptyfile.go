package commitlog

// EmptyFile is the path of a last file of 0 bytes that Open left out, because
// its making was not finished; "" if there is none. Recovery removes it.
func (l *Log) EmptyFile() string { return l.files.Empty() }
