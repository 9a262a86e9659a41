// Package mmap maps files into memory, as far as the system can.
//
// Where Shared is true a mapping and its file are one: what is written into it reaches
// the file, and Sync waits until the disk has it. Elsewhere File gives plain memory and
// ReadOnly reads the file.
package mmap
