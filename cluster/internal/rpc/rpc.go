// Package rpc lets the processes that share a job ask each other over an engine. There are
// questions whose answers may have any length and are read piece by piece, and quick questions,
// which are asked for every page and whose answer is one message. If a process does not answer now,
// it may be asked again (IsAway).
package rpc

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// A question between processes is the name of a method, a zero byte, and the argument as JSON; mail
// and quick questions have forms of their own. An answer is a byte that says whether it is
// complete, the number of the rest if there is more, and values as JSON, one after the other. An
// answer of more than one message is fetched piece by piece.

const (
	answeredAll     = 'a' // the answer is complete
	answeredPart    = 'p' // the answer goes on: ask for more
	answeredUnknown = 'u' // an error that is gatecrawl.ErrUnknown, and its text
)

const (
	pieceBytes  = 1 << 20         // bytes of an answer that are sent in one message
	pieceStays  = 2 * time.Minute // how long the rest of an answer is kept until it is asked for
	methodMail  = "mail"
	methodMore  = "more"
	methodKeep  = "keep"
	methodLeave = "leave"
)

// An awayError says that a process that has a partition or the gate does not answer at present.
type awayError struct {
	who string
	err error
}

func (e *awayError) Error() string {
	switch {
	case errors.Is(e.err, engine.ErrNobody):
		return e.who + " does not answer: ask again when it is back, or when another node has taken its place"
	case errors.Is(e.err, context.DeadlineExceeded):
		return e.who + " has not answered in time: it may be stopped, busy or out of reach; ask again"
	case errors.As(e.err, new(*engine.AnswerError)):
		return fmt.Sprintf("%s cannot answer: %v", e.who, e.err)
	}
	return fmt.Sprintf("%s does not answer: %v", e.who, e.err)
}
func (e *awayError) Unwrap() error { return e.err }

// Away returns an error that says which process does not answer at present, and why.
func Away(who string, err error) error { return &awayError{who, err} }

// A closedError says that a process has a partition or the gate, but has not opened it, and why.
type closedError struct{ who, why string }

func (e *closedError) Error() string { return e.who + " " + e.why }

// An unknownError is a gatecrawl.ErrUnknown with the words of the process that was asked, which name
// what is not known.
type unknownError struct{ text string }

func (e *unknownError) Error() string { return e.text }

func (e *unknownError) Is(target error) bool { return target == gatecrawl.ErrUnknown }

// unknown is what a process answers with for an error that is gatecrawl.ErrUnknown.
func unknown(err error) []byte { return append([]byte{answeredUnknown}, err.Error()...) }

// IsAway reports whether an error means that another process did not answer: then it may help to
// ask again.
func IsAway(err error) bool {
	return errors.As(err, new(*awayError)) || errors.As(err, new(*closedError))
}

// An Asker asks the processes that serve a subject.
type Asker struct {
	Engine  engine.Engine
	Subject string
	Who     string // in messages; "": Subject

	// Closed returns what the process says about the subject if it does not serve it, such as
	// "cannot write", or "" for nothing. Nil: the process is not asked for that.
	Closed func(ctx context.Context) string
}

// send asks one question.
func (a Asker) send(ctx context.Context, question []byte) ([]byte, error) {
	b, err := a.Engine.Ask(ctx, a.Subject, question)
	if err == nil {
		return b, nil
	}
	who := cmp.Or(a.Who, a.Subject)
	if a.Closed != nil && errors.Is(err, engine.ErrNobody) {
		if why := a.Closed(ctx); why != "" {
			return nil, &closedError{who, why}
		}
	}
	return nil, Away(who, err)
}

// Post delivers mail, and returns the mail with which the server answers.
func (a Asker) Post(ctx context.Context, mail []byte) ([]byte, error) {
	return a.send(ctx, append([]byte(methodMail+"\x00"), mail...))
}

func questionOf(method string, argument any) ([]byte, error) {
	b, err := json.Marshal(argument)
	return append(append([]byte(method), 0), b...), err
}

// open asks a question, and returns a reader of the answer.
func (a Asker) open(ctx context.Context, method string, argument any) (io.Reader, func(), error) {
	question, err := questionOf(method, argument)
	if err != nil {
		return nil, nil, err
	}
	r := &pieces{ctx: ctx, from: a, unkeep: func() {}}
	if err := r.ask(question); err != nil {
		return nil, nil, err
	}
	return r, r.leave, nil
}

