package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestLinesKeepTheirOrder(t *testing.T) {
	var in strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&in, "%d\n", i)
	}
	next := 0
	err := inOrder(numbered(strings.NewReader(in.String())), func(b []byte) ([]byte, error) {
		return bytes.Clone(b), nil
	}, func(n int, out []byte, err error) error {
		if want := fmt.Sprint(next); n != next+1 || string(out) != want || err != nil {
			t.Fatalf("emit(%d, %q, %v), want line %d, %q", n, out, err, next+1, want)
		}
		next++
		return nil
	})
	if err != nil || next != 1000 {
		t.Errorf("inOrder = %v after %d lines, want nil after 1000", err, next)
	}
}

func TestBrokenOutputEndsTheWork(t *testing.T) {
	broken := errors.New("broken pipe")
	input := strings.NewReader(strings.Repeat("x\n", 10_000))
	emitted := 0
	err := inOrder(numbered(input), func(b []byte) ([]byte, error) { return b, nil }, func(int, []byte, error) error {
		emitted++
		return broken
	})
	if !errors.Is(err, broken) || emitted != 1 {
		t.Errorf("inOrder = %v after %d lines, want %v after 1", err, emitted, broken)
	}
}

func TestLineThatIsTooLongIsNamed(t *testing.T) {
	input := strings.NewReader("x\n" + strings.Repeat("y", maxLine+1))
	err := inOrder(numbered(input), func(b []byte) ([]byte, error) { return b, nil }, func(int, []byte, error) error { return nil })
	if err == nil || !strings.HasPrefix(err.Error(), "line 2 is longer than 64 MiB") {
		t.Errorf("inOrder = %v, want line 2 named", err)
	}
}

// BenchmarkViewLines1000Pages reports what crawl view --jsonl does in a second.
func BenchmarkViewLines1000Pages(b *testing.B) {
	var in bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&in, "{\"url\":\"http://example.org/%d\",\"html\":\"<html><body><article><h1>Title</h1><p>%s</p></article></body></html>\"}\n", i, words(uint64(i), 500))
	}
	b.SetBytes(int64(in.Len()))
	view := func(line []byte) ([]byte, error) { return viewLine(line, nil) }
	for b.Loop() {
		err := inOrder(numbered(bytes.NewReader(in.Bytes())), view, func(_ int, _ []byte, err error) error { return err })
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "pages/s")
}
