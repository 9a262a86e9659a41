package node

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// TestAGuardTellsAnErrorOnce: a node whose engine was away for a minute logged the same warning fifty times.
func TestAGuardTellsAnErrorOnce(t *testing.T) {
	var log bytes.Buffer
	g := &guard{n: &node{o: Options{Log: slog.New(slog.NewTextHandler(&log, nil))}}}
	away, other := errors.New("the engine is away"), errors.New("the log is full")
	for _, err := range []error{nil, away, away, away, other, other, nil, nil, other} {
		g.tell(err)
	}
	if n := strings.Count(log.String(), "cannot be moved"); n != 3 {
		t.Errorf("%d warnings, want one for each time that something else is wrong:\n%s", n, &log)
	}
}
