// Package job has the rows of a job that are about the job itself: what it was started with, the
// state that changes with every commit, the roots of its scope, and which pages a repair has
// removed. A Snapshot reads a job at one moment.
//
// It only encodes and decodes the rows: package store writes them.
package job
