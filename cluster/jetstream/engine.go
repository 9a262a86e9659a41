package jetstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gatecrawl.example/gatecrawl/cluster/engine"
)

var _ engine.Engine = (*Engine)(nil)

const (
	blobs       = "crawl-blobs"
	askedAtOnce = 64            // answers under way for one subject, at most
	failed      = "Crawl-Error" // the header with the text of an error, in an answer
)

// Options are the settings of a connection.
type Options struct {
	// Servers are the addresses of one or more servers, HOST:PORT. Servers of which these know are
	// tried too.
	Servers []string

	// Secret and TLS are the secret and the TLS settings of the servers. User is needed only for
	// servers that were not started by Serve. Default: the user that Serve sets up.
	Secret string
	User   string
	TLS    *tls.Config

	// Inside is a server in this process that is not part of a cluster of servers. It is asked
	// without the network. Nil: Servers are asked.
	Inside *Server

	// Replicas is how many servers have each log: 1, 3 or 5. Default: 3, or 1 if there is one
	// server.
	Replicas int

	// Timeout bounds one request to the engine. After it the request fails, and its outcome is
	// open. A time shorter than an election (up to 10 s) means more tries. Default: 5 s.
	Timeout time.Duration
}

// An Engine is a connection to JetStream.
type Engine struct {
	nc   *nats.Conn
	js   jetstream.JetStream
	opts Options

	ctx   context.Context // ends when the connection is closed
	end   context.CancelCauseFunc
	close sync.Once
}

// ErrNoSecret is the error of Open without a secret if the server wants one.
var ErrNoSecret = errors.New("the server wants a secret")

// Open connects to a server. The client reconnects whenever the connection breaks.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	if o.User == "" {
		o.User = user
	}
	nc, err := connect(o)
	switch {
	case errors.Is(err, nats.ErrAuthorization) && o.Secret == "":
		err = ErrNoSecret
	case errors.Is(err, nats.ErrAuthorization):
		err = errors.New("the server refuses the secret")
	case errors.Is(err, nats.ErrNoServers):
		err = errors.New("nothing answers there: does a node that carries the engine run, and listen at this address?")
	}
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", strings.Join(o.Servers, ", "), err)
	}
	if o.Replicas == 0 {
		o.Replicas = 3
		if nc.ConnectedClusterName() == "" {
			o.Replicas = 1
		}
	}
	if most := nc.MaxPayload(); most < engine.MaxBatch+headroom {
		at := nc.ConnectedAddr()
		nc.Close()
		return nil, fmt.Errorf("the server at %s takes messages of up to %d bytes: set max_payload to 8MB in its configuration", at, most)
	}
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(o.Timeout))
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("connect to %s: %w", strings.Join(o.Servers, ", "), err)
	}
	e := &Engine{nc: nc, js: js, opts: o}
	e.ctx, e.end = context.WithCancelCause(context.WithoutCancel(ctx))
	return e, nil
}

func connect(o Options) (*nats.Conn, error) {
	set := []nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond), nats.ReconnectBufSize(-1),
		nats.Timeout(o.Timeout), nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(2),
	}
	if o.Secret != "" {
		set = append(set, nats.UserInfo(o.User, o.Secret))
	}
	switch {
	case o.Inside != nil: // and nobody can intercept it
		set = append(set, nats.InProcessServer(o.Inside.nats))
	case o.TLS != nil:
		set = append(set, nats.Secure(o.TLS))
	}
	return nats.Connect(strings.Join(o.Servers, ","), set...)
}

