//go:build !amd64

package lanes

// FetchLines does nothing: memory cannot be prefetched here without waiting for it.
func FetchLines(**Line, int) {}

func MatchLines(lines **Line, n int, other, k uint32, masks *uint16) {
	matchLinesPlain(lines, n, other, k, masks)
}
