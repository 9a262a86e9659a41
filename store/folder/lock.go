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
