//go:build !linux

package document

// limitMemory does nothing where the kernel does not count what can be written: GOMEMLIMIT
// and the time are left.
func limitMemory() {}
