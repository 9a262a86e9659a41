package rpc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cluster/engine/mem"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// serveMuch serves a method with an answer of several pieces.
func serveMuch(t *testing.T, net *mem.Net, values int) (*Server, Asker) {
	t.Helper()
	d := NewServer(t.Context(), map[string]Method{
		"much": Many(func(_ context.Context, n int, each func(string) error) error {
			for range n {
				if err := each(strings.Repeat("x", pieceBytes/2)); err != nil {
					return err
				}
			}
			return nil
		}),
	}, nil)
	stop, err := net.Join("server").Serve("much", d.Answer)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return d, Asker{Engine: net.Join("reader"), Subject: "much"}
}

func TestASlowReaderGetsTheWholeAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := mem.NewNet(mem.Options{})
		defer net.Close()
		_, from := serveMuch(t, net, 9)
		n := 0
		err := AskEach(t.Context(), from, "much", 9, func(string) error {
			n++
			time.Sleep(3 * pieceStays)
			return nil
		})
		if err != nil || n != 9 {
			t.Errorf("%d of 9 values, %v", n, err)
		}
	})
}

func TestWhatIsNotKnownIsNamed(t *testing.T) {
	net := mem.NewNet(mem.Options{})
	defer net.Close()
	const words = "https://a.example/: not known to this job"
	unknown := fmt.Errorf("https://a.example/: %w", gatecrawl.ErrUnknown)
	d := NewServer(t.Context(), map[string]Method{
		"whole": One(func(context.Context, int) (int, error) { return 0, unknown }),
	}, map[string]Quick{
		"quick": func(context.Context, []byte, *row.Encoder) error { return unknown },
	})
	stop, err := net.Join("server").Serve("what", d.Answer)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	from := Asker{Engine: net.Join("reader"), Subject: "what"}
	if _, err := Ask[int](t.Context(), from, "whole", 1); !errors.Is(err, gatecrawl.ErrUnknown) || err.Error() != words {
		t.Errorf("Ask = %v; want %s", err, words)
	}
	if _, err := AskQuick(from, "quick", nil); !errors.Is(err, gatecrawl.ErrUnknown) || err.Error() != words {
		t.Errorf("AskQuick = %v; want %s", err, words)
	}
}

func TestWhatAReaderLeftBehindIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := mem.NewNet(mem.Options{})
		defer net.Close()
		d, from := serveMuch(t, net, 9)
		kept := func() int {
			d.mu.Lock()
			defer d.mu.Unlock()
			return len(d.rests)
		}
		ctx, gone := context.WithCancel(t.Context())
		if _, _, err := from.open(ctx, "much", 9); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * pieceStays)
		if kept() != 1 {
			t.Error("the rest of an answer is forgotten while its reader waits")
		}
		gone()
		time.Sleep(2 * pieceStays)
		if kept() != 0 {
			t.Error("the rest of an answer is kept for a reader that is gone")
		}
	})
}
