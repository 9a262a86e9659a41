package mmap

import "unsafe"

// Words returns the words of a mapped part, without copying them. The part starts at
// a multiple of eight bytes and ends with a whole word.
func Words(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// HalfWords returns words of four bytes, as Words does.
func HalfWords(b []byte) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}
