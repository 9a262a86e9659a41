//go:build !amd64

package dedup

// fetchLines does nothing: there is no way to ask the memory for a line here
// without waiting for it.
func fetchLines(**line, int) {}

func matchLines(lines **line, n int, other, k uint32, masks *uint16) {
	matchLinesPlain(lines, n, other, k, masks)
}
