// Package folder is what a job's folder is to the system: whom its files are for, and which
// process holds their lock.
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

// A job may be of an intranet, and has what its servers answered: its folder and files
// are made for their owner alone. Who wants others to read it changes the modes.
const (
	folderMode = 0o700
	fileMode   = 0o600
)

// Make makes a job's folder if it is not there, and the folders that it is in with
// the usual modes.
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

// NoLinks refuses a job of whose files, these, one is a symbolic link: in a folder that
// somebody else has prepared it leads to a file that is not the job's.
func NoLinks(dir string, files ...string) error {
	for _, name := range files {
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return fmt.Errorf("%s is a symbolic link: give the folder by --job in which it really is, or remove the link", path)
		}
	}
	return nil
}

// NotePID writes to a file which process has the job. What is there is removed, not written
// to: it may be a link to something else.
func NotePID(path string) error {
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

// Holder returns the process that holds the lock on a file, 0 where it is not known, and the
// user whose it is, "" where that is ours or not known. Where the system does not tell, the
// file that NotePID wrote does.
func Holder(path, noted string) (pid int, owner string) {
	pid, known := lockHolder(path)
	if !known {
		pid = notedPID(noted)
	}
	if pid == 0 || !isAlive(pid) {
		return 0, ""
	}
	uid, ok := userOf(pid)
	if !ok || uid == os.Geteuid() {
		return pid, ""
	}
	owner = strconv.Itoa(uid)
	if u, err := user.LookupId(owner); err == nil {
		owner = u.Username
	}
	return pid, owner
}

// notedPID returns what NotePID wrote; 0: nothing.
func notedPID(path string) int {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return max(0, n)
}
