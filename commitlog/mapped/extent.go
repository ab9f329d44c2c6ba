package mapped

// Extent is a range of positions in a file, [From, To).
type Extent struct{ From, To int64 }

// sparse is what a File may be beside: one that knows its holes.
type sparse interface {
	// extent is the first range at or behind off that may hold anything but
	// zeros; From is size if there is none. false: nothing is known.
	extent(off, size int64) (Extent, bool)
}

// maxExtents bounds a list of extents; the last one then takes in what follows.
const maxExtents = 4096

// Extents are the ranges of [from, to) that may hold anything but zeros, in
// order. Most of a segment that is not full was never written: to look there
// would bring zeros into memory page by page. Ask before you touch any of it:
// reading brings in pages ahead, which are data from then on. Where the file
// system does not tell, everything is data.
func (f *MappedFile) Extents(from, to int64) []Extent { return ExtentsOf(f.file, from, to, f.size) }

// ExtentsOf is MappedFile.Extents for an open file of size bytes.
func ExtentsOf(f File, from, to, size int64) []Extent {
	to = min(to, size)
	s, ok := f.(sparse)
	var list []Extent
	for from < to {
		e := Extent{from, to}
		if ok && len(list) < maxExtents-1 {
			if told, known := s.extent(from, size); known {
				e = Extent{told.From, min(told.To, to)}
			}
		}
		if e.From >= to {
			break
		}
		list = append(list, e)
		from = e.To
	}
	return list
}
