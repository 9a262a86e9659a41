package gatecrawl_test

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
)

// serveInMemory serves until the end of the test without a socket, and returns what connects to
// it at any address: in a bubble of testing/synctest, where a socket would stop the clock.
func serveInMemory(t *testing.T, h http.Handler) (dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	srv := &http.Server{Handler: h}
	var serving sync.WaitGroup
	serving.Go(func() { _ = srv.Serve(l) }) // until Close
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
		serving.Wait()
	})
	return l.dial
}

// pipes is a listener in memory.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (l *pipes) dial(ctx context.Context, network, address string) (net.Conn, error) {
	to, err := net.ResolveTCPAddr(network, address)
	if err != nil {
		return nil, err
	}
	ours, theirs := net.Pipe()
	select {
	case l.conns <- pipeEnd{theirs, to}:
		return pipeEnd{ours, to}, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A pipeEnd has the address that was dialled.
type pipeEnd struct {
	net.Conn
	addr net.Addr
}

func (c pipeEnd) RemoteAddr() net.Addr { return c.addr }
