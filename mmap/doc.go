// Package mmap maps files into memory, as far as the operating system can.
//
// If Shared is true, bytes that are written into a mapping reach the file, and Sync waits until
// they are on the disk. Otherwise File returns plain memory, and ReadOnly reads the file.
package mmap
