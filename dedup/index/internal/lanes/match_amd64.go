package lanes

import "golang.org/x/sys/cpu"

// FetchLines prefetches n lines and does not wait for them. A load would do the same, but only
// a dozen loads fit into the processor next to the work around them.
//
//go:noescape
func FetchLines(lines **Line, n int)

//go:noescape
func matchLinesAVX512(lines **Line, n int, other, k uint32, masks *uint16)

var hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VPOPCNTDQ

// MatchLines writes for each of n lines a mask of the 16 lanes that differ from other in k bits or
// fewer. It may see a value that is being changed before or after the change.
func MatchLines(lines **Line, n int, other, k uint32, masks *uint16) {
	if hasAVX512 {
		matchLinesAVX512(lines, n, other, k, masks)
		return
	}
	matchLinesPlain(lines, n, other, k, masks)
}
