package segment

import (
	"io"
	"os"

	"gatecrawl.example/gatecrawl/durable"
)

// files are the operations on files that segments need. Tests replace them to lose unsynced writes.
type files interface {
	// open opens a file. If write is set it is created if there is none.
	open(path string, write bool) (file, error)
	remove(path string) error
	syncDir(dir string) error
}

type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
}

// fileMode lets only the owner of the segments read them.
const fileMode = 0o600

type system struct{}

func (system) open(path string, write bool) (file, error) {
	if !write {
		return os.Open(path)
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, fileMode)
}

func (system) remove(path string) error { return os.Remove(path) }
func (system) syncDir(dir string) error { return durable.SyncDir(dir) }
