package jetstream

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gatecrawl.example/gatecrawl/cluster/engine"
)

// A log is a stream with one subject.
type log struct {
	engine  *Engine
	stream  jetstream.Stream
	subject string
	name    string
}

// wrongLast are the two error codes of a server that mean that a stream does not end where the
// writer thought. With the second one the later entry may be under way, and may never arrive.
var wrongLast = []jetstream.ErrorCode{jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant}

// errUndecided leaves the outcome of an append open.
var errUndecided = errors.New("another append to this log is under way")

// Append implements engine.Log: it publishes a message that names the last one.
func (l *log) Append(ctx context.Context, after uint64, e engine.Entry) (uint64, error) {
	if err := e.Check(); err != nil {
		return 0, err
	}
	bounded, cancel := l.engine.bounded(ctx)
	defer cancel()
	ack, err := l.engine.js.PublishMsg(bounded, &nats.Msg{Subject: l.subject, Data: encode(e)},
		jetstream.WithExpectLastSequence(after), jetstream.WithRetryAttempts(0))
	if isWrongLast(err) {
		err = l.confirm(bounded, after)
	}
	if err := l.engine.requestError(ctx, err); err != nil {
		return 0, fmt.Errorf("append entry %d to %s: %w", after+1, l.name, err)
	}
	return ack.Sequence, nil
}

func isWrongLast(err error) bool {
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return false
	}
	for _, code := range wrongLast {
		if api.ErrorCode == code {
			return true
		}
	}
	return false
}

// confirm tells whether a refusal is final. A leader also refuses while it is not decided whether
// an earlier message becomes part of the log.
func (l *log) confirm(ctx context.Context, after uint64) error {
	seq, _, err := l.last(ctx)
	if err != nil {
		return err
	}
	if seq == after {
		return errUndecided
	}
	return engine.ErrFenced
}

// Last implements engine.Log: it asks the leader of the stream.
func (l *log) Last(ctx context.Context) (uint64, engine.Entry, error) {
	bounded, cancel := l.engine.bounded(ctx)
	defer cancel()
	seq, e, err := l.last(bounded)
	if err := l.engine.requestError(ctx, err); err != nil {
		return 0, engine.Entry{}, fmt.Errorf("read the last entry of %s: %w", l.name, err)
	}
	return seq, e, nil
}

func (l *log) last(ctx context.Context) (uint64, engine.Entry, error) {
	m, err := l.stream.GetLastMsgForSubject(ctx, l.subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, engine.Entry{}, nil
	}
	if err != nil {
		return 0, engine.Entry{}, err
	}
	e, err := decode(m.Data)
	return m.Sequence, e, err
}

// First implements engine.Log.
func (l *log) First(ctx context.Context) (uint64, error) {
	bounded, cancel := l.engine.bounded(ctx)
	defer cancel()
	info, err := l.stream.Info(bounded)
	if err := l.engine.requestError(ctx, err); err != nil {
		return 0, fmt.Errorf("find the first entry of %s: %w", l.name, err)
	}
	if info.State.Msgs == 0 {
		return 0, nil
	}
	return info.State.FirstSeq, nil
}

// Trim implements engine.Log: it purges the stream up to a number.
func (l *log) Trim(ctx context.Context, through uint64) error {
	bounded, cancel := l.engine.bounded(ctx)
	defer cancel()
	seq, _, err := l.last(bounded)
	if through = min(through, max(seq, 1)-1); err == nil && through > 0 {
		err = l.stream.Purge(bounded, jetstream.WithPurgeSequence(through+1))
	}
	if err := l.engine.requestError(ctx, err); err != nil {
		return fmt.Errorf("trim %s: %w", l.name, err)
	}
	return nil
}

// An errOfFn is an error of a follower's function, as opposed to one of the engine.
type errOfFn struct{ error }

// followAgain is the time after which a broken consumer is replaced.
const followAgain = 200 * time.Millisecond

