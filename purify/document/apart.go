package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"time"
)

// ReaderVariable is the environment variable that has the path of the program that reads PDF and
// PostScript. That program is started with the argument Argument, gets a file on its standard input
// and writes the text. If the variable is not set, command crawl uses itself; a program that embeds
// the crawler can set it to a crawl, or to itself if it calls Serve when it gets Argument.
const (
	ReaderVariable = "GATECRAWL_DOCUMENT_READER"
	Argument       = "read-document"
)

// The bounds of a process that reads a document. A file that can be read takes at most a sixth of
// the processor time: it is bounded by its text and its operators, so that it has the same text on
// a slow or busy machine. The time by the clock ends a process that only waits.
const (
	readingTime   = time.Minute // of a processor
	waitingTime   = 10 * time.Minute
	readingMemory = 768 << 20 // bytes
	readingStack  = 64 << 20
)

// slots bounds the processes that read at the same time: their memory is not counted by the crawl.
var slots = make(chan struct{}, 2)

// readApart reads a PDF or PostScript file in another process.
func readApart(content []byte) (string, error) {
	program := os.Getenv(ReaderVariable)
	if program == "" {
		return "", fmt.Errorf("no program to read it: %s names none", ReaderVariable)
	}
	slots <- struct{}{}
	defer func() { <-slots }()
	ctx, cancel := context.WithTimeout(context.Background(), waitingTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, Argument)
	cmd.Stdin = bytes.NewReader(content)
	// It needs neither the user's secrets nor this variable.
	cmd.Env = []string{fmt.Sprintf("GOMEMLIMIT=%d", readingMemory/2), "GOMAXPROCS=1", "GOTRACEBACK=none"}
	cmd.WaitDelay = time.Second
	var out, faults limited
	out.left, faults.left = MaxText, 4<<10
	cmd.Stdout, cmd.Stderr = &out, &faults
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("the process that reads it did not end in %v", waitingTime)
	case err != nil:
		return "", ended(err, faults.b.String(), readingTime)
	}
	return out.b.String(), nil
}

// ended returns why a process that reads a document has failed. With exit code 1 it has said itself
// what is wrong with the file. If it has used up its processor time it was killed for that.
func ended(err error, said string, limit time.Duration) error {
	first, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	var exit *exec.ExitError
	switch {
	case !errors.As(err, &exit):
		return fmt.Errorf("the program that reads it does not start: %w", err)
	case !exit.Exited() && exit.UserTime()+exit.SystemTime() >= limit*3/4: // the kernel counts in ticks, by which .886 s were taken for a second
		return fmt.Errorf("it takes more than %v of processor time to read", limit)
	case exit.ExitCode() == 1 && first != "":
		return errors.New(first)
	case first != "":
		return fmt.Errorf("the process that reads it ended: %s", first)
	}
	return fmt.Errorf("the process that reads it ended: %w", err)
}

// A limited writer keeps the first bytes and drops the rest.
type limited struct {
	b    bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	l.b.Write(p[:n])
	return len(p), nil
}

// Serve reads one PDF or PostScript file from in and writes its text to out. It bounds the memory
// of the whole process, which must do nothing else.
func Serve(in io.Reader, out io.Writer) error {
	debug.SetMaxStack(readingStack)
	limitMemory()
	limitTime(readingTime)
	content, err := io.ReadAll(io.LimitReader(in, MaxBytes+1))
	if err != nil {
		return err
	}
	if len(content) > MaxBytes {
		return errTooLarge
	}
	read := readPDF
	if program(content) != nil {
		read = readPostScript
	}
	text, err := read(content)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return err
}
