package folder

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// lockHolder returns the process that holds a lock on a file, according to /proc/locks; 0: one that
// is not visible from here. known is false if that file can't be read.
func lockHolder(path string) (pid int, known bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return 0, false
	}
	// "1: FLOCK  ADVISORY  WRITE 4242 08:01:131 0 EOF"; the device in hexadecimal
	inode := ":" + strconv.FormatUint(st.Ino, 10)
	for line := range strings.Lines(string(locks)) {
		f := strings.Fields(line)
		if len(f) >= 6 && f[1] == "FLOCK" && strings.HasSuffix(f[5], inode) {
			pid, _ := strconv.Atoi(f[4])
			return max(0, pid), true
		}
	}
	return 0, false
}

func isAlive(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }

// isSuspended reports whether a process was stopped, as by Ctrl-Z, and can go on.
func isSuspended(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // "4242 (crawl) T 1 ..."
	state := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	return err == nil && len(state) > 0 && state[0] == "T"
}

// userOf returns the user of a process.
func userOf(pid int) (uid int, ok bool) {
	info, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return 0, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}
