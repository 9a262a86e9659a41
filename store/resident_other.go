//go:build !linux

package store

import "go.etcd.io/bbolt"

// giveBackPages does nothing where what the advice does to a mapped file is not known.
func giveBackPages(*bbolt.DB, int64) {}
