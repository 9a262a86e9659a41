package fetch

import (
	"errors"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// Robots.txt files and their redirects are no URLs of a scope: the wire itself refuses.
func TestNoPortOfAnotherProtocolIsConnectedTo(t *testing.T) {
	for _, allowed := range [][]string{nil, {"1"}} {
		f, err := New(Options{AllowLoopback: true, AllowPorts: allowed})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		u, err := weburl.Parse("http://127.0.0.1:1/")
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Fetch(t.Context(), u)
		fault, ok := errors.AsType[*Error](err)
		if refused := ok && fault.Op == PhaseAddress && strings.Contains(fault.Error(), "port 1 is for tcpmux"); refused != (allowed == nil) {
			t.Errorf("with %v allowed Fetch = %v, want it refused: %v", allowed, err, allowed == nil)
		}
	}
}
