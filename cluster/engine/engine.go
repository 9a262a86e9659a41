package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
)

var (
	// ErrFenced says that a log does not end where its writer thought: another writer has
	// appended.
	ErrFenced = errors.New("the log has a later entry than the writer knows: somebody else owns it")

	// ErrTrimmed says that a log no longer has the entries which Follow was asked for.
	ErrTrimmed = errors.New("the log no longer has these entries")

	// ErrNobody says that no process serves a subject now.
	ErrNobody = errors.New("no process answers questions on this subject")

	// ErrTooLarge says that a batch, a question or an answer has more bytes than MaxBatch.
	ErrTooLarge = errors.New("too large for one message")

	// ErrClosed says that the engine was closed.
	ErrClosed = errors.New("the engine is closed")
)

// MaxBatch is the most bytes that a batch, a question and an answer may have.
const MaxBatch = 4 << 20

// A Log is an ordered, replicated log with one writer at a time. Its entries are numbered
// from 1 without a gap. It may be used by several goroutines.
type Log interface {
	// Append adds an entry behind the one with the number after (0: to an empty log), and
	// returns its number, which is after+1. ErrFenced: that number is taken. Any other error
	// but ErrTooLarge leaves open whether the entry is there, or will be: append the same
	// entry after the same number until the answer is known. Where that is ErrFenced an
	// earlier try may have been the one that took the number: Last tells.
	Append(ctx context.Context, after uint64, e Entry) (seq uint64, err error)

	// Last returns the last entry, or 0 and no entry where the log is empty. It may be
	// behind: an entry that was there when it was asked may be missing.
	Last(ctx context.Context) (seq uint64, e Entry, err error)

	// Follow calls fn for the entries behind a number, in order, each once, as they come, until
	// ctx ends or fn fails, and returns that error. ErrTrimmed: the first of them was trimmed.
	// It continues by itself after the engine was away.
	Follow(ctx context.Context, after uint64, fn func(seq uint64, e Entry) error) error

	// First returns the number of the first entry that was not forgotten; 0 where the log is
	// empty.
	First(ctx context.Context) (seq uint64, err error)

	// Trim forgets the entries up to a number. The last entry always stays.
	Trim(ctx context.Context, through uint64) error
}

// An Entry is what an owner did: a batch of changes, a heartbeat, or that it took over.
type Entry struct {
	// Epoch counts the owners of a log: each takes over with one more than the last.
	Epoch uint64

	// Owner names a process, not a machine: two processes with one name would take each other's
	// entries for their own. Empty: the previous owner gave the log up. At most MaxOwner bytes.
	Owner string

	// Batch has the changes, at most MaxBatch bytes. Empty: a heartbeat, or a takeover.
	Batch []byte
}

// MaxOwner is the most bytes that an owner's name may have.
const MaxOwner = 255

// Check returns an error where an entry is larger than the contract allows.
func (e Entry) Check() error {
	if len(e.Batch) > MaxBatch {
		return fmt.Errorf("a batch of %d bytes, and %d are the most: %w", len(e.Batch), MaxBatch, ErrTooLarge)
	}
	if len(e.Owner) > MaxOwner {
		return fmt.Errorf("an owner's name of %d bytes, and %d are the most: %w", len(e.Owner), MaxOwner, ErrTooLarge)
	}
	return nil
}

// An Engine is a connection to what a cluster runs on. It may be used by several goroutines.
type Engine interface {
	// Log returns the log of a name, and creates it if there is none. CheckName says which
	// names are valid.
	Log(ctx context.Context, name string) (Log, error)

	// Ask sends a question to one of the processes that serve a subject now, and returns the
	// answer. ErrNobody: none does. *AnswerError: the process that was asked could not answer.
	// Any other error leaves open whether the question arrived.
	Ask(ctx context.Context, subject string, question []byte) ([]byte, error)

	// Serve answers the questions of a subject, several at a time, until stop is called,
	// which waits for the answers under way. Where several serve one subject each question
	// goes to one of them.
	Serve(subject string, answer func(ctx context.Context, question []byte) ([]byte, error)) (stop func(), err error)

	// Put keeps a blob under a name, in place of the one before, until it is deleted.
	Put(ctx context.Context, name string, r io.Reader) error

	// Get returns a blob that was put completely; fs.ErrNotExist if there is none. A read fails
	// if the blob is replaced meanwhile.
	Get(ctx context.Context, name string) (io.ReadCloser, error)

	// Delete forgets a blob. It need not be there.
	Delete(ctx context.Context, name string) error

	// Blobs returns the names of the blobs with a prefix, in no order.
	Blobs(ctx context.Context, prefix string) ([]string, error)

	// Close ends the connection. What waits ends with an error.
	Close() error
}

// An AnswerError says why the process that was asked could not answer.
type AnswerError struct {
	Text string
}

func (e *AnswerError) Error() string { return e.Text }

// maxName is the most characters of a name: with the part that an engine puts before it, it
// still is the name of a file.
const maxName = 128

// CheckName returns an error where a name of a log or a blob is not one to 128 letters,
// digits, hyphens and underscores.
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

// CheckSubject returns an error where a subject is not one or more names with dots between.
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
