package segment

import (
	"fmt"
	"testing"
)

func TestADictionaryHasTheFirstRecordsOfEachHost(t *testing.T) {
	var samples []sample
	for i := range 20 {
		samples = append(samples, sample{host: []string{"a", "a", "a", "b"}[i%4], bytes: []byte(fmt.Sprint(i, ";"))})
	}
	if got, want := string(pieces(samples)), "0;3;1;7;2;"; got != want {
		t.Errorf("pieces = %q, want %q", got, want)
	}
}
