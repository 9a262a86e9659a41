package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/configs"
)

func TestListOnStandardInputIsNotWaitedForAgain(t *testing.T) {
	var said strings.Builder
	j := &job{dir: "x", screen: console.NewScreen(&said), stdin: io.LimitReader(nil, 0)}
	s := configs.Settings{Seeds: []string{"a.txt", "-"}}
	j.forgetStdin(&s)
	if fmt.Sprint(s.Seeds) != "[a.txt]" || !strings.Contains(said.String(), "give them again") {
		t.Errorf("forgetStdin left %v and said %q", s.Seeds, said.String())
	}
}

func TestBadLinesAreShownUpToALimitAndThenCounted(t *testing.T) {
	var said strings.Builder
	f := &seedFaults{say: &said}
	for n := range cli.BadShown + 3 {
		f.tell(fmt.Errorf("list:%d: no URL", n))
	}
	f.end()
	f.end()
	if n := strings.Count(said.String(), "\n"); n != cli.BadShown+1 || !strings.HasSuffix(said.String(), "and 3 more lines that are not URLs\n") {
		t.Errorf("told %d lines:\n%s", n, said.String())
	}
}
