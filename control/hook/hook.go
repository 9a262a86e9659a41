// Package hook tells a command or a web server what a crawl did: it passes one JSON object on the
// standard input of the command or in the body of a POST. With a secret the body is signed, so that
// the server can check who sent it.
package hook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"time"
)

// SignatureHeader is the header with the signature of the body: "sha256=" and the HMAC-SHA256 of
// the body with the secret, in hexadecimal, like GitHub's X-Hub-Signature-256.
const SignatureHeader = "X-Crawl-Signature"

// Options say which command and which server are told.
type Options struct {
	// URL is where the POST goes. Redirects are not followed. Default "": no POST.
	URL string

	// Secret signs the body of the POST. Default: the body is not signed.
	Secret []byte

	// Command is run by the shell, sh -c. Default "": no command.
	Command string

	// Waits are the times before further tries of the POST, after an answer other than 2xx or none.
	// Default 1 s, 10 s and 1 min.
	Waits []time.Duration

	// Timeout bounds the time of one try, and of the command. Default 30 s.
	Timeout time.Duration

	// Output gets what the command prints. Nil: that is dropped.
	Output io.Writer
}

// Validate returns an error if o is not valid. The error does not contain the secret.
func (o Options) Validate() error {
	if o.URL == "" {
		if len(o.Secret) > 0 {
			return errors.New("a secret signs what is sent to a URL, and there is none")
		}
		return nil
	}
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("want a URL such as https://example.org/hook")
	}
	return nil
}

// Tell passes v on. It returns when the command has ended and the server has answered, or when no
// more tries are left. The error says which of the two failed; of the URL it has only the scheme
// and the host, since the rest may be a secret. Once ctx has ended, Tell finishes what is under
// way, and tries again only if the wait is a second or less.
func Tell(ctx context.Context, o Options, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if o.Waits == nil {
		o.Waits = []time.Duration{time.Second, 10 * time.Second, time.Minute}
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	var faults []error
	if o.Command != "" {
		faults = append(faults, o.run(ctx, body))
	}
	if o.URL != "" {
		faults = append(faults, o.post(ctx, body))
	}
	return errors.Join(faults...)
}

// run runs the command.
func (o Options) run(ctx context.Context, body []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", o.Command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = bytes.NewReader(body), o.Output, o.Output, os.Environ()
	cmd.WaitDelay = time.Second // for processes that the command has started and not waited for
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("not done within %v", o.Timeout)
		}
		return fmt.Errorf("hook command: %w", err)
	}
	return nil
}

// post sends the body until the server accepts it or no tries are left.
func (o Options) post(ctx context.Context, body []byte) (err error) {
	name := "the URL"
	if u, fault := url.Parse(o.URL); fault == nil {
		name = u.Scheme + "://" + u.Host
	}
	for try := 0; ; try++ {
		if err = o.once(context.WithoutCancel(ctx), body); err == nil {
			return nil
		}
		if try == len(o.Waits) || ctx.Err() != nil && o.Waits[try] > time.Second {
			return fmt.Errorf("hook at %s, tried %s: %w", name, times(try+1), err)
		}
		again := time.After(o.Waits[try])
		select {
		case <-again:
		case <-ctx.Done():
			if o.Waits[try] > time.Second {
				return fmt.Errorf("hook at %s, tried %s and stopped: %w", name, times(try+1), err)
			}
			<-again
		}
	}
}

// times returns in words how often something was tried.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// once sends the body once.
func (o Options) once(ctx context.Context, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("not a URL")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "gatecrawl hook")
	if len(o.Secret) > 0 {
		req.Header.Set(SignatureHeader, Sign(o.Secret, body))
	}
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // without the URL
		}
		return err
	}
	defer res.Body.Close()
	io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16)) // so that the connection is closed cleanly
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return fmt.Errorf("it answers %s", res.Status)
	}
	return nil
}

// Sign returns the value of SignatureHeader for a body.
func Sign(secret, body []byte) string {
	m := hmac.New(sha256.New, secret)
	m.Write(body)
	return "sha256=" + hex.EncodeToString(m.Sum(nil))
}