// pieces reads an answer piece by piece. The reader may be slow: the server keeps the rest for it.
type pieces struct {
	ctx    context.Context
	from   Asker
	at     []byte
	rest   uint64             // the number of the rest of the answer; 0: there is no more
	unkeep context.CancelFunc // ends the goroutine of keep
}

func (p *pieces) ask(question []byte) error {
	p.unkeep()
	b, err := p.from.send(p.ctx, question)
	if err != nil {
		return err
	}
	d := row.Decoder{B: b}
	switch d.Byte() {
	case answeredUnknown:
		return &unknownError{string(d.B)}
	case answeredAll:
		p.rest = 0
	case answeredPart:
		p.rest = d.Uint64()
	default:
		return errForm(p.from)
	}
	if p.at = d.B; p.rest != 0 && d.Err == nil {
		p.keep(p.rest)
	}
	return d.Err
}

// keep asks the server again and again to keep the rest, until the reader asks for it or leaves.
func (p *pieces) keep(rest uint64) {
	question, err := questionOf(methodKeep, rest)
	if err != nil {
		return
	}
	ctx, end := context.WithCancel(p.ctx)
	p.unkeep = end
	go func() { // ends with the next question, or when the reader leaves
		t := time.NewTicker(pieceStays / 4)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				p.from.send(ctx, question) // if one question is lost, the next comes in time
			case <-ctx.Done():
				return
			}
		}
	}()
}

