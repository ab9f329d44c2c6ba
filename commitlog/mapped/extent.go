package mapped

// Extent is a range of positions in a file, [From, To).
type Extent struct{ From, To int64 }

// sparse is what a File may be beside: one that knows its holes.
type sparse interface {
	// extent is the first range at or behind off that may hold anything but
	// zeros; From is size if there is none. false: nothing is known.
	extent(off, size int64) (Extent, bool)
}

// Data is the first range at or behind a position that may hold anything but
// zeros; From is Size if all that follows reads as zeros. Most of a segment that
// is not full was never written: to look there would bring zeros into memory
// page by page. Where the file system does not tell, everything is data.
func (f *MappedFile) Data(from int64) Extent { return DataOf(f.file, from, f.size) }

// DataOf is MappedFile.Data for an open file of size bytes.
func DataOf(f File, from, size int64) Extent {
	if s, ok := f.(sparse); ok && from < size {
		if e, ok := s.extent(from, size); ok {
			return e
		}
	}
	return Extent{min(from, size), size}
}
