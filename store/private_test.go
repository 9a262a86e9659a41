//go:build linux

package store

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/store/folder"
	"gatecrawl.example/gatecrawl/store/job"
)

func TestAJobIsForItsOwnerAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "above", "job")
	smallJob(t, dir)
	inFiles(t, dir)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v, want nothing for others", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Dir(dir)); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the folder above has mode %v, %v; want 0755, as it is not the job's", info.Mode(), err)
	}
}

// filePID is the file of a job's folder that has the number of the process at work.
const filePID = "pid"

// A folder that somebody else prepared has links to files of ours.
func TestAJobWritesThroughNoLink(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filePID, job.FileFilter, job.FileTables} {
		dir := t.TempDir()
		if err := os.Symlink(victim, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir, testOptions())
		switch {
		case name == filePID && err != nil:
			t.Errorf("Open with a link for %s: %v", name, err)
		case name != filePID && (err == nil || !strings.Contains(err.Error(), "is a symbolic link")):
			t.Errorf("Open with a link for %s: %v, want it refused", name, err)
		}
		if err == nil {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if b, err := os.ReadFile(victim); err != nil || string(b) != "mine" {
			t.Errorf("with a link for %s the file that it leads to has %q, %v", name, b, err)
		}
	}
}

// The file pid may be of a process that was killed long ago: who is named is who holds the
// lock.
func TestWhoHoldsTheLockIsNamed(t *testing.T) {
	flock, err := exec.LookPath("flock")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	smallJob(t, dir)
	if err := os.WriteFile(filepath.Join(dir, filePID), []byte("999999999"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, job.FileTables)
	other := exec.Command(flock, "--no-fork", "-x", path, "sleep", "60")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { other.Process.Kill(); other.Wait() }()
	var locked *LockedError
	for late := time.Now().Add(10 * time.Second); ; {
		s, err := Open(dir, testOptions())
		if errors.As(err, &locked) {
			if err := os.Remove(filepath.Join(dir, filePID)); err != nil {
				t.Fatal(err)
			}
			// A process that another test is just starting may hold the lock for a moment.
			if told := folder.LockedBy(dir, job.FileTables); told.PID == 0 || locked.PID == other.Process.Pid { // the system tells
				break
			}
			err = nil
		} else if err == nil {
			err = s.Close()
		}
		if err != nil || time.Now().After(late) {
			t.Fatalf("Open of a job that process %d has locked: %v, %v", other.Process.Pid, err, locked)
		}
		if err := os.WriteFile(filepath.Join(dir, filePID), []byte("999999999"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(locked.Error(), strconv.Itoa(999999999)) {
		t.Errorf("%v: names a process that is dead", locked)
	}
}
