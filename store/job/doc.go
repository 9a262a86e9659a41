// Package job has what a job's tables say of the job itself: what it was started with, the
// state that changes with every commit, the roots of its scope, and which pages a repair took
// away. A Snapshot reads a job at one moment.
//
// It knows the rows and no more: package store writes them.
package job
