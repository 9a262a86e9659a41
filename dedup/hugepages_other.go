//go:build !linux

package dedup

// adviseHuge does nothing: here the system decides alone.
func adviseHuge([]uint64) {}
