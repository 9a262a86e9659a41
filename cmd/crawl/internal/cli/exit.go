package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/store"
)

// The exit codes. They are part of the command's interface.
const (
	codeDone        = 0
	CodeFailure     = 1
	codeUsage       = 2
	codeDisk        = 3
	codeSettings    = 4
	codeNothing     = 5
	codeWaiting     = 6
	codeInterrupted = 11
	codeAtOnce      = 13
	codeLimit       = 14
	codeTime        = 15
)

var codes = []struct {
	code  int
	means string
}{
	{codeDone, "done; for run: the job has documents and nothing is left to do, or enough of a topic was found (--stop-tail, --stop-after-relevant)"},
	{CodeFailure, "failure; the message says what failed"},
	{codeUsage, "wrong use: an unknown flag, a bad value, no seeds, no contact"},
	{codeDisk, "out of disk space; the job stays readable and can go on"},
	{codeSettings, "bad settings in a file"},
	{codeNothing, "no document: no server answered the run, robots.txt or a rule forbids all, or all that the finished job has is errors, redirects and other pages that are not kept; the summary says which"},
	{codeWaiting, "all is done except seeds that did not answer, and URLs of hosts that do not answer or are too busy; the same command tries them again"},
	{codeInterrupted, "stopped by Ctrl-C, SIGTERM or SIGHUP (a terminal that closes); the job can go on"},
	{codeAtOnce, "stopped at once by a second Ctrl-C; the job can go on"},
	{codeLimit, "page or size limit reached; the job can go on with a higher limit"},
	{codeTime, "time limit reached; the job can go on"},
}

func ExitCodes() string {
	var b strings.Builder
	for _, c := range codes {
		fmt.Fprintf(&b, "  %2d  %s\n", c.code, c.means)
	}
	return strings.TrimRight(b.String(), "\n")
}

// An exit is an error with the exit code of the process. Without an inner error nothing is printed,
// since everything was said already.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// Usagef returns an error about wrong use, with its exit code; crawl adds a hint at the help.
func Usagef(format string, args ...any) error {
	return &exit{codeUsage, fmt.Errorf(format, args...)}
}

// IsExit reports whether an error has an exit code, and so was made for the user.
func IsExit(err error) bool {
	var e *exit
	return errors.As(err, &e)
}

// Silent returns an error that ends the process with a code, after everything was said.
func Silent(code int) error {
	if code == codeDone {
		return nil
	}
	return &exit{code: code}
}

// Interrupted gives an error the exit code of a command that Ctrl-C ended.
func Interrupted(err error) error { return &exit{codeInterrupted, err} }

// codeOf returns the exit code of an error.
func codeOf(err error) int {
	var e *exit
	var faults *configs.Faults
	var damaged *crawl.DamagedSettingsError
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return codeDone
	case errors.As(err, &e):
		return e.code
	case errors.As(err, &faults), errors.As(err, &damaged):
		return codeSettings
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return codeDisk
	}
	return CodeFailure
}

// An End is what the exit code of a run that ended by itself depends on.
type End struct {
	Ended   gatecrawl.Ended
	Run     gatecrawl.Tally
	Empty   bool // the job has no document
	Waiting bool // a host that does not answer or is too busy has URLs left, or a seed did not answer
}

// CodeOfEnd returns the exit code of a run that ended by itself.
func CodeOfEnd(e End) int {
	switch e.Ended {
	case gatecrawl.Done:
		switch run := e.Run; {
		case e.Empty, run.Fetched == 0 && run.Forbidden+run.Excluded+run.Unanswered+run.Retries > 0:
			return codeNothing
		case e.Waiting:
			return codeWaiting
		}
	case gatecrawl.PageLimit, gatecrawl.SizeLimit:
		return codeLimit
	case gatecrawl.TimeLimit:
		return codeTime
	case gatecrawl.Interrupted:
		return codeInterrupted
	}
	return codeDone
}

// TellFault prints what went wrong and what to do next, and returns the exit code.
func TellFault(w io.Writer, command string, err error) int {
	code := codeOf(err)
	if e := (*exit)(nil); code == codeDone || errors.As(err, &e) && e.err == nil {
		return code
	}
	fmt.Fprintf(w, "%s: %v\n", command, err)
	if next := advice(command, code, err); next != "" {
		fmt.Fprintln(w, next)
	}
	return code
}

func advice(command string, code int, err error) string {
	var locked *store.LockedError
	var damaged *crawl.DamagedSettingsError
	switch {
	case errors.As(err, &damaged):
		return adviceOn(damaged)
	case code == codeUsage:
		return fmt.Sprintf("see %s -h", command)
	case code == codeDisk && ofOutput(err):
		return "the disk of the output is full: free some space, or write to another place, and give the same command again"
	case code == codeDisk:
		return "the disk is full: what was collected is safe and stays readable; free some space and give the same command again"
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only: crawl status, pages, why and check work there; to go on, copy the job to one that can be written"
	case errors.Is(err, syscall.ENOMEM):
		return "the process may not have enough address space: a job's files are mapped into it, some 4 GB at first; raise the limit (ulimit -v), or limit memory in another way"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "too many files are open: raise the limit (ulimit -n)"
	case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOTSUP):
		return "the file system cannot lock files, which keeps two crawls from changing a job: keep the job on a local disk"
	case errors.Is(err, fs.ErrPermission) && listens(err):
		return "only root may listen at a port below 1024 on most systems: name a higher one"
	case errors.Is(err, fs.ErrPermission):
		return "the file that is named or its folder belongs to another user, or its mode does not let you read or write it: see ls -l"
	case errors.As(err, &locked):
		return "wait until that process ends, or give another folder with --job; crawl status --job " + Quoted(locked.Dir) + " shows what it does"
	}
	return ""
}

// ofOutput reports whether an error is that of a write to standard output.
func ofOutput(err error) bool {
	path, ok := errors.AsType[*fs.PathError](err)
	return ok && path.Op == "write" && path.Path == os.Stdout.Name()
}

// listens reports whether an error is that of a process that cannot listen at an address.
func listens(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "listen"
}

// adviceOn returns what can be done about the damaged settings of a job.
func adviceOn(e *crawl.DamagedSettingsError) string {
	back := fmt.Sprintf("crawl check --job %s --repair writes them again as the last run had them", Quoted(e.Dir))
	if e.Altered() {
		return fmt.Sprintf("%s; crawl run --job %s --config %s takes the file as it is", back, Quoted(e.Dir), Quoted(filepath.Join(e.Dir, crawl.SettingsFile)))
	}
	return fmt.Sprintf("%s; crawl run --job %s --config FILE goes on with those of a file", back, Quoted(e.Dir))
}
