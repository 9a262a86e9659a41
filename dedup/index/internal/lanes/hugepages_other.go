//go:build !linux

package lanes

// AdviseHuge does nothing: here the system decides alone.
func AdviseHuge[T any]([]T) {}