func (p *pieces) Read(b []byte) (int, error) {
	for len(p.at) == 0 {
		if p.rest == 0 {
			return 0, io.EOF
		}
		question, err := questionOf(methodMore, p.rest)
		if err == nil {
			err = p.ask(question)
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(b, p.at)
	p.at = p.at[n:]
	return n, nil
}

// leave tells the server that the rest is not wanted.
func (p *pieces) leave() {
	p.unkeep()
	if p.rest == 0 {
		return
	}
	if question, err := questionOf(methodLeave, p.rest); err == nil {
		p.from.send(p.ctx, question) // the server drops it after a while anyway
	}
	p.rest = 0
}

// Ask asks for an answer with one value.
func Ask[A any](ctx context.Context, from Asker, method string, argument any) (value A, err error) {
	r, leave, err := from.open(ctx, method, argument)
	if err != nil {
		return value, err
	}
	defer leave()
	if err := json.NewDecoder(r).Decode(&value); err != nil {
		return value, fmt.Errorf("%s, asked for %s: %w", from.Subject, method, err)
	}
	return value, nil
}

// AskEach asks for an answer with many values.
func AskEach[A any](ctx context.Context, from Asker, method string, argument any, fn func(A) error) error {
	r, leave, err := from.open(ctx, method, argument)
	if err != nil {
		return err
	}
	defer leave()
	for dec := json.NewDecoder(bufio.NewReader(r)); ; {
		var value A
		if err := dec.Decode(&value); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s, asked for %s: %w", from.Subject, method, err)
		}
		if err := fn(value); err != nil {
			return err
		}
	}
}

// A Method answers a question by writing values.
type Method func(ctx context.Context, argument []byte, tell func(value any) error) error

// One makes a method from a function that returns one value.
func One[Q, A any](fn func(ctx context.Context, q Q) (A, error)) Method {
	return func(ctx context.Context, argument []byte, tell func(any) error) error {
		var q Q
		if err := json.Unmarshal(argument, &q); err != nil {
			return err
		}
		a, err := fn(ctx, q)
		if err != nil {
			return err
		}
		return tell(a)
	}
}

// Many makes a method from a function that calls each for every value.
func Many[Q, A any](fn func(ctx context.Context, q Q, each func(A) error) error) Method {
	return func(ctx context.Context, argument []byte, tell func(any) error) error {
		var q Q
		if err := json.Unmarshal(argument, &q); err != nil {
			return err
		}
		return fn(ctx, q, func(a A) error { return tell(a) })
	}
}

// A Server answers the questions of a subject.
type Server struct {
	methods map[string]Method
	quick   map[string]Quick
	Mail    func(ctx context.Context, question []byte) ([]byte, error)
	ended   context.Context // ends with the process

	mu    sync.Mutex
	rests map[uint64]*rest
	last  uint64
}

// NewServer returns a server whose answers end with the context ended. If mail is posted to it,
// Mail has to be set before it answers.
func NewServer(ended context.Context, methods map[string]Method, quick map[string]Quick) *Server {
	return &Server{methods: methods, quick: quick, ended: ended, rests: make(map[uint64]*rest)}
}

// A rest is the part of an answer that nobody has asked for yet.
type rest struct {
	pieces chan piece // pieces that are written
	cancel context.CancelFunc
	timer  *time.Timer
}

// A piece is a part of an answer.
type piece struct {
	b    []byte
	last bool
	err  error // in place of b
}

// Answer answers a question. It is the function to pass to engine.Engine.Serve.
func (d *Server) Answer(ctx context.Context, question []byte) ([]byte, error) {
	name, argument, ok := bytes.Cut(question, []byte{0})
	if !ok {
		return nil, errors.New("a question without a method")
	}
	switch string(name) {
	case methodMail:
		return d.Mail(ctx, argument)
	case methodMore, methodLeave, methodKeep:
		var number uint64
		if err := json.Unmarshal(argument, &number); err != nil {
			return nil, err
		}
		if string(name) == methodKeep {
			return d.keep(number), nil
		}
		return d.more(number, string(name) == methodMore)
	}
	if q := d.quick[string(name)]; q != nil {
		return answerQuick(ctx, q, argument)
	}
	m := d.methods[string(name)]
	if m == nil {
		return nil, fmt.Errorf("there is no method %s: all nodes need the same version of the program", name)
	}
	return d.start(m, argument)
}

// answerQuick answers a quick question.
func answerQuick(ctx context.Context, q Quick, argument []byte) ([]byte, error) {
	e := &row.Encoder{B: make([]byte, 0, 256)}
	e.Byte(answeredAll)
	e.Byte(Form)
	switch err := q(ctx, argument, e); {
	case errors.Is(err, gatecrawl.ErrUnknown):
		return unknown(err), nil
	case err != nil:
		return nil, err
	}
	return e.B, nil
}

// start starts an answer, and returns its first piece.
func (d *Server) start(m Method, argument []byte) ([]byte, error) {
	ctx, cancel := context.WithCancel(d.ended)
	r := &rest{pieces: make(chan piece), cancel: cancel}
	hand := func(p piece) error {
		select {
		case r.pieces <- p:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	go func() { // ends with the answer, when nobody wants the rest, or with the process
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		err := m(ctx, argument, func(v any) error {
			if err := enc.Encode(v); err != nil {
				return err
			}
			for b.Len() >= pieceBytes {
				if err := hand(piece{b: bytes.Clone(b.Next(pieceBytes))}); err != nil {
					return err
				}
			}
			return nil
		})
		hand(piece{b: b.Bytes(), last: true, err: err}) // it fails if nobody waits for it
	}()
	return d.next(r)
}

// next returns the next piece of an answer, and keeps the rest for pieceStays.
func (d *Server) next(r *rest) ([]byte, error) {
	var p piece
	select {
	case p = <-r.pieces:
	case <-d.ended.Done():
		return nil, d.ended.Err()
	}
	if p.last {
		r.cancel()
		switch {
		case errors.Is(p.err, gatecrawl.ErrUnknown):
			return unknown(p.err), nil
		case p.err != nil:
			return nil, p.err
		}
		return append([]byte{answeredAll}, p.b...), nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last++
	number := d.last
	d.rests[number] = r
	r.timer = time.AfterFunc(pieceStays, func() { d.more(number, false) })
	e := row.Encoder{B: make([]byte, 0, len(p.b)+9)}
	e.Byte(answeredPart)
	e.Uint64(number)
	e.Bytes(p.b)
	return e.B, nil
}

// keep extends the time for which the rest of an answer is kept.
func (d *Server) keep(number uint64) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.rests[number]; r != nil {
		r.timer.Reset(pieceStays)
	}
	return []byte{answeredAll}
}

// more returns the next piece of an answer that was kept, or drops the answer.
func (d *Server) more(number uint64, wanted bool) ([]byte, error) {
	d.mu.Lock()
	r := d.rests[number]
	delete(d.rests, number)
	d.mu.Unlock()
	switch {
	case r == nil && wanted:
		return nil, errors.New("the rest of the answer is not there any more: ask again")
	case r == nil:
		return []byte{answeredAll}, nil
	}
	r.timer.Stop()
	if !wanted {
		r.cancel()
		return []byte{answeredAll}, nil
	}
	return d.next(r)
}
