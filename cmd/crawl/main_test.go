package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"go.etcd.io/bbolt"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/testserver/await"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

func TestMain(m *testing.M) {
	testscript.Main(slow.Tests{M: m}, map[string]func(){"crawl": main})
}

// TestScripts runs testdata/*.txtar with the real command. In all of them
// $SITE is a small site on loopback, see newSite, and $CLOSED a host and port that
// refuses connections.
func TestScripts(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) { // under nohup: a command would inherit that, and never hear of it
		heard := make(chan os.Signal, 1)
		signal.Notify(heard, syscall.SIGHUP)
		t.Cleanup(func() { signal.Stop(heard) }) // after the scripts, which run in parallel
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			site := newSite()
			e.Defer(site.Close)
			e.Setenv("SITE", site.URL)
			e.Setenv("GOGC", "400") // hundreds of commands of 20 ms each: a first collection at 16 MB, not at 4
			// Nobody listens on the port from which a connection stands, nor gets it.
			c, err := net.Dial("tcp", site.Listener.Addr().String())
			if err != nil {
				return err
			}
			e.Defer(func() { c.Close() })
			e.Setenv("CLOSED", c.LocalAddr().String())
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "slow":
				return slow.Wanted(), nil
			case "smalldisk":
			default:
				return false, fmt.Errorf("no such condition: %s", name)
			}
			dir := t.TempDir()
			if exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", dir).Run() != nil {
				return false, nil
			}
			return true, exec.Command("umount", dir).Run()
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":       exits,
			"stops":       stops,
			"locks":       locks,
			"reforms":     reforms,
			"fills":       fills,
			"waits":       waits,
			"leases":      leases,
			"substitutes": substitutes,
			"saves":       saves,
			"cuts":        cuts,
			"sorts":       sorts,
		},
	})
}

// exits CODE COMMAND ARG... runs a command that must end with the exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := exitCode(ts.Exec(args[1], args[2:]...))
	if got != want {
		ts.Fatalf("%s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// exitCode is -1 for a process that a signal ended.
func exitCode(err error) int {
	var e *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return e.ExitCode()
	}
	return -2
}

// stops CODE SIGNAL DIR COMMAND ARG... runs a crawl of the job in DIR, sends
// the signal once a page is in hand, and checks the exit code. INT,INT sends a
// second one when the crawl has understood the first.
func stops(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: stops CODE SIGNAL DIR COMMAND ARG...")
	}
	cmd := exec.Command("crawl", args[4:]...)
	cmd.Dir = ts.MkAbs(".")
	var said lockedBuffer
	cmd.Stderr = &said
	ts.Check(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with the process
	defer cmd.Process.Kill()

	awaits(ts, "a page in hand", func() bool { return leased(ts.MkAbs(args[2])) > 0 })
	for i, name := range strings.Split(args[1], ",") {
		if i > 0 {
			awaits(ts, "the first signal's message", func() bool { return strings.Contains(said.String(), "stopping") })
			time.Sleep(400 * time.Millisecond) // later than a signal that counts as the same
		}
		ts.Check(cmd.Process.Signal(map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": os.Kill}[name]))
	}
	if got := strconv.Itoa(exitCode(<-ended)); got != args[0] {
		ts.Fatalf("exit code %s after %s, want %s; it said:\n%s", got, args[1], args[0], said.String())
	}
	ts.Logf("%s", said.String())
	ts.Check(os.WriteFile(ts.MkAbs("said"), []byte(said.String()), 0o644))
}

// leased asks a running crawl how many pages are in hand; 0 if it does not
// answer.
func leased(dir string) int64 {
	c := control.Client{Dir: dir, Read: func() (control.Job, error) { return nil, errNobody }, Locked: func(error) bool { return false }}
	r, err := c.Ask(bg, control.Question{Verb: "status"})
	if err != nil {
		return 0
	}
	defer r.Close()
	var s gatecrawl.Status
	if decodeLine(r, &s) != nil {
		return 0
	}
	return s.Leased
}

// errNobody says that no crawl works on a job.
var errNobody = errors.New("nobody is there")

// awaits asks what another process brings about; only the clock can say that
// it never will.
func awaits(ts *testscript.TestScript, what string, ok func() bool) {
	await.Until(ts, 2*time.Minute, func() error {
		if !ok() {
			return fmt.Errorf("%s is still awaited", what)
		}
		return nil
	})
}

// locks DIR holds a job open until the script ends.
func locks(ts *testscript.TestScript, _ bool, args []string) {
	st, err := store.Open(ts.MkAbs(args[0]), store.DefaultOptions())
	ts.Check(err)
	ts.Defer(func() { st.Close() })
}

// reforms DIR makes a job one that a later version has written.
func reforms(ts *testscript.TestScript, _ bool, args []string) {
	db, err := bbolt.Open(filepath.Join(ts.MkAbs(args[0]), "crawl.db"), 0, nil)
	ts.Check(err)
	ts.Check(db.Update(func(tx *bbolt.Tx) error {
		meta := tx.Bucket([]byte("meta"))
		was := meta.Get([]byte("job"))
		is := bytes.Replace(was, fmt.Appendf(nil, `"version":%d`, store.Version), []byte(`"version":99`), 1)
		if bytes.Equal(is, was) {
			return errors.New("the job's record has no version")
		}
		return meta.Put([]byte("job"), is)
	}))
	ts.Check(db.Close())
}

// fills DIR SIZE mounts a file system of that size until the script ends; "! fills"
// gives it another size.
func fills(ts *testscript.TestScript, larger bool, args []string) {
	dir := ts.MkAbs(args[0])
	if larger {
		ts.Check(exec.Command("mount", "-o", "remount,size="+args[1], dir).Run())
		return
	}
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(exec.Command("mount", "-t", "tmpfs", "-o", "size="+args[1], "tmpfs", dir).Run())
	ts.Defer(func() { exec.Command("umount", dir).Run() })
}

// waits FILE waits until another process has written a file.
func waits(ts *testscript.TestScript, _ bool, args []string) {
	awaits(ts, args[0], func() bool {
		info, err := os.Stat(ts.MkAbs(args[0]))
		return err == nil && info.Size() > 0
	})
}

// leases DIR waits until the crawl of the job in DIR has a page in hand.
func leases(ts *testscript.TestScript, _ bool, args []string) {
	awaits(ts, "a page in hand", func() bool { return leased(ts.MkAbs(args[0])) > 0 })
}

// substitutes FILE... writes the site's URL where SITE stands.
func substitutes(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		text := strings.ReplaceAll(ts.ReadFile(name), "SITE", ts.Getenv("SITE"))
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o644))
	}
}

