package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestAJobOfAnotherUserIsNotCalledMissing: a user who may not read a job's folder, or may not ask the
// crawl that works there, is told that, and not that there is no job or no crawl.
func TestAJobOfAnotherUserIsNotCalledMissing(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("only root can run a command as another user")
	}
	t.Parallel()
	n := newNewsSite(t)
	const nobody = 65534
	bin, dir := buildCrawl(t), t.TempDir()
	for _, open := range []string{filepath.Dir(bin), filepath.Dir(filepath.Dir(bin)), dir, filepath.Dir(dir)} {
		if err := os.Chmod(open, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	job := filepath.Join(dir, "job")
	commandsOn(t, job)("run", n.URL+"/", "--delay", "0", "--max-pages", "1")
	asked := func(want string, args ...string) {
		t.Helper()
		cmd := exec.Command(bin, append(args, "--job", job)...)
		cmd.Dir = dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) || !strings.Contains(string(out), "belongs to another user") || strings.Contains(string(out), "denied, or") {
			t.Errorf("crawl %s: %v\n%s; want %q", strings.Join(args, " "), err, out, want)
		}
	}
	for _, command := range [][]string{{"status"}, {"pages"}, {"export"}, {"serve"}, {"top"}, {"set"}, {"stop"}, {"near", n.URL + "/"}} {
		asked("job "+job+": ", command...)
	}
	if err := os.Chmod(job, 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(job, "control.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Chmod(l.Addr().String(), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"stop", "pause", "top"} {
		asked("control.sock", command)
	}
}
