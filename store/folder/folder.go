// Package folder handles a job's folder as part of the file system: who may read its files, and
// which process has locked them.
package folder

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

// A job may be a crawl of an intranet, and has what its servers answered. So only the owner can
// read its folder and files; change the modes to let others read them.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// Make creates a job's folder if it does not exist, and its parent folders with the usual modes.
func Make(dir string) error {
	if err := os.MkdirAll(filepath.Dir(filepath.Clean(dir)), 0o755); err != nil {
		return err
	}
	err := os.Mkdir(dir, folderMode)
	if info, statErr := os.Stat(dir); errors.Is(err, fs.ErrExist) && statErr == nil && info.IsDir() {
		return nil
	}
	return err
}

// NoLinks returns an error if one of the given files of a job is a symbolic link: in a folder that
// somebody else has prepared, it may lead to a file that does not belong to the job.
func NoLinks(dir string, files ...string) error {
	for _, name := range files {
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return fmt.Errorf("%s is a symbolic link: give the folder by --job in which it really is, or remove the link", path)
		}
	}
	return nil
}

// filePID is the file of a job's folder with the number of the process that works on the job.
const filePID = "pid"

// NotePID writes the number of this process into a job's folder. It removes an existing file first,
// since that may be a link to something else.
func NotePID(dir string) error {
	path := filepath.Join(dir, filePID)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(f, os.Getpid())
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path) // an empty file, since the disk is full
	}
	return err
}

// ForgetPID removes what NotePID wrote. It may fail: a stale number only makes a message wrong.
func ForgetPID(dir string) { os.Remove(filepath.Join(dir, filePID)) }

// A LockedError says that another process has locked the job.
type LockedError struct {
	Dir string
	PID int // 0: not known

	User string // the user whose process that is; "": our own user, or not known
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("job %s is in use by another process", e.Dir)
	}
	if e.User != "" {
		return fmt.Sprintf("job %s is in use by process %d of user %s", e.Dir, e.PID, e.User)
	}
	return fmt.Sprintf("job %s is in use by process %d", e.Dir, e.PID)
}

// LockedBy finds out which process holds the lock on a file of a job's folder. If the system can't
// tell, it uses the file that NotePID wrote.
func LockedBy(dir, name string) *LockedError {
	e := &LockedError{Dir: dir}
	pid, known := lockHolder(filepath.Join(dir, name))
	if !known {
		pid = notedPID(filepath.Join(dir, filePID))
	}
	if pid == 0 || !isAlive(pid) {
		return e
	}
	e.PID = pid
	uid, ok := userOf(pid)
	if !ok || uid == os.Geteuid() {
		return e
	}
	e.User = strconv.Itoa(uid)
	if u, err := user.LookupId(e.User); err == nil {
		e.User = u.Username
	}
	return e
}

// Suspended returns the process that holds the lock on a file of a job's folder, if it was stopped, as
// by Ctrl-Z; otherwise, or if the system can't tell, 0.
func Suspended(dir, name string) (pid int) {
	if pid, known := lockHolder(filepath.Join(dir, name)); known && pid != 0 && isSuspended(pid) {
		return pid
	}
	return 0
}

// Bytes returns the disk space of the files in a folder; 0 if there is no folder.
func Bytes(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if i, err := d.Info(); err == nil && i.Mode().IsRegular() {
			n += space(i)
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		return n, fmt.Errorf("job folder: %w", err)
	}
	return n, nil
}

// notedPID returns the number that NotePID wrote; 0: none.
func notedPID(path string) int {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return max(0, n)
}
