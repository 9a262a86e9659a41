package mmap

import "unsafe"

// Words returns the words of a mapping, without copying them. b must start at a multiple of eight
// bytes, and its length must be one.
func Words(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// HalfWords returns the words of four bytes of a mapping, without copying them.
func HalfWords(b []byte) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}
