package jetstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"gatecrawl.example/gatecrawl/cluster/engine"
)

// clusterName is the name that all servers of a cluster have in common.
const clusterName = "gatecrawl"

// user is the only user of a server, for clients and for other servers.
const user = "crawl"

// maxPayload is enough for a batch and what is sent with it.
const maxPayload = 2 * engine.MaxBatch

// ServerOptions are the settings of a server inside the process.
type ServerOptions struct {
	// Name is the name of the server. Each server needs another name, the same each time it starts.
	Name string

	// Dir is the folder for its streams. No other server may use it.
	Dir string

	// Listen is the address for clients, such as 10.0.0.1:4222. Port 0 means any free port.
	Listen string

	// Peers are the addresses of all servers of the cluster for the connections between
	// servers, this one's too: three, or five. Empty: the server is alone.
	Peers []string

	// Line is this server's own address among Peers.
	Line string

	// Secret is needed by clients and other servers to connect. It may be empty if all addresses
	// are of this machine (127.0.0.1, ::1, localhost).
	Secret string

	// TLS encrypts both kinds of connections. It may be nil if Secret may be empty.
	TLS *tls.Config

	// Log gets the server's messages. Default: none.
	Log *slog.Logger
}

// ErrUnsafe is the error of a server that other machines could reach without a secret and TLS.
var ErrUnsafe = errors.New("a secret and TLS are needed")

func (o ServerOptions) validate() error {
	var faults []error
	if err := engine.CheckName(o.Name); err != nil {
		faults = append(faults, fmt.Errorf("the server's name: %w", err))
	}
	if o.Dir == "" {
		faults = append(faults, errors.New("the server needs a folder"))
	}
	found := false
	for _, a := range append([]string{o.Listen}, o.Peers...) {
		found = found || a == o.Line
		local, err := Local(a)
		if err != nil {
			faults = append(faults, err)
		} else if !local && (o.Secret == "" || o.TLS == nil) {
			faults = append(faults, fmt.Errorf("other machines can reach %s: %w", a, ErrUnsafe))
		}
	}
	if len(o.Peers) > 0 && (!found || len(o.Peers) < 3) {
		faults = append(faults, fmt.Errorf("peers %v: want three or more, and %q, the server's own, among them", o.Peers, o.Line))
	}
	return errors.Join(faults...)
}

// Local reports whether an address can be reached only from this machine.
func Local(address string) (bool, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false, fmt.Errorf("address %q: want HOST:PORT", address)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return false, fmt.Errorf("address %q: the port is not a number up to 65535", address)
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback(), nil
}

// A Server is a NATS server with JetStream inside this process.
type Server struct {
	nats *server.Server
}

// Serve starts a server. It does not wait for the other servers: Ready does.
func Serve(o ServerOptions) (*Server, error) {
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	s, err := server.NewServer(o.settings())
	if err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	if o.Log != nil {
		s.SetLogger(logger{o.Log}, false, false)
	}
	s.Start()
	return &Server{nats: s}, nil
}

func (o ServerOptions) settings() *server.Options {
	host, port := split(o.Listen)
	set := &server.Options{
		ServerName: o.Name,
		Host:       host, Port: port,
		NoSigs: true, NoLog: o.Log == nil, DisableJetStreamBanner: true,
		MaxPayload: maxPayload, MaxPending: 16 * maxPayload,
		JetStream: true, StoreDir: o.Dir, SyncAlways: true,
		JetStreamMaxMemory: 256 << 20, JetStreamMaxStore: 1 << 50, // the disk is the limit
	}
	if port == 0 {
		set.Port = server.RANDOM_PORT
	}
	if o.Secret != "" {
		set.Username, set.Password = user, o.Secret
	}
	if o.TLS != nil {
		set.TLSConfig, set.TLSTimeout, set.TLSVerify = o.TLS, 5, o.TLS.ClientCAs != nil
	}
	if len(o.Peers) == 0 {
		return set
	}
	host, port = split(o.Line)
	set.Cluster = server.ClusterOpts{
		Name: clusterName, Host: host, Port: port, NoAdvertise: true,
		Username: set.Username, Password: set.Password, TLSConfig: o.TLS, TLSTimeout: 5,
	}
	for _, p := range o.Peers {
		route := &url.URL{Scheme: "nats", Host: p}
		if o.Secret != "" {
			route.User = url.UserPassword(user, o.Secret)
		}
		set.Routes = append(set.Routes, route)
	}
	return set
}

// split cuts an address that was validated.
func split(address string) (host string, port int) {
	host, number, _ := net.SplitHostPort(address)
	port, _ = strconv.Atoi(number)
	return host, port
}

// Ready returns when the server accepts clients and knows the leader of the cluster.
func (s *Server) Ready(ctx context.Context) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !s.isReady() {
		if !s.nats.Running() {
			return errors.New("the engine has stopped: its log says why")
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the engine is not ready: most of its servers have to run and to reach each other: %w", ctx.Err())
		case <-tick.C:
		}
	}
	return nil
}

func (s *Server) isReady() bool {
	if s.nats.Addr() == nil || !s.nats.JetStreamEnabled() {
		return false
	}
	return !s.nats.JetStreamIsClustered() || s.nats.JetStreamIsCurrent()
}

// Addr is the address for clients. It is empty until the server accepts them.
func (s *Server) Addr() string {
	if a := s.nats.Addr(); a != nil {
		return a.String()
	}
	return ""
}

// Traffic returns how many messages the server has received from clients, and the bytes in both
// directions.
func (s *Server) Traffic() (messages, bytes int64) {
	v, err := s.nats.Varz(nil)
	if err != nil {
		return 0, 0 // there is no traffic yet
	}
	return v.InMsgs, v.InBytes + v.OutBytes
}

// Close stops the server. It returns when the server has stopped.
func (s *Server) Close() {
	s.nats.Shutdown()
	s.nats.WaitForShutdown()
}

// A logger passes on the server's messages.
type logger struct{ log *slog.Logger }

func (l logger) Noticef(format string, v ...any) { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l logger) Warnf(format string, v ...any) {
	if !strings.HasPrefix(format, "Plaintext passwords") { // the secret is only in memory
		l.log.Warn(fmt.Sprintf(format, v...))
	}
}
func (l logger) Errorf(format string, v ...any) { l.log.Error(fmt.Sprintf(format, v...)) }
func (l logger) Fatalf(format string, v ...any) { l.log.Error(fmt.Sprintf(format, v...)) }
func (l logger) Debugf(format string, v ...any) {}
func (l logger) Tracef(format string, v ...any) {}