// bounded returns a context that ends with ctx, with the connection, and after the timeout.
func (e *Engine) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, e.opts.Timeout)
	stop := context.AfterFunc(e.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// errLost says that there is no connection. A request then fails at once: it is not kept for the
// next connection.
var errLost = errors.New("the connection to the engine is lost, and is tried again")

// errNoLeader is the answer of a server to an append if no server leads the log.
var errNoLeader = errors.New("no server of the engine leads the log: they elect one, or one that has all of the log is away")

// connectionError returns ErrClosed for an error that comes from closing the connection, errLost for
// one that says that there is no connection, and errNoLeader for one that says that no server has the log.
func (e *Engine) connectionError(err error) error {
	switch {
	case err != nil && e.ctx.Err() != nil:
		return engine.ErrClosed
	case errors.Is(err, nats.ErrReconnectBufExceeded):
		return errLost
	case errors.Is(err, jetstream.ErrNoStreamResponse):
		return errNoLeader
	}
	return err
}

// requestError returns the error of a request that was bounded by the timeout and by ctx.
func (e *Engine) requestError(ctx context.Context, err error) error {
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %v", e.opts.Timeout)
	}
	return errors.Join(ctx.Err(), e.connectionError(err))
}

// Log implements engine.Engine. If several processes create a log at once, one log is created.
func (e *Engine) Log(ctx context.Context, name string) (engine.Log, error) {
	if err := engine.CheckName(name); err != nil {
		return nil, err
	}
	ctx, cancel := e.bounded(ctx)
	defer cancel()
	stream, err := e.stream(ctx, jetstream.StreamConfig{
		Name: "crawl-log-" + name, Subjects: []string{subjectOfLog(name)},
		Replicas: e.opts.Replicas, Storage: jetstream.FileStorage,
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew,
		Duplicates: time.Second, DenyDelete: true,
	})
	if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		err = fmt.Errorf("the server at %s has no JetStream: a nats-server needs a jetstream block in its configuration (%w)", e.nc.ConnectedAddr(), err)
	}
	if err := e.connectionError(err); err != nil {
		return nil, fmt.Errorf("open the log %s: %w", name, err)
	}
	return &log{engine: e, stream: stream, subject: subjectOfLog(name), name: name}, nil
}

// stream opens a stream, and makes it if there is none, until ctx ends. Servers that elect may leave
// a request without an answer, and servers that have just started do not know each other yet: then
// it is repeated, and finds what an earlier request made.
func (e *Engine) stream(ctx context.Context, set jetstream.StreamConfig) (jetstream.Stream, error) {
	for {
		try, cancel := context.WithTimeout(ctx, e.opts.Timeout/3)
		s, err := e.js.CreateOrUpdateStream(try, set)
		cancel()
		var refused *jetstream.APIError
		switch {
		case errors.Is(err, context.DeadlineExceeded):
		case errors.As(err, &refused) && refused.ErrorCode == noPeers:
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		default:
			return s, err
		}
		if ctx.Err() != nil {
			return nil, err
		}
	}
}

// noPeers is JetStream's code for fewer servers than a stream is to have replicas.
const noPeers = 10005

func subjectOfLog(name string) string { return "crawl.log." + name }

// Ask implements engine.Engine with a request.
func (e *Engine) Ask(ctx context.Context, subject string, question []byte) ([]byte, error) {
	if err := engine.CheckSubject(subject); err != nil {
		return nil, err
	}
	if len(question) > engine.MaxBatch {
		return nil, fmt.Errorf("a question of %d bytes: %w", len(question), engine.ErrTooLarge)
	}
	bounded, cancel := e.bounded(ctx)
	defer cancel()
	m, err := e.nc.RequestWithContext(bounded, subjectOfQuestions(subject), question)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		err = engine.ErrNobody
	case err != nil:
		err = errors.Join(ctx.Err(), e.connectionError(err))
	case m.Header.Get(failed) != "":
		err = &engine.AnswerError{Text: m.Header.Get(failed)}
	}
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", subject, err)
	}
	return m.Data, nil
}

func subjectOfQuestions(subject string) string { return "crawl.ask." + subject }

