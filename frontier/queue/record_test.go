package queue

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
		k := EntryKey(weburl.HostKey{1}, s, 7)
		if got := position(positionIn(k)).score(); got != s {
			t.Errorf("score of the position of %v = %v", s, got)
		}
		keys = append(keys, string(k))
	}
	slices.Reverse(keys)
	if !slices.IsSorted(keys) {
		t.Error("a higher score does not come first")
	}
	if a, b := EntryKey(weburl.HostKey{1}, 1, 7), EntryKey(weburl.HostKey{1}, 1, 8); string(a) >= string(b) {
		t.Error("of equal scores the later discovery comes first")
	}
}

var testURLRecord = Record{
	State: Queued, URL: "https://例.example/路?q=%20", From: weburl.Key{1, 2, 15: 3}, Anchor: "词 word", Label: "新闻",
	Signals: priority.Signals{Seed: 1.5, Depth: 300, Relevance: .25, Anchor: .5, Degree: 7, Copy: true},
	Trail:   frontier.Trail{Calendar: 3, Redirects: 2}, Score: -12.5, Order: 1 << 40, Attempt: 2,
	NotBefore: 1_700_000_000_000_000_000, Page: 99, Refusal: frontier.Refusal{Rule: "depth", Detail: "9 links"},
}

func TestURLRecordsReadBackAsTheyWereWritten(t *testing.T) {
	rec, err := Decode(testURLRecord.Encode())
	if err != nil || rec != testURLRecord {
		t.Errorf("url record %+v, %v\nwant %+v", rec, err, testURLRecord)
	}
	done := Record{State: Done, URL: "http://a.test/", Page: 7, Rated: .5, Linked: 300}
	done.Signals.Links, done.Signals.Sum, done.Signals.Siblings = 12, 3.5, .25
	for _, doubt := range []uint8{0, 200} {
		done.Signals.Doubt = doubt
		if rec, err := Decode(done.Encode()); err != nil || rec != done {
			t.Errorf("url record %+v, %v\nwant %+v", rec, err, done)
		}
	}
}

// TestAURLRecordCutShortIsAnError cuts everywhere but right before the fields at
// the end: without those it is a record of an older version.
func TestAURLRecordCutShortIsAnError(t *testing.T) {
	old := testURLRecord
	old.Label = ""
	whole, fields := testURLRecord.Encode(), len(old.Encode())
	for n := range whole {
		if _, err := Decode(whole[:n]); err == nil && (n == 0 || n != fields) {
			t.Errorf("url record: %d of %d bytes are read without an error", n, len(whole))
		}
	}
}

func FuzzRecords(f *testing.F) {
	f.Add(testURLRecord.Encode())
	f.Add((&HostRecord{Name: "a.example", Queued: 5}).Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if rec, err := Decode(b); err == nil {
			if again, err := Decode(rec.Encode()); err != nil || again.URL != rec.URL || again.Order != rec.Order {
				t.Errorf("url record %+v reads back as %+v, %v", rec, again, err)
			}
		}
		DecodeHost(b)
	})
}

// What order and topic add to a waiting URL's record is 20 bytes at most: a crawl keeps either cash, or
// what the linking pages say of its topic.
func TestAWaitingURLTakesTwentyBytesMoreAtMost(t *testing.T) {
	plain := Record{State: Queued, URL: "http://example.org/a/b/c.html", Anchor: "words", Score: -2, Order: 1 << 30, Signals: priority.Signals{Depth: 2}}
	cash, topic := plain, plain
	cash.Signals.Cash, cash.CashAt = 1.5, 1<<30
	s := &topic.Signals
	s.Links, s.Sum, s.Siblings, s.Relevance, s.Anchor = 1000, 12.5, .4, .7, .5
	doubted := topic
	doubted.Signals.Links, doubted.Signals.Doubt = 100, 200
	for what, r := range map[string]Record{"cash": cash, "a topic": topic, "a topic in doubt": doubted} {
		if more := len(r.Encode()) - len(plain.Encode()); more < 4 || more > 20 {
			t.Errorf("%s takes %d bytes of a record, want 20 at most", what, more)
		}
	}
}
