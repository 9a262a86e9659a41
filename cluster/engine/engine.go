package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
)

var (
	// ErrFenced says that another writer has appended: the log does not end where this writer
	// thought.
	ErrFenced = errors.New("the log has a later entry than the writer knows: somebody else owns it")

	// ErrTrimmed says that a log no longer has the entries that Follow was asked for.
	ErrTrimmed = errors.New("the log no longer has these entries")

	// ErrNobody says that no process serves a subject at present.
	ErrNobody = errors.New("no process answers questions on this subject")

	// ErrTooLarge says that a batch, a question or an answer has more bytes than MaxBatch.
	ErrTooLarge = errors.New("too large for one message")

	// ErrClosed says that the engine was closed.
	ErrClosed = errors.New("the engine is closed")
)

// MaxBatch bounds the bytes of a batch, a question and an answer.
const MaxBatch = 4 << 20

// A Log is an ordered, replicated log with one writer at a time. Its entries are numbered
// from 1 without a gap. It may be used by several goroutines.
type Log interface {
	// Append adds an entry after the one with the number after (0: to an empty log), and returns
	// its number, after+1. ErrFenced says that this number is taken. After any other error except
	// ErrTooLarge it is unknown whether the entry is in the log, or will be: append the same entry
	// after the same number until the answer is known. If that answer is ErrFenced, an earlier try
	// may be what took the number: Last tells.
	Append(ctx context.Context, after uint64, e Entry) (seq uint64, err error)

	// Last returns the last entry, or 0 and no entry if the log is empty. It may lag behind: an
	// entry that was appended before the call may be missing.
	Last(ctx context.Context) (seq uint64, e Entry, err error)

	// Follow calls fn for the entries after a number, in order and once each, as they are appended.
	// It returns when ctx ends or fn fails, with that error, or with ErrTrimmed if the first of
	// these entries was trimmed. If the connection to the engine is lost, Follow continues when it
	// is back.
	Follow(ctx context.Context, after uint64, fn func(seq uint64, e Entry) error) error

	// First returns the number of the first entry that was not trimmed; 0 if the log is empty.
	First(ctx context.Context) (seq uint64, err error)

	// Trim deletes the entries up to a number. The last entry always stays.
	Trim(ctx context.Context, through uint64) error
}

// An Entry is what an owner appends: a batch of changes, a heartbeat, or the entry with which it
// takes over.
type Entry struct {
	// Epoch is the number of owners that the log has had: each new owner takes the next one.
	Epoch uint64

	// Owner names a process, not a machine: two processes with one name would mistake each other's
	// entries for their own. Empty: the previous owner gave the log up. At most MaxOwner bytes.
	Owner string

	// Batch has the changes, at most MaxBatch bytes. Empty: a heartbeat, or a takeover.
	Batch []byte
}

// MaxOwner bounds the bytes of an owner's name.
const MaxOwner = 255

// Check returns an error if the entry is too large.
func (e Entry) Check() error {
	if len(e.Batch) > MaxBatch {
		return fmt.Errorf("a batch of %d bytes, and %d are the most: %w", len(e.Batch), MaxBatch, ErrTooLarge)
	}
	if len(e.Owner) > MaxOwner {
		return fmt.Errorf("an owner's name of %d bytes, and %d are the most: %w", len(e.Owner), MaxOwner, ErrTooLarge)
	}
	return nil
}

// An Engine is a connection to the system that a cluster runs on. It may be used by several
// goroutines.
type Engine interface {
	// Log returns the log with this name, and creates it if there is none. CheckName says which
	// names are valid.
	Log(ctx context.Context, name string) (Log, error)

	// Ask sends a question to one of the processes that serve a subject, and returns the answer.
	// ErrNobody says that no process serves it, and *AnswerError that the process could not answer.
	// After any other error it is unknown whether the question arrived.
	Ask(ctx context.Context, subject string, question []byte) ([]byte, error)

	// Serve answers the questions of a subject, several at a time, until stop is called; stop waits
	// for the answers under way. If several processes serve one subject, each question goes to one
	// of them.
	Serve(subject string, answer func(ctx context.Context, question []byte) ([]byte, error)) (stop func(), err error)

	// Put stores a blob under a name, in place of an earlier one, until it is deleted.
	Put(ctx context.Context, name string, r io.Reader) error

	// Get returns a blob that was stored completely; fs.ErrNotExist if there is none. Reading fails
	// if the blob is replaced in the meantime.
	Get(ctx context.Context, name string) (io.ReadCloser, error)

	// Delete deletes a blob. It is not an error if there is none.
	Delete(ctx context.Context, name string) error

	// Blobs returns the names of the blobs with a prefix, in no particular order.
	Blobs(ctx context.Context, prefix string) ([]string, error)

	// Close ends the connection. Calls that wait return an error.
	Close() error
}

// An AnswerError says why the process that was asked could not answer.
type AnswerError struct {
	Text string
}

func (e *AnswerError) Error() string { return e.Text }

// maxName bounds the characters of a name, so that it can be a file name with the prefix that an
// engine adds.
const maxName = 128

// CheckName returns an error unless a name of a log or a blob has 1 to 128 letters, digits, hyphens
// and underscores.
func CheckName(name string) error {
	if len(name) == 0 || len(name) > maxName {
		return fmt.Errorf("name %q: want 1 to %d characters", name, maxName)
	}
	for i := range len(name) {
		if !plain(name[i]) {
			return fmt.Errorf("name %q: want letters, digits, - and _ only", name)
		}
	}
	return nil
}

// CheckSubject returns an error unless a subject is one or more names with dots between them.
func CheckSubject(subject string) error {
	start := 0
	for i := range len(subject) + 1 {
		if i < len(subject) && subject[i] != '.' {
			continue
		}
		if err := CheckName(subject[start:i]); err != nil {
			return fmt.Errorf("subject %q: %w", subject, err)
		}
		start = i + 1
	}
	return nil
}

func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}
