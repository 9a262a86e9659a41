package jetstream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/engine/enginetest"
	"gatecrawl.example/gatecrawl/cluster/jetstream"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// freeAddresses returns addresses of this machine that nobody listens on.
func freeAddresses(t testing.TB, n int) (all []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		all = append(all, l.Addr().String())
	}
	return all
}

// A cluster is some servers in this process.
type cluster struct {
	servers   []*jetstream.Server
	dirs      []string
	addresses []string
}

// startServers returns when the servers are ready.
func startServers(t testing.TB, n int) *cluster {
	t.Helper()
	var peers []string
	if n > 1 {
		peers = freeAddresses(t, n)
	}
	c := &cluster{}
	for i := range n {
		o := jetstream.ServerOptions{Name: fmt.Sprintf("node-%d", i), Dir: t.TempDir(), Listen: "127.0.0.1:0", Peers: peers}
		if n > 1 {
			o.Line = peers[i]
		}
		s, err := jetstream.Serve(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		c.servers, c.dirs = append(c.servers, s), append(c.dirs, o.Dir)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, s := range c.servers {
		if err := s.Ready(ctx); err != nil {
			t.Fatal(err)
		}
		c.addresses = append(c.addresses, s.Addr())
	}
	return c
}

func (c *cluster) traffic(b *testing.B) (messages, bytes int64) {
	for _, s := range c.servers {
		m, n, err := s.Sent()
		if err != nil {
			b.Fatal(err)
		}
		messages, bytes = messages+m, bytes+n
	}
	return messages, bytes
}

func (c *cluster) size(b *testing.B) (n int64) {
	for _, d := range c.dirs {
		n += size(b, d)
	}
	return n
}

func connect(t testing.TB, servers []string, replicas int) *jetstream.Engine {
	t.Helper()
	// Three servers that make 64 logs at once on a busy machine may take more than the default.
	e, err := jetstream.Open(t.Context(), jetstream.Options{Servers: servers, Replicas: replicas, Timeout: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestOneServerKeepsTheContract(t *testing.T) {
	servers := startServers(t, 1).addresses
	enginetest.Run(t, enginetest.Engine{
		Logs:    8,
		Connect: func(t *testing.T) engine.Engine { return connect(t, servers, 1) },
	})
}

func TestThreeServersKeepTheContract(t *testing.T) {
	slow.Test(t, "writes 64 logs on three servers")
	servers := startServers(t, 3).addresses
	enginetest.Run(t, enginetest.Engine{
		Connect: func(t *testing.T) engine.Engine { return connect(t, servers, 3) },
	})
}

func TestAServerRefusesOtherMachinesWithoutASecret(t *testing.T) {
	lines := []string{"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"}
	for want, o := range map[string]jetstream.ServerOptions{
		"other machines can reach 10.0.0.1:4222": {Name: "a", Dir: "d", Listen: "10.0.0.1:4222"},
		"other machines can reach :4222":         {Name: "a", Dir: "d", Listen: ":4222", Secret: "s"},
		"other machines can reach 10.0.0.9:1":    {Name: "a", Dir: "d", Listen: "127.0.0.1:0", Line: lines[0], Peers: append(lines, "10.0.0.9:1")},
		"among them":                             {Name: "a", Dir: "d", Listen: "127.0.0.1:0", Line: "127.0.0.1:9", Peers: lines},
		"three or more":                          {Name: "a", Dir: "d", Listen: "127.0.0.1:0", Line: lines[0], Peers: lines[:1]},
		"want HOST:PORT":                         {Name: "a", Dir: "d", Listen: "127.0.0.1"},
		"up to 65535":                            {Name: "a", Dir: "d", Listen: "127.0.0.1:x"},
		"needs a folder":                         {Name: "a", Listen: "127.0.0.1:0"},
		"the server's name":                      {Name: "a b", Dir: "d", Listen: "127.0.0.1:0"},
	} {
		s, err := jetstream.Serve(o)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Serve(%+v) = %v, want %q", o, err, want)
		}
	}
}

func TestASecretIsAskedFor(t *testing.T) {
	s, err := jetstream.Serve(jetstream.ServerOptions{Name: "a", Dir: t.TempDir(), Listen: "127.0.0.1:0", Secret: "right"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	for secret, want := range map[string]bool{"": false, "wrong": false, "right": true} {
		e, err := jetstream.Open(t.Context(), jetstream.Options{Servers: []string{s.Addr()}, Replicas: 1, Secret: secret})
		if (err == nil) != want {
			t.Errorf("Open with the secret %q = %v", secret, err)
		}
		if err == nil {
			e.Close()
		}
	}
}

// What was appended is there after the server was started again on the same folder.
func TestALogOutlivesItsServer(t *testing.T) {
	dir := t.TempDir()
	for life := range uint64(3) {
		s, err := jetstream.Serve(jetstream.ServerOptions{Name: "a", Dir: dir, Listen: "127.0.0.1:0"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := s.Ready(ctx); err != nil {
			t.Fatal(err)
		}
		e := connect(t, []string{s.Addr()}, 1)
		l, err := e.Log(ctx, "part-0")
		if err != nil {
			t.Fatal(err)
		}
		seq, last, err := l.Last(ctx)
		if seq != life || last.Epoch != life || err != nil {
			t.Errorf("life %d: Last = %d, %+v, %v", life, seq, last, err)
		}
		if _, err := l.Append(ctx, life, engine.Entry{Epoch: life + 1}); err != nil {
			t.Fatal(err)
		}
		e.Close()
		s.Close()
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(jetstream.Encode(engine.Entry{Epoch: 300, Owner: "node-1", Batch: []byte("batch")}))
	f.Add([]byte{1, 0, 9, 'a'})
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := jetstream.Decode(b)
		if err != nil {
			return
		}
		again, err := jetstream.Decode(jetstream.Encode(e))
		if err != nil || again.Epoch != e.Epoch || again.Owner != e.Owner || !bytes.Equal(again.Batch, e.Batch) {
			t.Errorf("%+v came back as %+v, %v", e, again, err)
		}
	})
}

func TestAServerOfThisProcessIsAskedWithoutTheNetwork(t *testing.T) {
	server, err := jetstream.Serve(jetstream.ServerOptions{Name: "alone", Dir: t.TempDir(), Listen: "127.0.0.1:0", Secret: "0123456789abcdef"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	if err := server.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	nowhere := freeAddresses(t, 1)
	e, err := jetstream.Open(t.Context(), jetstream.Options{Servers: nowhere, Secret: "0123456789abcdef", Inside: server})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	l, err := e.Log(t.Context(), "part-0")
	if err != nil {
		t.Fatal(err)
	}
	if seq, err := l.Append(t.Context(), 0, engine.Entry{Epoch: 1, Owner: "a"}); seq != 1 || err != nil {
		t.Errorf("Append = %d, %v; want 1", seq, err)
	}
}

// Nodes and commands read the cluster's log often.
func TestFollowingALogTakesLittleMemory(t *testing.T) {
	l, err := connect(t, startServers(t, 1).addresses, 1).Log(t.Context(), "part-0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), 0, engine.Entry{Epoch: 1, Owner: "a"}); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	enough := errors.New("it was read")
	if err := l.Follow(t.Context(), 0, func(uint64, engine.Entry) error { return enough }); !errors.Is(err, enough) {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
		t.Errorf("one entry takes %d bytes to be read; want 4 MB at most", took)
	}
}

func TestASlowFollowerLosesNoEntryOnTheWay(t *testing.T) {
	slow.Test(t, "follows 1,500 entries for some seconds")
	e := connect(t, startServers(t, 1).addresses, 1)
	l, err := e.Log(t.Context(), "part-0")
	if err != nil {
		t.Fatal(err)
	}
	const n = 1500
	for i := range uint64(n) {
		if _, err := l.Append(t.Context(), i, engine.Entry{Epoch: 1, Owner: "a", Batch: make([]byte, 3000)}); err != nil {
			t.Fatal(err)
		}
	}
	enough := errors.New("all were read")
	err = l.Follow(t.Context(), 0, func(seq uint64, _ engine.Entry) error {
		if seq == n {
			return enough
		}
		time.Sleep(2 * time.Millisecond) // slower than the engine sends
		return nil
	})
	if !errors.Is(err, enough) {
		t.Error(err)
	}
	if err := e.LastError(); err != nil {
		t.Errorf("the connection says: %v", err)
	}
}
