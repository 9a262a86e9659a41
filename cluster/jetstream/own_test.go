package jetstream_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/jetstream"
	"gatecrawl.example/gatecrawl/testserver/await"
)

// start starts a server that is not set up by the package, and returns its address.
func start(t *testing.T, o server.Options) string {
	t.Helper()
	o.Host, o.Port, o.NoSigs, o.NoLog = "127.0.0.1", server.RANDOM_PORT, true, true
	s, err := server.NewServer(&o)
	if err != nil {
		t.Fatal(err)
	}
	go s.Start() // ends with Shutdown
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	return s.Addr().String()
}

func TestAnAppendThatNoServerTakesSaysWhy(t *testing.T) {
	address := start(t, server.Options{MaxPayload: 8 << 20, JetStream: true, StoreDir: t.TempDir()})
	e, err := jetstream.Open(t.Context(), jetstream.Options{Servers: []string{address}, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	log, err := e.Log(t.Context(), "crawl")
	if err != nil {
		t.Fatal(err)
	}
	api, err := nats.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	if _, err := api.Request("$JS.API.STREAM.DELETE.crawl-log-crawl", nil, 10*time.Second); err != nil { // as if no server led it
		t.Fatal(err)
	}
	appends := func(want string) {
		t.Helper()
		if _, err := log.Append(t.Context(), 0, engine.Entry{Epoch: 1, Owner: "a"}); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("Append = %v, want %s", err, want)
		}
	}
	appends("append entry 1 to crawl: no server of the engine leads the log: they elect one, or one that has all of the log is away")
	if _, err := api.Subscribe("crawl.log.crawl", func(*nats.Msg) {}); err != nil { // whoever leads it does not answer
		t.Fatal(err)
	}
	if err := api.Flush(); err != nil {
		t.Fatal(err)
	}
	appends("append entry 1 to crawl: no answer within 1s")
}

// TestARequestForALogIsRepeated has a server that leaves the first request without an answer, as one
// that elects may, and refuses the second, as one does that does not know the others yet.
func TestARequestForALogIsRepeated(t *testing.T) {
	address := start(t, server.Options{MaxPayload: 8 << 20})
	api, err := nats.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	var asked atomic.Int32
	_, err = api.Subscribe("$JS.API.STREAM.UPDATE.crawl-log-crawl", func(m *nats.Msg) {
		switch asked.Add(1) {
		case 1:
		case 2:
			m.Respond([]byte(`{"error": {"code": 400, "err_code": 10005, "description": "no suitable peers for placement"}}`))
		default:
			m.Respond([]byte(`{"config": {"name": "crawl-log-crawl"}}`))
		}
	})
	if err = errors.Join(err, api.Flush()); err != nil {
		t.Fatal(err)
	}
	e, err := jetstream.Open(t.Context(), jetstream.Options{Servers: []string{address}, Timeout: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Log(t.Context(), "crawl"); err != nil {
		t.Errorf("Log after %d requests: %v", asked.Load(), err)
	}
}

// TestAServerOfOnesOwnThatDoesNotFitIsToldWhatItLacks: the error names its address and the setting.
func TestAServerOfOnesOwnThatDoesNotFitIsToldWhatItLacks(t *testing.T) {
	small := start(t, server.Options{JetStream: true, StoreDir: t.TempDir()})
	_, err := jetstream.Open(t.Context(), jetstream.Options{Servers: []string{small}})
	if err == nil || !strings.Contains(err.Error(), "server at "+small+" takes messages of up to 1048576 bytes: set max_payload") {
		t.Errorf("Open of a server with small messages: %v", err)
	}
	without := start(t, server.Options{MaxPayload: 8 << 20})
	e, err := jetstream.Open(t.Context(), jetstream.Options{Servers: []string{without}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Log(t.Context(), "crawl"); err == nil || !strings.Contains(err.Error(), "the server at "+without+" has no JetStream") {
		t.Errorf("Log of a server without JetStream: %v", err)
	}
}

// TestALostConnectionIsSaidInWords: not by the client's buffer that is full at once.
func TestALostConnectionIsSaidInWords(t *testing.T) {
	c := startServers(t, 1)
	e, err := jetstream.Open(t.Context(), jetstream.Options{Servers: c.addresses, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var l engine.Log
	await.Until(t, 20*time.Second, func() (err error) { // a busy machine may need more than a second
		l, err = e.Log(t.Context(), "crawl")
		return err
	})
	c.servers[0].Close()
	await.Until(t, 20*time.Second, func() error {
		if _, _, err := l.Last(t.Context()); err == nil || !strings.Contains(err.Error(), "is lost, and is tried again") {
			return fmt.Errorf("Last without a server: %v", err)
		}
		return nil
	})
}
