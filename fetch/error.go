package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A Phase is the part of a fetch in which it failed. Its text is stable: page
// records and metrics are keyed by it.
type Phase string

// The phases in which a fetch may fail.
const (
	PhaseURL      Phase = "url"             // the URL cannot be requested
	PhaseDNS      Phase = "dns"             // the host has no IP address, or its name server failed
	PhaseAddress  Phase = "refused-address" // the host's address is private or loopback, which is not allowed
	PhaseConnect  Phase = "connect"         // the connection was refused, or there is no route
	PhaseProxy    Phase = "proxy"           // the proxy does not answer, or wants another login; this says nothing about the page
	PhaseTLS      Phase = "tls"             // the certificate is not valid for the host, or the handshake failed
	PhaseHeader   Phase = "header"          // the connection ended before the response headers did
	PhaseProtocol Phase = "protocol"        // the answer is not HTTP, or its headers are too long
	PhaseBody     Phase = "body"            // nothing of the body could be read or decoded
	PhaseTimeout  Phase = "timeout"         // one of the time limits ran out
	PhaseCanceled Phase = "canceled"        // the caller's context ended, or Options.Allowed did not allow it; this says nothing about the page
)

// An Error says why a fetch has no Response.
type Error struct {
	Op    Phase
	URL   weburl.URL
	Retry bool  // whether the same request may succeed later
	Err   error // the cause, in words, without the URL
}

// Error returns the URL and the reason.
func (e *Error) Error() string { return "fetch " + e.URL.String() + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Reason returns what happened without the URL, for a record that has it.
func (e *Error) Reason() string { return e.Err.Error() }

// errTotal is the cause of a request's cancelled context when Options.Timeout has passed.
var errTotal = errors.New("the whole request took too long")

// errBroke is the cause when a kept connection broke before the answer.
var errBroke = errors.New("connection ended before the answer")

// A stallError says how many bytes of a body were received within Options.StallTimeout, which is
// too few.
type stallError int64

func (e stallError) Error() string { return fmt.Sprintf("the body stalled after %d bytes", int64(e)) }

// errBody wraps an error that occurred after the headers.
type errBody struct{ err error }

func (e errBody) Error() string { return "read body: " + e.err.Error() }
func (e errBody) Unwrap() error { return e.err }

// A barredError is what Options.Allowed has answered.
type barredError struct{ err error }

func (e *barredError) Error() string { return e.err.Error() }
func (e *barredError) Unwrap() error { return e.err }

func (o *Options) allowed() error {
	if o.Allowed != nil {
		if err := o.Allowed(); err != nil {
			return &barredError{err}
		}
	}
	return nil
}

// explain converts an error of the transport to an Error. The limits are only for the text.
func (o *Options) explain(ctx context.Context, u weburl.URL, err error) *Error {
	e := &Error{Op: PhaseProtocol, URL: u, Err: err}
	stall, stalled := errors.AsType[stallError](context.Cause(ctx))
	switch cause := context.Cause(ctx); {
	case cause == nil:
	case errors.Is(cause, errTotal):
		return e.is(PhaseTimeout, true, fmt.Errorf("not done within %v", o.Timeout))
	case errors.Is(cause, errBroke):
		return e.is(PhaseHeader, true, cause)
	case stalled && stall == 0:
		return e.is(PhaseTimeout, true, fmt.Errorf("body stalled for %v", o.StallTimeout))
	case stalled:
		return e.is(PhaseTimeout, true, fmt.Errorf("body trickles: %d bytes in %v, want %d at least", stall, o.StallTimeout, o.stallBytes()))
	default:
		return e.is(PhaseCanceled, true, cause)
	}

	if b, ok := errors.AsType[*barredError](err); ok {
		return e.is(PhaseCanceled, true, b.err)
	}
	if r, ok := errors.AsType[*addressError](err); ok {
		return e.is(PhaseAddress, false, r)
	}
	if p, ok := errors.AsType[*portError](err); ok {
		return e.is(PhaseAddress, false, p)
	}
	if p, ok := errors.AsType[*proxyError](err); ok {
		if p.code == http.StatusProxyAuthRequired {
			return e.is(PhaseProxy, false, p)
		}
		return e.is(PhaseConnect, true, p)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "socks connect" {
		// net/http has its own client for SOCKS (RFC 1928 and 1929), whose errors have no types.
		s := op.Err.Error()
		if strings.Contains(s, "authentication") {
			return e.is(PhaseProxy, false, fmt.Errorf("the proxy does not take the login: %s", s))
		}
		return e.is(PhaseConnect, true, fmt.Errorf("the proxy answered: %s", strings.TrimPrefix(s, "unknown error ")))
	}
	if d, ok := errors.AsType[*net.DNSError](err); ok {
		return e.is(PhaseDNS, d.IsTemporary || d.IsTimeout, fmt.Errorf("look up host %s: %s", d.Name, d.Err))
	}
	if p, ok := errors.AsType[*url.Error](err); ok && p.Op == "parse" {
		return e.is(PhaseURL, false, p.Err)
	}
	if b, ok := errors.AsType[errBody](err); ok {
		return e.is(PhaseBody, true, b)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "proxyconnect" {
		return e.is(PhaseProxy, true, fmt.Errorf("connect to the proxy: %w", op.Err))
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		if op.Timeout() {
			return e.is(PhaseTimeout, true, fmt.Errorf("no connection to %s within %v", peer(op), o.ConnectTimeout))
		}
		return e.is(PhaseConnect, true, fmt.Errorf("connect to %s: %w", peer(op), lastCause(op)))
	}
	if isTLS(err) {
		// An invalid certificate stays invalid for days, so another try is useless.
		return e.is(PhaseTLS, false, fmt.Errorf("secure connection: %w", lastCause(err)))
	}
	if t, ok := errors.AsType[net.Error](err); ok && t.Timeout() {
		if strings.Contains(err.Error(), "TLS handshake") {
			return e.is(PhaseTimeout, true, fmt.Errorf("no secure connection within %v", o.ConnectTimeout))
		}
		return e.is(PhaseTimeout, true, fmt.Errorf("no answer within %v", o.HeaderTimeout))
	}
	if isCut(err) {
		return e.is(PhaseHeader, true, fmt.Errorf("connection ended before the answer: %w", lastCause(err)))
	}
	return e.is(PhaseProtocol, false, lastCause(err))
}

func (e *Error) is(op Phase, retry bool, err error) *Error {
	e.Op, e.Retry, e.Err = op, retry, err
	return e
}

// peer returns where a dial was to connect.
func peer(op *net.OpError) string {
	if op.Addr == nil {
		return "the host"
	}
	return op.Addr.String()
}

// isTLS reports whether the secure connection failed, other than by a time-out.
func isTLS(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return true
	}
	// Other failed handshakes are errors without types in crypto/tls and net/http.
	s := err.Error()
	return strings.Contains(s, "tls: ") || strings.Contains(s, "server gave HTTP response to HTTPS client")
}

// isCut reports whether the peer closed the connection. net/http has no type for some cases, for
// example an idle connection that was closed at the moment it was used.
func isCut(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		strings.Contains(err.Error(), "server closed idle connection") ||
		strings.Contains(err.Error(), "GOAWAY") ||
		strings.Contains(err.Error(), "stream error")
}

// lastCause unwraps the layers of *url.Error and *net.OpError, which repeat
// the URL and the IP addresses.
func lastCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		if _, ok := err.(*tls.CertificateVerificationError); ok {
			return inner
		}
		if _, ok := inner.(syscall.Errno); ok {
			return inner
		}
		err = inner
	}
}