// Serve implements engine.Engine. It answers up to 64 questions at once; others wait.
func (e *Engine) Serve(subject string, answer func(context.Context, []byte) ([]byte, error)) (func(), error) {
	if err := engine.CheckSubject(subject); err != nil {
		return nil, err
	}
	var down sync.WaitGroup
	slots := make(chan struct{}, askedAtOnce)
	sub, err := e.nc.QueueSubscribe(subjectOfQuestions(subject), "crawl", func(m *nats.Msg) {
		slots <- struct{}{}
		down.Go(func() { // ends before stop returns
			defer func() { <-slots }()
			b, err := answer(e.ctx, m.Data)
			m.RespondMsg(reply(b, err)) // if the answer is lost, the question comes again
		})
	})
	if err == nil { // the server knows the subscription when this returns
		err = e.nc.FlushTimeout(e.opts.Timeout)
	}
	if err := e.connectionError(err); err != nil {
		return nil, fmt.Errorf("serve %s: %w", subject, err)
	}
	ended := make(chan struct{})
	sub.SetClosedHandler(func(string) { close(ended) })
	return func() {
		if sub.Drain() == nil {
			<-ended
		}
		down.Wait()
	}, nil
}

func reply(b []byte, err error) *nats.Msg {
	if err == nil && len(b) > engine.MaxBatch {
		err = fmt.Errorf("an answer of %d bytes: %w", len(b), engine.ErrTooLarge)
	}
	m := nats.NewMsg("")
	if err == nil {
		m.Data = b
		return m
	}
	text := strings.Join(strings.Fields(err.Error()), " ") // a header is one line
	if text == "" {
		text = "error"
	}
	m.Header.Set(failed, text)
	return m
}

// bucket returns the object store of the blobs, and creates it if there is none.
func (e *Engine) bucket(ctx context.Context) (jetstream.ObjectStore, error) {
	ctx, cancel := e.bounded(ctx)
	defer cancel()
	return e.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
		Bucket: blobs, Replicas: e.opts.Replicas, Storage: jetstream.FileStorage,
	})
}

// Put implements engine.Engine with an object.
func (e *Engine) Put(ctx context.Context, name string, r io.Reader) error {
	if err := engine.CheckName(name); err != nil {
		return err
	}
	b, err := e.bucket(ctx)
	if err == nil {
		_, err = b.Put(ctx, jetstream.ObjectMeta{Name: name}, r)
	}
	if err := e.connectionError(err); err != nil {
		return fmt.Errorf("put %s: %w", name, err)
	}
	return nil
}

// Get implements engine.Engine. The digest of the object is checked at its end.
func (e *Engine) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	if err := engine.CheckName(name); err != nil {
		return nil, err
	}
	b, err := e.bucket(ctx)
	var o jetstream.ObjectResult
	if err == nil {
		o, err = b.Get(ctx, name)
	}
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		err = fs.ErrNotExist
	}
	if err := e.connectionError(err); err != nil {
		return nil, fmt.Errorf("get %s: %w", name, err)
	}
	return o, nil
}

// Delete implements engine.Engine.
func (e *Engine) Delete(ctx context.Context, name string) error {
	if err := engine.CheckName(name); err != nil {
		return err
	}
	b, err := e.bucket(ctx)
	if err == nil {
		err = b.Delete(ctx, name)
	}
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		err = nil
	}
	if err := e.connectionError(err); err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	return nil
}

// Blobs implements engine.Engine.
func (e *Engine) Blobs(ctx context.Context, prefix string) (names []string, err error) {
	b, err := e.bucket(ctx)
	var all []*jetstream.ObjectInfo
	if err == nil {
		all, err = b.List(ctx)
	}
	if errors.Is(err, jetstream.ErrNoObjectsFound) {
		err = nil
	}
	if err := e.connectionError(err); err != nil {
		return nil, fmt.Errorf("list blobs: %w", err)
	}
	for _, o := range all {
		if strings.HasPrefix(o.Name, prefix) {
			names = append(names, o.Name)
		}
	}
	return names, nil
}

// Close implements engine.Engine.
func (e *Engine) Close() error {
	e.close.Do(func() {
		e.end(engine.ErrClosed)
		e.nc.Close()
	})
	return nil
}
