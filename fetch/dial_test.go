package fetch

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
)

// A program's own way to sites is taken, and for addresses that may not be asked it is not.
func TestADialIsAskedForAllowedAddressesAlone(t *testing.T) {
	var dialled []string
	f, err := New(Options{AllowLoopback: true, Dial: func(_ context.Context, network, address string) (net.Conn, error) {
		dialled = append(dialled, network+" "+address)
		ours, theirs := net.Pipe()
		go func() { // ends with its answer
			defer theirs.Close()
			if _, err := http.ReadRequest(bufio.NewReader(theirs)); err == nil {
				io.WriteString(theirs, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
			}
		}()
		return ours, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if r, err := f.Fetch(t.Context(), mustParse(t, "http://127.0.0.1:8080/")); err != nil || string(r.Body) != "hi" {
		t.Errorf("Fetch: %+v, %v; want what the pipe sent", r, err)
	}
	if _, err := f.Fetch(t.Context(), mustParse(t, "http://10.0.0.1/")); !errors.As(err, new(*addressError)) {
		t.Errorf("Fetch of a private address: %v, want it refused", err)
	}
	if len(dialled) != 1 || dialled[0] != "tcp 127.0.0.1:8080" {
		t.Errorf("dialled %q, want the allowed address alone", dialled)
	}
}
