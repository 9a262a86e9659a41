// Package enginetest has the tests that every engine must pass.
package enginetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/cluster/engine"
)

// An Engine is the engine to test.
type Engine struct {
	// Connect returns a new connection, always to the same engine, and closes it when the test
	// ends. The engine may have logs and blobs of other tests.
	Connect func(t *testing.T) engine.Engine

	// Logs is the number of logs that are written at once. Default: 64.
	Logs int
}

// patience bounds the time of a step, on a machine that is busy with other things.
const patience = time.Minute

// Run runs the suite.
func Run(t *testing.T, e Engine) {
	if e.Logs == 0 {
		e.Logs = 64
	}
	for _, test := range []struct {
		name string
		run  func(*testing.T, Engine)
	}{
		{"AnEmptyLogHasNoLast", anEmptyLogHasNoLast},
		{"WhatWasAppendedIsLast", whatWasAppendedIsLast},
		{"AnAppendElsewhereThanAtTheEndIsFenced", anAppendElsewhereThanAtTheEndIsFenced},
		{"FollowStartsAtAnyNumber", followStartsAtAnyNumber},
		{"FollowWaitsForWhatComes", followWaitsForWhatComes},
		{"AFollowerThatFailsIsDone", aFollowerThatFailsIsDone},
		{"WhatWasTrimmedIsGoneAndTheLastStays", whatWasTrimmedIsGoneAndTheLastStays},
		{"OfTwoWritersOneIsFenced", ofTwoWritersOneIsFenced},
		{"AnAppendWithoutAnAnswerIsThereOnce", anAppendWithoutAnAnswerIsThereOnce},
		{"ManyLogsDoNotMix", manyLogsDoNotMix},
		{"ALargeBatchComesWholeAndATooLargeOneIsRefused", aLargeBatchComesWhole},
		{"ANameThatIsNoneIsRefused", aNameThatIsNoneIsRefused},
		{"AQuestionIsAnswered", aQuestionIsAnswered},
		{"AQuestionThatNobodyServesHasNoAnswer", aQuestionThatNobodyServesHasNoAnswer},
		{"QuestionsAreAnsweredAtOnce", questionsAreAnsweredAtOnce},
		{"ABlobComesBackWhole", aBlobComesBackWhole},
		{"AnEngineThatIsClosedRefuses", anEngineThatIsClosedRefuses},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, e) })
	}
}

var names atomic.Int64

// newName returns a name that no other test of any run has.
func newName() string {
	return fmt.Sprintf("test-%d-%x", names.Add(1), rand.Uint64())
}

func open(t *testing.T, e engine.Engine, name string) engine.Log {
	t.Helper()
	l, err := e.Log(deadline(t), name)
	if err != nil {
		t.Fatalf("Log(%s): %v", name, err)
	}
	return l
}

func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// entry returns the entry that the tests append as number n.
func entry(n uint64) engine.Entry {
	return engine.Entry{Epoch: 7, Owner: "a/1", Batch: fmt.Appendf(nil, "batch %d", n)}
}

