// Package reuse clears memory that is kept from page to page.
package reuse

// Slice returns a slice of n zeros, in the memory of an old one if that is enough.
func Slice[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	old = old[:n]
	clear(old)
	return old
}

// Map clears a map, or makes a new one where a large page has made the old one so
// large that clearing it would slow down every page after it.
func Map[K comparable, V any](m map[K]V) map[K]V {
	if m == nil || len(m) > 2048 {
		return make(map[K]V, 128)
	}
	clear(m)
	return m
}