// pulledAtOnce bounds how many entries are on their way to a follower. The client allocates room
// for that many at the start; with a bound in bytes it would be a million entries, 8 MB of room.
const pulledAtOnce = 64

// Follow implements engine.Log. It reads the stream with a consumer, and creates another one
// whenever that breaks.
func (l *log) Follow(ctx context.Context, after uint64, fn func(uint64, engine.Entry) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(l.engine.ctx, func() { cancel(engine.ErrClosed) })
	defer stop()
	for {
		err := l.read(ctx, &after, fn)
		var own errOfFn
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("follow %s: %w", l.name, context.Cause(ctx))
		case errors.As(err, &own):
			return own.error
		case errors.Is(err, engine.ErrTrimmed), errors.Is(err, errForeign):
			return fmt.Errorf("follow %s behind %d: %w", l.name, after, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(followAgain):
		}
	}
}

// read reads with one consumer until it breaks, and moves after.
func (l *log) read(ctx context.Context, after *uint64, fn func(uint64, engine.Entry) error) error {
	if err := l.checkFirst(ctx, *after); err != nil {
		return err
	}
	asking, cancel := l.engine.bounded(ctx) // if the leader is lost, so is the question
	c, err := l.stream.OrderedConsumer(asking, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: *after + 1,
		InactiveThreshold: time.Minute, MaxResetAttempts: 3,
	})
	cancel()
	if err != nil {
		return err
	}
	messages, err := c.Messages(jetstream.PullHeartbeat(time.Second), jetstream.PullExpiry(10*time.Second), jetstream.PullMaxMessages(pulledAtOnce))
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		seq := meta.Sequence.Stream
		if seq <= *after {
			continue
		}
		if seq != *after+1 { // entries were trimmed, or the consumer has skipped some
			return l.checkFirst(ctx, *after)
		}
		e, err := decode(m.Data())
		if err != nil {
			return err
		}
		if err := fn(seq, e); err != nil {
			return errOfFn{err}
		}
		*after = seq
	}
}

// checkFirst returns ErrTrimmed if the entry after the number was trimmed.
func (l *log) checkFirst(ctx context.Context, after uint64) error {
	ctx, cancel := l.engine.bounded(ctx)
	defer cancel()
	info, err := l.stream.Info(ctx)
	if err == nil && info.State.Msgs > 0 && info.State.FirstSeq > after+1 {
		return engine.ErrTrimmed
	}
	return err
}

// An entry is sent and stored as a byte for the version, the epoch as a varint, a byte for the
// length of the owner, the owner, and the batch.
const version = 1

// headroom bounds what an entry has in addition to its batch, and a message in addition to its
// data.
const headroom = 1 + binary.MaxVarintLen64 + 1 + engine.MaxOwner + 1024

// errForeign is about a message that was not written by this program.
var errForeign = errors.New("the stream has a message that this program did not write, or that a later version did")

func encode(e engine.Entry) []byte {
	b := make([]byte, 0, 1+binary.MaxVarintLen64+1+len(e.Owner)+len(e.Batch))
	b = append(b, version)
	b = binary.AppendUvarint(b, e.Epoch)
	b = append(b, byte(len(e.Owner)))
	b = append(b, e.Owner...)
	return append(b, e.Batch...)
}

func decode(b []byte) (engine.Entry, error) {
	if len(b) == 0 || b[0] != version {
		return engine.Entry{}, errForeign
	}
	epoch, n := binary.Uvarint(b[1:])
	if n <= 0 || len(b) < 1+n+1 {
		return engine.Entry{}, errForeign
	}
	owner := b[1+n+1:]
	length := int(b[1+n])
	if len(owner) < length {
		return engine.Entry{}, errForeign
	}
	return engine.Entry{Epoch: epoch, Owner: string(owner[:length]), Batch: owner[length:]}, nil
}
