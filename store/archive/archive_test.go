package archive

import (
	"crypto/sha256"
	"testing"

	"gatecrawl.example/gatecrawl/page"
)

// SHA-256 is made of a page's bytes for the gate; another digest would be made only for its record.
func TestARecordHasTheSumThatTheGateWasAskedFor(t *testing.T) {
	body := []byte("hello")
	for _, c := range []struct {
		visit page.Visit
		want  string
	}{
		{page.Visit{Body: body, Sum: sha256.Sum256(body)}, "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"},
		{page.Visit{Body: body}, ""},
	} {
		if got := RecordOf(&c.visit).Draft.Fields.Get("WARC-Payload-Digest"); got != c.want {
			t.Errorf("a record has the digest %q, want %q", got, c.want)
		}
	}
}
