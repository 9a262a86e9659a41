package page

import (
	"reflect"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/purify"
)

var testPage = Record{
	URL: "https://a.example/", Status: 200, Verdict: VerdictCopy, Class: "partial-layout", Level: 5, Distance: 2, Similarity: .9375,
	Reason: "near", Rule: "r", Location: "l", Depth: 3, Score: 1.25, Attempt: 1,
	Fetched: time.Date(2026, 11, 21, 3, 4, 5, 6000, time.UTC), TookMS: 12, Type: "text/html", Charset: "gbk",
	Bytes: 30_000, Wire: 9_000, Truncated: true, Title: "标题", Lang: "zh", PageType: "article", Category: []string{"science", "animals"}, Relevance: .5,
	Digest: "00112233445566778899aabbccddeeff", SimHash: "0123456789abcdef", BodyTokens: 500, Links: 40, Label: "news",
}

var testVerdict = dedup.Verdict{Of: 4, Level: dedup.LevelNear, Class: dedup.PartialLayout, Distance: 2, Similarity: .9375}

var testSignature = dedup.Signature{
	Bytes: dedup.Digest{1}, Body: dedup.Digest{2}, SimHash: 3, Sketch: [16]byte{15: 4}, Layout: 5, Tokens: 600,
}

func TestATitleIsReadAsWithAllOfItsRecord(t *testing.T) {
	title, document, verdict, err := titleIn(EncodeRecord(&testPage, testVerdict))
	if title != testPage.Title || title == "" || document != testPage.Document() || verdict != testVerdict || err != nil {
		t.Errorf("titleIn = %q, %t, %+v, %v, want %q, %t, %+v", title, document, verdict, err, testPage.Title, testPage.Document(), testVerdict)
	}
	if _, _, _, err := titleIn(EncodeRecord(&testPage, testVerdict)[:40]); err == nil {
		t.Error("a record that is cut short has a title")
	}
}

func TestRecordsReadBackAsTheyWereWritten(t *testing.T) {
	record, verdict, err := DecodeRecord(EncodeRecord(&testPage, testVerdict))
	if err != nil || !reflect.DeepEqual(record, testPage) || verdict != testVerdict {
		t.Errorf("page record %+v, %+v, %v\nwant %+v", record, verdict, err, testPage)
	}
	sig, err := DecodeSignature(EncodeSignature(&testSignature))
	if err != nil || sig != testSignature {
		t.Errorf("signature %+v, %v\nwant %+v", sig, err, testSignature)
	}
}

func TestAPageRecordHasAnOptionalEnd(t *testing.T) {
	p := testPage
	p.ETag, p.LastModified, p.ReplacedBy = `W/"x"`, "Fri, 20 Nov 2026 10:00:00 GMT", 77
	p.Render, p.MoreLinks, p.TextError = "done", 90_000, "it is encrypted"
	p.Fields = purify.Fields{{Name: "price", Values: []string{"12 €"}}, {Name: "标签", List: true, Values: []string{"a", "", "b"}}}
	p.FieldsCut = []string{"标签", "none"}
	p.Revisited, p.RevisitStatus, p.Revisit = p.Fetched.Add(time.Hour), 301, "redirects to http://b.example/"
	p.RevisitRule, p.RevisitTo, p.Failure = "redirect", "http://b.example/", "http 500"
	p.Body, p.Hostless, p.Lines, p.Layout, p.Early, p.Says, p.Compared = 1<<63, 1<<62, 1<<61, 1<<60, true, true, 300
	got, verdict, err := DecodeRecord(EncodeRecord(&p, testVerdict))
	if err != nil || !reflect.DeepEqual(got, p) || verdict != testVerdict {
		t.Errorf("page record %+v, %+v, %v\nwant %+v", got, verdict, err, p)
	}
}

// TestARecordCutShortIsAnError cuts everywhere but right before the fields at
// the end: without those it is a record of an older version.
func TestARecordCutShortIsAnError(t *testing.T) {
	cut := testPage
	cut.Category = nil // one field at the end is enough
	old := cut
	old.Label = ""
	for name, c := range map[string]struct {
		whole  []byte
		old    int // bytes before the fields at the end
		decode func([]byte) error
	}{
		"page":      {EncodeRecord(&cut, testVerdict), len(EncodeRecord(&old, testVerdict)), func(b []byte) error { _, _, err := DecodeRecord(b); return err }},
		"signature": {EncodeSignature(&testSignature), 0, func(b []byte) error { _, err := DecodeSignature(b); return err }},
	} {
		for n := range c.whole {
			if c.decode(c.whole[:n]) == nil && (n == 0 || n != c.old) {
				t.Errorf("%s record: %d of %d bytes are read without an error", name, n, len(c.whole))
			}
		}
	}
}

func FuzzRecords(f *testing.F) {
	f.Add(EncodeRecord(&testPage, testVerdict))
	f.Add(EncodeRecord(&Record{URL: "http://a.test/", Fields: purify.Fields{{Name: "x", Values: []string{"y"}}}, FieldsCut: []string{"x"}}, dedup.Verdict{}))
	f.Add(EncodeSignature(&testSignature))
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, v, err := DecodeRecord(b); err == nil {
			if again, _, err := DecodeRecord(EncodeRecord(&p, v)); err != nil || again.URL != p.URL || again.Reason != p.Reason {
				t.Errorf("page record %+v reads back as %+v, %v", p, again, err)
			}
		}
		DecodeSignature(b)
	})
}
