//go:build !linux

package folder

import "os"

// Who holds a lock is not to be seen here: the file pid names the crawl that is at work, or
// one that was killed.
func lockHolder(string) (pid int, known bool) { return 0, false }

func isAlive(pid int) bool {
	_, err := os.FindProcess(pid) // opens the process on Windows; elsewhere it is always found
	return err == nil
}

func userOf(int) (uid int, ok bool) { return 0, false }