// saves URL FILE writes what a server answers into a file.
func saves(ts *testscript.TestScript, _ bool, args []string) {
	resp, err := http.Get(args[0])
	ts.Check(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), body, 0o644))
}

// cuts FILE PERCENT leaves so much of what a file has; the zeros at its end do not count.
func cuts(ts *testscript.TestScript, _ bool, args []string) {
	b := []byte(ts.ReadFile(args[0]))
	percent, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b[:len(bytes.TrimRight(b, "\x00"))*percent/100], 0o644))
}

// sorts FILE writes a job's file anew, its tables one after the other by name. Where a crawl
// puts which page depends on which visits shared a commit.
func sorts(ts *testscript.TestScript, _ bool, args []string) {
	file := ts.MkAbs(args[0])
	ts.Check(inOrder(file, file+".sorted"))
	ts.Check(os.Rename(file+".sorted", file))
}

// inOrder copies a bbolt file, each bucket in a transaction of its own: within one, bbolt
// writes them in no order.
func inOrder(from, to string) error {
	old, err := bbolt.Open(from, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	fresh, err := bbolt.Open(to, 0o600, &bbolt.Options{FreelistType: bbolt.FreelistArrayType}) // takes the first free page
	if err != nil {
		return errors.Join(err, old.Close())
	}
	err = old.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			return fresh.Update(func(tx *bbolt.Tx) error {
				copied, err := tx.CreateBucket(name)
				if err != nil {
					return err
				}
				return b.ForEach(copied.Put)
			})
		})
	})
	return errors.Join(err, fresh.Close(), old.Close())
}

// A lockedBuffer is written by a process and read by a test.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestEveryCommandHasHelpWithAnExample(t *testing.T) {
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Short == "" || cmd.Runnable() && cmd.Example == "" {
			t.Errorf("%s: Short is %q, Example is %q, want both", cmd.CommandPath(), cmd.Short, cmd.Example)
		}
		if cmd.Runnable() && !strings.Contains(cmd.Example, cmd.CommandPath()) {
			t.Errorf("%s: the example does not use it:\n%s", cmd.CommandPath(), cmd.Example)
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRoot())
}

func TestRunHasAFlagForEachSettingThatIsToHaveOne(t *testing.T) {
	fs := newRun().Flags()
	for _, name := range runFlags {
		if fs.Lookup(name) == nil {
			t.Errorf("run has no flag --%s", name)
		}
	}
}

func TestACommandAloneIsAsAmongAll(t *testing.T) {
	all := newRoot()
	for name := range makersOf(nil) {
		cmd, _, err := newRoot(name, "x").Find([]string{name})
		if err != nil || cmd.Name() != name {
			t.Errorf("crawl %s makes the command %q (%v)", name, cmd.Name(), err)
			continue
		}
		among, _, err := all.Find([]string{name})
		if err != nil || among.UsageString() != cmd.UsageString() {
			t.Errorf("crawl %s -h is another where all commands are made (%v)", name, err)
		}
	}
}
