package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// fileLock is the file of a folder that Lock locks.
const fileLock = "lock"

// errLocked says that another process, or this one, has locked the file.
var errLocked = errors.New("locked")

// fileWanted is the file of a job's folder that Want locks.
const fileWanted = "wanted"

// Want says that this process waits for the lock of the job, or has it for a change, until done is
// called or the process ends. Several processes may want a job. On systems without flock nobody
// hears of it.
func Want(dir string) (done func(), err error) {
	if err := NoLinks(dir, fileWanted); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, fileWanted)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	if err := lockShared(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() {
		if lock(f) == nil { // no other process wants the job
			os.Remove(path)
		}
		f.Close()
	}, nil
}

// Wanted reports whether a process wants the job: see Want. Whoever has the job only to show it then
// closes it, and opens it again when no process wants it.
func Wanted(dir string) bool {
	f, err := os.Open(filepath.Join(dir, fileWanted))
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(lock(f), errLocked)
}

// Lock locks a folder that has no tables of its own to lock, until unlock is called or the process
// ends. The error is a *LockedError if another process has locked it. On systems without flock
// nothing is locked.
func Lock(dir string) (unlock func(), err error) {
	if err := NoLinks(dir, fileLock); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, fileLock), os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	err = lock(f)
	if errors.Is(err, errLocked) {
		err = LockedBy(dir, fileLock)
	} else if err != nil {
		err = fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil // the file stays: a removed one could be locked twice
}
