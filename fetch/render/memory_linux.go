package render

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// processesOf returns a process and all that come from it.
func processesOf(root int) []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := make(map[int][]int)
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent := parentOf(pid); parent > 0 {
			children[parent] = append(children[parent], pid)
		}
	}
	var all []process
	for tree := []int{root}; len(tree) > 0; {
		pid := tree[0]
		tree = append(tree[1:], children[pid]...)
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // it may have ended
		all = append(all, process{pid, bytes.Contains(line, []byte("--type=renderer")), ownMemory(pid)})
	}
	return all
}

// parentOf reads the fourth field of /proc/PID/stat, behind a name in parentheses that may
// have anything in it.
func parentOf(pid int) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return parent
}

// ownMemory is what of a process is in memory and no file's.
func ownMemory(pid int) (n int64) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && (f[0] == "RssAnon:" || f[0] == "RssShmem:" || f[0] == "VmSwap:") {
			kB, _ := strconv.ParseInt(f[1], 10, 64)
			n += kB << 10
		}
	}
	return n
}

// dataBeside is how much a process of Chromium may map besides a page's memory. An empty
// page's has 690 MB mapped and 50 MB used, and with a limit 1 GB above the page's none starts
// at all.
const dataBeside = 4 << 30

// limitProcess has the kernel bound what the watch is too late for, on a machine under load:
// a process cannot map more than limit and dataBeside. RLIMIT_AS will not do, since V8
// reserves terabytes of addresses, and V8's own limit of its heap does not know of arrays.
func limitProcess(pid int, limit int64) {
	n := uint64(limit) + dataBeside
	_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: n, Max: n}, nil) // it may have ended
}

func killProcess(pid int) { _ = unix.Kill(pid, unix.SIGKILL) }
