//go:build !linux

package document

// limitMemory does nothing if the kernel does not count what can be written: GOMEMLIMIT and the
// time remain.
func limitMemory() {}
