package inspect

import (
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl"
)

func TestTheStatusOfAPausedCrawlSaysSo(t *testing.T) {
	for want, s := range map[string]gatecrawl.Status{
		"news, running, 3 pages/s now": {Job: "news", Running: true, NowPerSec: 3},
		"news, paused: crawl resume":   {Job: "news", Running: true, Paused: true, NowPerSec: 3},
		"news, stopped: done":          {Job: "news", Stopped: "done"},
	} {
		var b strings.Builder
		if err := showStatus(&b, s); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%+v is shown without %q:\n%s", s, want, b.String())
		}
	}
}
