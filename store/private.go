package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
)

// A job may be of an intranet, and has what its servers answered: its folder and files
// are made for their owner alone. Who wants others to read it changes the modes.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// makeFolder makes a job's folder if it is not there, and the folders that it lies in with
// the usual modes.
func makeFolder(dir string) error {
	if err := os.MkdirAll(filepath.Dir(filepath.Clean(dir)), 0o755); err != nil {
		return err
	}
	err := os.Mkdir(dir, folderMode)
	if info, statErr := os.Stat(dir); errors.Is(err, fs.ErrExist) && statErr == nil && info.IsDir() {
		return nil
	}
	return err
}

// noLinks refuses a job of whose files one is a symbolic link: in a folder that somebody
// else has prepared it leads to a file that is not the job's.
func noLinks(dir string) error {
	for _, name := range []string{fileDB, fileFilter} {
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return fmt.Errorf("%s is a symbolic link: give the folder by --job in which it really lies, or remove the link", path)
		}
	}
	return nil
}

// writePID notes which process has the job. What is there is removed, not written to: it
// may be a link to something else.
func writePID(dir string) error {
	path := filepath.Join(dir, filePID)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(f, os.Getpid())
	return errors.Join(err, f.Close())
}

// lockedBy says who has a job's file.
func lockedBy(dir string) *LockedError {
	e := &LockedError{Dir: dir}
	pid, known := lockHolder(filepath.Join(dir, fileDB))
	if !known {
		pid = notedPID(dir)
	}
	if pid == 0 || !isAlive(pid) {
		return e
	}
	e.PID = pid
	if uid, ok := userOf(pid); ok && uid != os.Geteuid() {
		e.User = strconv.Itoa(uid)
		if u, err := user.LookupId(e.User); err == nil {
			e.User = u.Username
		}
	}
	return e
}

// notedPID returns what writePID wrote; 0: nothing.
func notedPID(dir string) int {
	b, err := os.ReadFile(filepath.Join(dir, filePID))
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return max(0, n)
}
