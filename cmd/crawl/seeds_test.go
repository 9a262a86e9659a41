package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

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
