//go:build !amd64

package lanes

// FetchLines does nothing: there is no way to ask the memory for a line here
// without waiting for it.
func FetchLines(**Line, int) {}

func MatchLines(lines **Line, n int, other, k uint32, masks *uint16) {
	matchLinesPlain(lines, n, other, k, masks)
}