// fill appends entries until the log has n entries.
func fill(t *testing.T, l engine.Log, n uint64) {
	t.Helper()
	seq, _, err := l.Last(deadline(t))
	for ; err == nil && seq < n; seq++ {
		err = appendOnce(deadline(t), l, seq, entry(seq+1))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// appendOnce appends an entry until it is known to be in the log, as writers have to do. It returns
// ErrFenced if another entry has its number.
func appendOnce(ctx context.Context, l engine.Log, after uint64, e engine.Entry) error {
	for {
		_, err := l.Append(ctx, after, e)
		if err == nil || ctx.Err() != nil || errors.Is(err, engine.ErrTooLarge) || errors.Is(err, engine.ErrClosed) {
			return err
		}
		if !errors.Is(err, engine.ErrFenced) {
			continue
		}
		seq, last, lastErr := l.Last(ctx)
		switch {
		case lastErr == nil && seq == after+1 && equal(last, e):
			return nil
		case lastErr == nil && seq > after:
			return err
		}
	}
}

func equal(a, b engine.Entry) bool {
	return a.Epoch == b.Epoch && a.Owner == b.Owner && bytes.Equal(a.Batch, b.Batch)
}

func anEmptyLogHasNoLast(t *testing.T, e Engine) {
	l := open(t, e.Connect(t), newName())
	seq, last, err := l.Last(deadline(t))
	if seq != 0 || !equal(last, engine.Entry{}) || err != nil {
		t.Errorf("Last = %d, %+v, %v; want nothing", seq, last, err)
	}
	if first, err := l.First(deadline(t)); first != 0 || err != nil {
		t.Errorf("First = %d, %v; want nothing", first, err)
	}
}

func whatWasAppendedIsLast(t *testing.T, e Engine) {
	name := newName()
	l := open(t, e.Connect(t), name)
	other := open(t, e.Connect(t), name)
	for n, want := range []engine.Entry{
		{Epoch: 1, Owner: "node-1/af03", Batch: []byte("changes")},
		{Epoch: 1, Owner: "node-1/af03"},
		{Epoch: 1<<64 - 1, Owner: "ü", Batch: []byte{0, 255, 0}},
		{},
	} {
		after := uint64(n)
		if seq, err := l.Append(deadline(t), after, want); seq != after+1 || err != nil {
			t.Fatalf("Append after %d = %d, %v", after, seq, err)
		}
		for _, l := range []engine.Log{l, other} {
			seq, got, err := l.Last(deadline(t))
			if seq != after+1 || !equal(got, want) || err != nil {
				t.Errorf("Last = %d, %+v, %v; want %d, %+v", seq, got, err, after+1, want)
			}
		}
	}
}

func anAppendElsewhereThanAtTheEndIsFenced(t *testing.T, e Engine) {
	l := open(t, e.Connect(t), newName())
	fill(t, l, 3)
	for _, after := range []uint64{0, 1, 2, 4, 1 << 40} {
		if _, err := l.Append(deadline(t), after, entry(9)); !errors.Is(err, engine.ErrFenced) {
			t.Errorf("Append after %d of 3 = %v, want ErrFenced", after, err)
		}
	}
	if seq, got, err := l.Last(deadline(t)); seq != 3 || !equal(got, entry(3)) || err != nil {
		t.Errorf("Last = %d, %+v, %v; want entry 3 as it was", seq, got, err)
	}
}

var errEnough = errors.New("enough")

// follow returns the entries from the one after `after` up to through.
func follow(t *testing.T, l engine.Log, after, through uint64) (entries []engine.Entry) {
	t.Helper()
	next := after + 1
	err := l.Follow(deadline(t), after, func(seq uint64, e engine.Entry) error {
		if seq != next {
			return fmt.Errorf("entry %d came, and %d is next", seq, next)
		}
		next++
		entries = append(entries, e)
		if seq == through {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		t.Fatalf("Follow behind %d: %v", after, err)
	}
	return entries
}

func followStartsAtAnyNumber(t *testing.T, e Engine) {
	name := newName()
	fill(t, open(t, e.Connect(t), name), 20)
	l := open(t, e.Connect(t), name)
	for _, after := range []uint64{0, 1, 10, 19} {
		for i, got := range follow(t, l, after, 20) {
			if want := entry(after + 1 + uint64(i)); !equal(got, want) {
				t.Errorf("behind %d: entry %+v, want %+v", after, got, want)
			}
		}
	}
}

func followWaitsForWhatComes(t *testing.T, e Engine) {
	name := newName()
	writer, reader := open(t, e.Connect(t), name), open(t, e.Connect(t), name)
	came := make(chan uint64)
	ctx, cancel := context.WithCancel(deadline(t))
	ended := make(chan error, 1)
	go func() { // ends with ctx
		ended <- reader.Follow(ctx, 0, func(seq uint64, _ engine.Entry) error {
			select {
			case came <- seq:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	for n := uint64(1); n <= 5; n++ {
		fill(t, writer, n)
		select {
		case seq := <-came:
			if seq != n {
				t.Fatalf("entry %d came, want %d", seq, n)
			}
		case err := <-ended:
			t.Fatalf("Follow ended before entry %d: %v", n, err)
		case <-deadline(t).Done():
			t.Fatalf("entry %d did not come", n)
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Follow = %v, want that its context ended", err)
	}
}

func aFollowerThatFailsIsDone(t *testing.T, e Engine) {
	l := open(t, e.Connect(t), newName())
	fill(t, l, 3)
	fails, calls := errors.New("fn fails"), 0
	err := l.Follow(deadline(t), 0, func(uint64, engine.Entry) error { calls++; return fails })
	if !errors.Is(err, fails) || calls != 1 {
		t.Errorf("Follow = %v after %d calls, want fn's error after the first", err, calls)
	}
}

func whatWasTrimmedIsGoneAndTheLastStays(t *testing.T, e Engine) {
	l := open(t, e.Connect(t), newName())
	if err := l.Trim(deadline(t), 10); err != nil {
		t.Errorf("Trim of an empty log: %v", err)
	}
	fill(t, l, 10)
	for _, through := range []uint64{0, 4, 3} {
		if err := l.Trim(deadline(t), through); err != nil {
			t.Fatalf("Trim(%d): %v", through, err)
		}
	}
	if first, err := l.First(deadline(t)); first != 5 || err != nil {
		t.Errorf("First = %d, %v after entries up to 4 were trimmed, want 5", first, err)
	}
	if got := follow(t, l, 4, 10); len(got) != 6 || !equal(got[0], entry(5)) {
		t.Errorf("%d entries behind 4, want 5 to 10", len(got))
	}
	for _, after := range []uint64{0, 3} {
		err := l.Follow(deadline(t), after, func(seq uint64, _ engine.Entry) error { return fmt.Errorf("entry %d came", seq) })
		if !errors.Is(err, engine.ErrTrimmed) {
			t.Errorf("Follow behind %d = %v, want ErrTrimmed", after, err)
		}
	}
	if err := l.Trim(deadline(t), 1000); err != nil {
		t.Fatal(err)
	}
	if seq, got, err := l.Last(deadline(t)); seq != 10 || !equal(got, entry(10)) || err != nil {
		t.Errorf("Last = %d, %+v, %v after all was trimmed, want entry 10", seq, got, err)
	}
	fill(t, l, 12)
	if got := follow(t, l, 9, 12); len(got) != 3 || !equal(got[2], entry(12)) {
		t.Errorf("%d entries behind 9, want 10 to 12", len(got))
	}
}

// Each of two writers appends where it believes the end to be. The log has exactly the entries that
// were acknowledged to them.
func ofTwoWritersOneIsFenced(t *testing.T, e Engine) {
	const each = 25
	name := newName()
	var mu sync.Mutex
	acknowledged := make(map[uint64]engine.Entry)
	var group sync.WaitGroup
	for _, owner := range []string{"a", "b"} {
		l := open(t, e.Connect(t), name)
		group.Go(func() {
			for n := uint64(0); n < each; {
				after, _, err := l.Last(deadline(t))
				if err != nil {
					continue
				}
				mine := engine.Entry{Epoch: n, Owner: owner}
				err = appendOnce(deadline(t), l, after, mine)
				if err != nil && !errors.Is(err, engine.ErrFenced) {
					t.Errorf("Append: %v", err)
					return
				}
				if err != nil {
					continue
				}
				mu.Lock()
				if was, ok := acknowledged[after+1]; ok {
					t.Errorf("entry %d was acknowledged as %+v and as %+v", after+1, was, mine)
				}
				acknowledged[after+1] = mine
				mu.Unlock()
				n++
			}
		})
	}
	group.Wait()
	if t.Failed() {
		return
	}
	for i, got := range follow(t, open(t, e.Connect(t), name), 0, 2*each) {
		if want := acknowledged[uint64(i)+1]; !equal(got, want) {
			t.Errorf("entry %d is %+v, and %+v was acknowledged", i+1, got, want)
		}
	}
}

// A writer that stops waiting does not know whether its entry is in the log. It tries again, and
// the log has each entry once.
func anAppendWithoutAnAnswerIsThereOnce(t *testing.T, e Engine) {
	const entries = 30
	l := open(t, e.Connect(t), newName())
	r := rand.New(rand.NewPCG(1, 2))
	for seq := uint64(0); seq < entries; seq++ {
		for range r.IntN(3) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(2000))*time.Microsecond)
			l.Append(ctx, seq, entry(seq+1)) // it is unknown whether it is in the log
			cancel()
		}
		if err := appendOnce(deadline(t), l, seq, entry(seq+1)); err != nil {
			t.Fatalf("Append after %d: %v", seq, err)
		}
	}
	for i, got := range follow(t, l, 0, entries) {
		if want := entry(uint64(i) + 1); !equal(got, want) {
			t.Errorf("entry %d is %+v, want %+v", i+1, got, want)
		}
	}
	if seq, _, err := l.Last(deadline(t)); seq != entries || err != nil {
		t.Errorf("the log has %d entries, %v; want %d", seq, err, entries)
	}
}

func manyLogsDoNotMix(t *testing.T, e Engine) {
	const entries = 5
	conn, base := e.Connect(t), newName()
	var group sync.WaitGroup
	for i := range e.Logs {
		group.Go(func() {
			l, err := conn.Log(deadline(t), fmt.Sprintf("%s-%d", base, i))
			if err != nil {
				t.Error(err)
				return
			}
			for seq := range uint64(entries) {
				if err := appendOnce(deadline(t), l, seq, engine.Entry{Epoch: uint64(i), Owner: "a"}); err != nil {
					t.Errorf("log %d: %v", i, err)
					return
				}
			}
		})
	}
	group.Wait()
	if t.Failed() {
		return
	}
	for _, i := range []int{0, e.Logs - 1} {
		for _, got := range follow(t, open(t, conn, fmt.Sprintf("%s-%d", base, i)), 0, entries) {
			if got.Epoch != uint64(i) {
				t.Errorf("log %d has an entry of log %d", i, got.Epoch)
			}
		}
	}
}

func aLargeBatchComesWhole(t *testing.T, e Engine) {
	l := open(t, e.Connect(t), newName())
	large := engine.Entry{Owner: "a", Batch: bytes.Repeat([]byte("0123456789abcdef"), engine.MaxBatch/16)}
	if err := appendOnce(deadline(t), l, 0, large); err != nil {
		t.Fatal(err)
	}
	if got := follow(t, l, 0, 1); !equal(got[0], large) {
		t.Errorf("a batch of %d bytes came back with %d", len(large.Batch), len(got[0].Batch))
	}
	large.Batch = append(large.Batch, 'x')
	if _, err := l.Append(deadline(t), 1, large); !errors.Is(err, engine.ErrTooLarge) {
		t.Errorf("Append of %d bytes = %v, want ErrTooLarge", len(large.Batch), err)
	}
	named := engine.Entry{Owner: string(make([]byte, engine.MaxOwner+1))}
	if _, err := l.Append(deadline(t), 1, named); !errors.Is(err, engine.ErrTooLarge) {
		t.Errorf("Append for an owner of %d bytes = %v, want ErrTooLarge", len(named.Owner), err)
	}
}

func aNameThatIsNoneIsRefused(t *testing.T, e Engine) {
	conn := e.Connect(t)
	for _, name := range []string{"", "a b", "a.b", "a/b", "*", ">", "ü", string(make([]byte, 200))} {
		if _, err := conn.Log(deadline(t), name); err == nil {
			t.Errorf("Log(%q) is no error", name)
		}
		if err := conn.Put(deadline(t), name, bytes.NewReader(nil)); err == nil {
			t.Errorf("Put(%q) is no error", name)
		}
	}
	for _, subject := range []string{"", ".", "a.", ".a", "a..b", "a.*", "a.>", "a b"} {
		if _, err := conn.Ask(deadline(t), subject, nil); err == nil || errors.Is(err, engine.ErrNobody) {
			t.Errorf("Ask(%q) = %v, want that it is no subject", subject, err)
		}
		if _, err := conn.Serve(subject, nil); err == nil {
			t.Errorf("Serve(%q) is no error", subject)
		}
	}
}

// serve answers a subject, and waits until others know of it.
func serve(t *testing.T, at, from engine.Engine, subject string, fn func(context.Context, []byte) ([]byte, error)) (stop func()) {
	t.Helper()
	stop, err := at.Serve(subject, fn)
	if err != nil {
		t.Fatalf("Serve(%s): %v", subject, err)
	}
	ctx := deadline(t)
	for {
		_, err := from.Ask(ctx, subject, nil)
		if err == nil || ctx.Err() != nil {
			return stop
		}
	}
}

func aQuestionIsAnswered(t *testing.T, e Engine) {
	a, b, subject := e.Connect(t), e.Connect(t), newName()+".part.3"
	stop := serve(t, a, b, subject, func(_ context.Context, q []byte) ([]byte, error) {
		if string(q) == "fail" {
			return nil, errors.New("cannot be answered")
		}
		return slices.Concat([]byte("answer to "), q), nil
	})
	for _, from := range []engine.Engine{a, b} {
		got, err := from.Ask(deadline(t), subject, []byte("question"))
		if string(got) != "answer to question" || err != nil {
			t.Errorf("Ask = %q, %v", got, err)
		}
		var failed *engine.AnswerError
		if _, err := from.Ask(deadline(t), subject, []byte("fail")); !errors.As(err, &failed) || failed.Text != "cannot be answered" {
			t.Errorf("Ask = %v, want what the other said", err)
		}
	}
	if _, err := b.Ask(deadline(t), subject, make([]byte, engine.MaxBatch+1)); !errors.Is(err, engine.ErrTooLarge) {
		t.Errorf("Ask of %d bytes = %v, want ErrTooLarge", engine.MaxBatch+1, err)
	}
	stop()
	waitForNobody(t, b, subject)
}

// waitForNobody waits until it is known that no process serves a subject any more.
func waitForNobody(t *testing.T, from engine.Engine, subject string) {
	t.Helper()
	ctx := deadline(t)
	for {
		_, err := from.Ask(ctx, subject, nil)
		if errors.Is(err, engine.ErrNobody) {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("Ask = %v, want ErrNobody", err)
		}
	}
}

func aQuestionThatNobodyServesHasNoAnswer(t *testing.T, e Engine) {
	waitForNobody(t, e.Connect(t), newName())
}

// Two questions are asked at once, and each is answered only when both have arrived.
func questionsAreAnsweredAtOnce(t *testing.T, e Engine) {
	conn, subject := e.Connect(t), newName()
	meet := make(chan struct{})
	stop := serve(t, conn, conn, subject, func(ctx context.Context, q []byte) ([]byte, error) {
		if len(q) == 0 {
			return nil, nil
		}
		select {
		case meet <- struct{}{}:
		case <-meet:
		case <-time.After(patience):
			return nil, errors.New("the other question did not come")
		}
		return q, nil
	})
	defer stop()
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			if _, err := conn.Ask(deadline(t), subject, []byte("q")); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func aBlobComesBackWhole(t *testing.T, e Engine) {
	a, b, name := e.Connect(t), e.Connect(t), newName()
	if _, err := a.Get(deadline(t), name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get of nothing = %v, want fs.ErrNotExist", err)
	}
	for _, size := range []int{3 << 20, 0, 1000} {
		want := make([]byte, size)
		for i := range want {
			want[i] = byte(i * i >> 8)
		}
		if err := a.Put(deadline(t), name, bytes.NewReader(want)); err != nil {
			t.Fatalf("Put of %d bytes: %v", size, err)
		}
		r, err := b.Get(deadline(t), name)
		if err != nil {
			t.Fatalf("Get of %d bytes: %v", size, err)
		}
		got, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes came back as %d, %v", size, len(got), err)
		}
	}
	other := name + "-2"
	if err := a.Put(deadline(t), other, bytes.NewReader(nil)); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Blobs(deadline(t), name); err != nil || !slices.Equal(slices.Sorted(slices.Values(got)), []string{name, other}) {
		t.Errorf("Blobs(%s) = %v, %v; want it and %s", name, got, err, other)
	}
	if got, err := b.Blobs(deadline(t), other+"-"); err != nil || len(got) > 0 {
		t.Errorf("Blobs of names that nobody has put = %v, %v", got, err)
	}
	for range 2 {
		if err := a.Delete(deadline(t), name); err != nil {
			t.Errorf("Delete: %v", err)
		}
		if _, err := b.Get(deadline(t), name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Get of what was deleted = %v, want fs.ErrNotExist", err)
		}
	}
	if got, err := b.Blobs(deadline(t), name); err != nil || !slices.Equal(got, []string{other}) {
		t.Errorf("Blobs(%s) = %v, %v; want %s alone", name, got, err, other)
	}
	if err := a.Put(deadline(t), name, bytes.NewReader(make([]byte, 1000))); err != nil {
		t.Fatal(err)
	}
	fails := errors.New("the disk is gone")
	if err := a.Put(deadline(t), name, io.MultiReader(bytes.NewReader(make([]byte, 1<<20)), failing{fails})); !errors.Is(err, fails) {
		t.Errorf("Put of what cannot be read = %v", err)
	}
	if r, err := b.Get(deadline(t), name); err == nil {
		if got, err := io.ReadAll(r); err == nil && len(got) != 1000 {
			t.Errorf("after a Put that failed a blob has %d bytes", len(got))
		}
		r.Close()
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func anEngineThatIsClosedRefuses(t *testing.T, e Engine) {
	conn := e.Connect(t)
	l := open(t, conn, newName())
	fill(t, l, 1)
	followed, ended := make(chan struct{}), make(chan error, 1)
	go func() { // ends with conn
		ended <- l.Follow(deadline(t), 0, func(uint64, engine.Entry) error { close(followed); return nil })
	}()
	<-followed
	if err := conn.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	if err := <-ended; !errors.Is(err, engine.ErrClosed) {
		t.Errorf("Follow = %v, want ErrClosed", err)
	}
	_, appendErr := l.Append(deadline(t), 1, entry(2))
	_, askErr := conn.Ask(deadline(t), "a", nil)
	_, logErr := conn.Log(deadline(t), newName())
	for _, err := range []error{appendErr, askErr, logErr} {
		if !errors.Is(err, engine.ErrClosed) {
			t.Errorf("after Close: %v, want ErrClosed", err)
		}
	}
}
