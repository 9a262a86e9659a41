package store

import (
	"math"
	"slices"
	"testing"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/priority"
)

func TestScoresSortAsBytesInReverse(t *testing.T) {
	scores := []float32{float32(math.Inf(-1)), -1e9, -2048.5, -1, -1e-9, 0, 1e-9, 0.5, 1, 12.25, 1e9, float32(math.Inf(1))}
	var keys []string
	for _, s := range scores {
		k := queueKey(weburl.HostKey{1}, s, 7)
		if got := position(positionIn(k)).score(); got != s {
			t.Errorf("score of the position of %v = %v", s, got)
		}
		keys = append(keys, string(k))
	}
	slices.Reverse(keys)
	if !slices.IsSorted(keys) {
		t.Error("a higher score does not come first")
	}
	if a, b := queueKey(weburl.HostKey{1}, 1, 7), queueKey(weburl.HostKey{1}, 1, 8); string(a) >= string(b) {
		t.Error("of equal scores the later discovery comes first")
	}
}

var testURLRecord = urlRecord{
	state: queued, url: "https://例.example/路?q=%20", from: weburl.Key{1, 2, 15: 3}, anchor: "词 word", label: "新闻",
	signals: priority.Signals{Seed: 1.5, Depth: 300, Relevance: .25, Anchor: .5, Degree: 7, Copy: true},
	trail:   frontier.Trail{Calendar: 3, Redirects: 2}, score: -12.5, order: 1 << 40, attempt: 2,
	notTill: 1_700_000_000_000_000_000, seq: 99, refusal: frontier.Refusal{Rule: "depth", Detail: "9 links"},
}

func TestURLRecordsReadBackAsTheyWereWritten(t *testing.T) {
	rec, err := decodeURL(testURLRecord.encode())
	if err != nil || rec != testURLRecord {
		t.Errorf("url record %+v, %v\nwant %+v", rec, err, testURLRecord)
	}
}

// TestAURLRecordCutShortIsAnError cuts everywhere but right before the fields at
// the end: without those it is a record of an older version.
func TestAURLRecordCutShortIsAnError(t *testing.T) {
	old := testURLRecord
	old.label = ""
	whole, fields := testURLRecord.encode(), len(old.encode())
	for n := range whole {
		if _, err := decodeURL(whole[:n]); err == nil && (n == 0 || n != fields) {
			t.Errorf("url record: %d of %d bytes are read without an error", n, len(whole))
		}
	}
}

func FuzzRecords(f *testing.F) {
	f.Add(testURLRecord.encode())
	f.Add((&hostRecord{name: "a.example", queued: 5}).encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if rec, err := decodeURL(b); err == nil {
			if again, err := decodeURL(rec.encode()); err != nil || again.url != rec.url || again.order != rec.order {
				t.Errorf("url record %+v reads back as %+v, %v", rec, again, err)
			}
		}
		decodeHost(b)
	})
}
