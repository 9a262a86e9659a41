//go:build !linux

package dedup

// adviseHuge does nothing: here the system decides alone.
func adviseHuge[T any]([]T) {}
