package jetstream_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/jetstream"
	"gatecrawl.example/gatecrawl/testserver/await"
)

// TestAServerOfOnesOwnThatDoesNotFitIsToldWhatItLacks: the error names its address and the setting.
func TestAServerOfOnesOwnThatDoesNotFitIsToldWhatItLacks(t *testing.T) {
	start := func(o server.Options) string {
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
	small := start(server.Options{JetStream: true, StoreDir: t.TempDir()})
	_, err := jetstream.Open(t.Context(), jetstream.Options{Servers: []string{small}})
	if err == nil || !strings.Contains(err.Error(), "server at "+small+" takes messages of up to 1048576 bytes: set max_payload") {
		t.Errorf("Open of a server with small messages: %v", err)
	}
	without := start(server.Options{MaxPayload: 8 << 20})
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
