package cli

import (
	"fmt"
	"strings"
	"testing"
)

func TestBadLinesAreShownUpToALimitAndThenCounted(t *testing.T) {
	var said strings.Builder
	f := &Faults{To: &said, One: "more line that is not a URL", More: "more lines that are not URLs"}
	for n := range BadShown + 3 {
		f.Tell(fmt.Errorf("list:%d: no URL", n))
	}
	f.End()
	f.End()
	if n := strings.Count(said.String(), "\n"); n != BadShown+1 || !strings.HasSuffix(said.String(), "and 3 more lines that are not URLs\n") {
		t.Errorf("told %d lines:\n%s", n, said.String())
	}
}
