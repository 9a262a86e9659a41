package crawl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/configs"
)

func newTestStart(t *testing.T, s configs.Settings, stdin string) (*start, *strings.Builder) {
	t.Helper()
	var said strings.Builder
	st, err := newStart(&s, strings.NewReader(stdin), func(err error) { fmt.Fprintln(&said, err) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	st.start()
	return st, &said
}

func TestSeedsComeInOrderAndBadLinesAreTold(t *testing.T) {
	t.Parallel()
	st, said := newTestStart(t, configs.Settings{URL: []string{"http://localhost/1"}, Seeds: []string{"-"}},
		"nothing here\nhttp://localhost/2\n# rest\nhttp://localhost/3\n")
	var fault error
	var got []string
	for seed, err := range st.seeds(t.Context(), &configs.Settings{AllowLoopback: true}, &fault) {
		if err != nil {
			st.bad(err)
			continue
		}
		got = append(got, seed.URL.Path())
	}
	if want := "[/1 /2 /3]"; fmt.Sprint(got) != want || fault != nil {
		t.Errorf("seeds = %v, fault %v, want %s and none", got, fault, want)
	}
	if want := "standard input:1: "; !strings.HasPrefix(said.String(), want) {
		t.Errorf("told %q, want it to start with %q", said.String(), want)
	}
}

func TestSeedsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	st, _ := newTestStart(t, configs.Settings{Seeds: []string{"-"}}, "http://localhost/1\nhttp://localhost/2\nhttp://localhost/3\n")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var fault error
	n := 0
	for range st.seeds(ctx, &configs.Settings{AllowLoopback: true}, &fault) {
		n++
		cancel()
	}
	if n != 1 || !errors.Is(fault, context.Canceled) {
		t.Errorf("%d seeds after cancel, fault %v, want 1 and %v", n, fault, context.Canceled)
	}
}

func TestASeedOnThisMachineIsAFaultWhereTheFirstIsNot(t *testing.T) {
	t.Parallel()
	st, _ := newTestStart(t, configs.Settings{Seeds: []string{"-"}}, "http://a.example/\nhttp://127.0.0.1/\nhttp://b.example/\n")
	var fault error
	var got []string
	for seed, err := range st.seeds(t.Context(), &configs.Settings{Contact: "me@example.org"}, &fault) {
		if err != nil {
			got = append(got, strings.SplitAfter(err.Error(), ",")[0])
			continue
		}
		got = append(got, seed.URL.String())
	}
	if want := "[http://a.example/ http://127.0.0.1/ is on this machine, http://b.example/]"; fmt.Sprint(got) != want || fault != nil {
		t.Errorf("seeds = %v, fault %v, want %s and none", got, fault, want)
	}
}
