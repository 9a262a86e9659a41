package store

import (
	"testing"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror/dust"
)

// A rule may be revoked after it has decided to leave a URL out. The URL is postponed then, and when its turn comes again it is fetched,
// whatever the rule says: without an end to that the crawl has none.
func TestAURLThatARevokedRuleDecidesAboutIsPostponedOnce(t *testing.T) {
	t.Parallel()
	s := openOptions(t, t.TempDir(), testOptions())
	u, err := weburl.Parse("https://site.example//index.html")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(t.Context(), []frontier.Candidate{{URL: u}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []byte{queue.Postponed, queue.Postponed | queue.Trial} {
		l, err := s.leaseURL(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		held, err := s.queue.Hold(l, queue.Answer{})
		if err != nil {
			t.Fatal(err)
		}
		err = s.write(func(t *txn) error { return t.leaveOut(held, dust.Decision{Tier: dust.Skip}) })
		if err != nil {
			t.Fatal(err)
		}
		err = s.look(func(in snapshot) error {
			rec, _, err := in.URL(u.Key())
			if err == nil && rec.Flags != want {
				t.Errorf("flags %b, want %b", rec.Flags, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
