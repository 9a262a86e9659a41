package store

import (
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/purify"
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

var testPage = page.Record{
	URL: "https://a.example/", Status: 200, Verdict: page.VerdictCopy, Class: "partial-layout", Level: 5, Distance: 2, Similarity: .9375,
	Reason: "near", Rule: "r", Location: "l", Depth: 3, Score: 1.25, Attempt: 1,
	Fetched: time.Date(2026, 11, 21, 3, 4, 5, 6000, time.UTC), TookMS: 12, Type: "text/html", Charset: "gbk",
	Bytes: 30_000, Wire: 9_000, Truncated: true, Title: "标题", Lang: "zh", PageType: "article", Relevance: .5,
	Digest: "00112233445566778899aabbccddeeff", SimHash: "0123456789abcdef", BodyTokens: 500, Links: 40, Label: "news",
}

var testVerdict = dedup.Verdict{Of: 4, Level: dedup.LevelNear, Class: dedup.PartialLayout, Distance: 2, Similarity: .9375}

var testSignature = dedup.Signature{
	Bytes: dedup.Digest{1}, Body: dedup.Digest{2}, SimHash: 3, Sketch: [16]byte{15: 4}, Layout: 5, Tokens: 600,
}

func TestRecordsReadBackAsTheyWereWritten(t *testing.T) {
	rec, err := decodeURL(testURLRecord.encode())
	if err != nil || rec != testURLRecord {
		t.Errorf("url record %+v, %v\nwant %+v", rec, err, testURLRecord)
	}
	record, verdict, err := decodePage(encodePage(&testPage, testVerdict))
	if err != nil || !reflect.DeepEqual(record, testPage) || verdict != testVerdict {
		t.Errorf("page record %+v, %+v, %v\nwant %+v", record, verdict, err, testPage)
	}
	sig, err := decodeSignature(encodeSignature(&testSignature))
	if err != nil || sig != testSignature {
		t.Errorf("signature %+v, %v\nwant %+v", sig, err, testSignature)
	}
}

func TestAPageRecordHasAnOptionalEnd(t *testing.T) {
	p := testPage
	p.ETag, p.LastModified, p.ReplacedBy = `W/"x"`, "Fri, 20 Nov 2026 10:00:00 GMT", 77
	p.Render, p.MoreLinks = "done", 90_000
	p.Fields = purify.Fields{{Name: "price", Values: []string{"12 €"}}, {Name: "标签", List: true, Values: []string{"a", "", "b"}}}
	p.FieldsCut = []string{"标签", "none"}
	p.Revisited, p.RevisitStatus, p.Revisit = p.Fetched.Add(time.Hour), 304, "not modified"
	got, verdict, err := decodePage(encodePage(&p, testVerdict))
	if err != nil || !reflect.DeepEqual(got, p) || verdict != testVerdict {
		t.Errorf("page record %+v, %+v, %v\nwant %+v", got, verdict, err, p)
	}
}

// TestARecordCutShortIsAnError cuts everywhere but right before the fields at
// the end: without those it is a record of an older version.
func TestARecordCutShortIsAnError(t *testing.T) {
	oldURL, oldPage := testURLRecord, testPage
	oldURL.label, oldPage.Label = "", ""
	for name, c := range map[string]struct {
		whole  []byte
		old    int // bytes before the fields at the end
		decode func([]byte) error
	}{
		"url":       {testURLRecord.encode(), len(oldURL.encode()), func(b []byte) error { _, err := decodeURL(b); return err }},
		"page":      {encodePage(&testPage, testVerdict), len(encodePage(&oldPage, testVerdict)), func(b []byte) error { _, _, err := decodePage(b); return err }},
		"signature": {encodeSignature(&testSignature), 0, func(b []byte) error { _, err := decodeSignature(b); return err }},
	} {
		for n := range c.whole {
			if c.decode(c.whole[:n]) == nil && (n == 0 || n != c.old) {
				t.Errorf("%s record: %d of %d bytes are read without an error", name, n, len(c.whole))
			}
		}
	}
}

func FuzzRecords(f *testing.F) {
	f.Add(testURLRecord.encode())
	f.Add(encodePage(&testPage, testVerdict))
	f.Add(encodePage(&page.Record{URL: "http://a.test/", Fields: purify.Fields{{Name: "x", Values: []string{"y"}}}, FieldsCut: []string{"x"}}, dedup.Verdict{}))
	f.Add(encodeSignature(&testSignature))
	f.Add((&hostRecord{name: "a.example", queued: 5}).encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if rec, err := decodeURL(b); err == nil {
			if again, err := decodeURL(rec.encode()); err != nil || again.url != rec.url || again.order != rec.order {
				t.Errorf("url record %+v reads back as %+v, %v", rec, again, err)
			}
		}
		if p, v, err := decodePage(b); err == nil {
			if again, _, err := decodePage(encodePage(&p, v)); err != nil || again.URL != p.URL || again.Reason != p.Reason {
				t.Errorf("page record %+v reads back as %+v, %v", p, again, err)
			}
		}
		decodeSignature(b)
		decodeHost(b)
		decodeGroup(b)
	})
}
