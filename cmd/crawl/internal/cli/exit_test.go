package cli

import (
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestAdviceIsAboutTheFault(t *testing.T) {
	for want, err := range map[string]error{
		"listen at a port below 1024": &net.OpError{Op: "listen", Net: "tcp", Err: os.NewSyscallError("bind", syscall.EACCES)},
		"belongs to another user":     &net.OpError{Op: "dial", Net: "unix", Err: os.NewSyscallError("connect", syscall.EACCES)},
		"address space":               syscall.ENOMEM,
		"too many files are open":     syscall.EMFILE,
		"cannot lock files":           syscall.ENOLCK,
		"the disk is full":            syscall.ENOSPC,
		"the disk of the output is full: free some space, or write": &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC},
		"the file system is read-only":                              syscall.EROFS,
	} {
		var b strings.Builder
		TellFault(&b, "crawl", err)
		if !strings.Contains(b.String(), want) {
			t.Errorf("the advice about %v is %q, want %q in it", err, b.String(), want)
		}
	}
}
