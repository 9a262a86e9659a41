//go:build !linux

package folder

import "os"

// lockHolder can't find out who holds a lock on this system: the file pid has the number of the
// crawl that runs, or of one that was killed.
func lockHolder(string) (pid int, known bool) { return 0, false }

func isAlive(pid int) bool {
	_, err := os.FindProcess(pid) // opens the process on Windows; elsewhere it is always found
	return err == nil
}

func userOf(int) (uid int, ok bool) { return 0, false }

func isSuspended(int) bool { return false }
