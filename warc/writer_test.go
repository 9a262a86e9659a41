package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/warc/internal/peer"
)

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	header := http.Header{"Content-Type": {"text/html"}, "Content-Encoding": {"gzip"}, "Set-Cookie": {"a=b", "c=d\r\ne"}, "Content-Length": {"9"}}
	page := ResponseDraft("http://example.org/a", day, 200, header, []byte("a body"))
	page.Fields = Fields{{"WARC-IP-Address", "192.0.2.1"}}
	ds := []Draft{
		InfoDraft(day, Fields{{"software", "test"}, {"format", "WARC file version 1.1"}}),
		{Type: Request, URL: "http://example.org/a", Date: day, Kind: "application/http; msgtype=request", Content: []byte("GET /a HTTP/1.1\r\nHost: example.org\r\n\r\n")},
		page,
		{Type: Metadata, URL: "http://example.org/a", Date: day, Kind: "application/warc-fields", Content: []byte("via: http://example.org/\r\n")},
		{Type: Resource, URL: "file:///a", Date: day, Kind: "text/plain", Content: nil},
		{Type: Conversion, URL: "http://example.org/a", Date: day, Kind: "text/plain", Content: []byte("a body")},
		RevisitDraft(page, DigestOf([]byte("a body")), "http://example.org/a", day),
	}
	for _, compressed := range []Compression{"", Gzip, Zstd} {
		file, _ := written(t, compressed, ds)
		if got, damage := read(t, bytes.NewReader(file)); !slices.Equal(got, lines(ds)) || damage != nil {
			t.Errorf("compressed by %q: read %v, damage %v", compressed, got, damage)
		}
	}
	p, err := payloadOf(t, page, 1<<20)
	if err != nil || string(p.Body) != "a body" || !slices.Equal(p.Header["Set-Cookie"], []string{"a=b", "c=d  e"}) || p.Header.Get("Content-Length") != "6" {
		t.Errorf("payload is %q, header %v, %v", p.Body, p.Header, err)
	}
}

func TestARecordHasItsDigests(t *testing.T) {
	page := ResponseDraft("http://example.org/", day, 200, nil, []byte("a body"))
	w, err := NewReader(bytes.NewReader(plainText(t, []Draft{page, RevisitDraft(page, "sha1:X", "http://example.org/", day)})), "f", DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Fields{
		{{"WARC-Payload-Digest", "sha1:NAXLIORC6OMAROCBLUZSVGMEV4ZSJKGS"}, {"WARC-Block-Digest", DigestOf(page.Content)}},
		{{"WARC-Payload-Digest", "sha1:X"}, {"WARC-Profile", ProfileIdentical}, {"WARC-Refers-To-Date", "2026-03-04T05:06:07Z"}},
	} {
		rec, err := w.Next()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range want {
			if got := rec.Fields.Get(strings.ToUpper(f.Name)); got != f.Value {
				t.Errorf("record %d: %s is %q, want %q", i, f.Name, got, f.Value)
			}
		}
	}
}

func TestWhatWouldBeReadOtherwiseIsNotWritten(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, Gzip, 0)
	for name, d := range map[string]Draft{
		"no type":            {Date: day},
		"no date":            {Type: Resource},
		"a line end in URL":  {Type: Resource, Date: day, URL: "http://example.org/\r\nWARC-Type: x"},
		"a colon in a name":  {Type: Resource, Date: day, Fields: Fields{{"a:b", "c"}}},
		"a line end in type": {Type: "a\nb", Date: day},
	} {
		if _, _, err := w.Write(d); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	if b.Len() > 0 {
		t.Errorf("%d bytes were written", b.Len())
	}
}

// A failing writer takes so many writes.
type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errors.New("full")
	}
	return len(p), nil
}

func TestAfterAFailedWriteNothingIsWritten(t *testing.T) {
	w := NewWriter(&failing{1}, Gzip, 100)
	at, length, err := w.Write(drafts(0)[0])
	if err != nil || at != 100 || length == 0 {
		t.Fatalf("Write is %d, %d, %v; want offset 100", at, length, err)
	}
	_, _, err = w.Write(drafts(0)[0])
	if err == nil {
		t.Fatal("a failed write is no error")
	}
	if _, _, again := w.Write(drafts(0)[0]); again != err {
		t.Errorf("Write is then %v, want %v", again, err)
	}
}

// warcio is an independent implementation, in JavaScript (npm, by .ci/run). Its index of our file must be ours.
func TestAnotherReaderFindsTheSameRecords(t *testing.T) {
	program := peer.Warcio(t)
	ds := drafts(20)
	for name, compressed := range map[string]Compression{"a.warc": "", "a.warc.gz": Gzip} {
		file, _ := written(t, compressed, ds)
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, file, 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(program, "cdx-index", path).Output()
		if err != nil {
			t.Fatalf("warcio cdx-index: %v", err)
		}
		theirs := make(map[string]Capture)
		for c, err := range Captures(bytes.NewReader(out), "warcio's index") {
			if err != nil {
				t.Fatal(err)
			}
			theirs[c.URL] = c
		}
		for _, ours := range indexed(t, file, name) {
			ours.Digest = strings.TrimPrefix(ours.Digest, "sha1:")
			if compressed == "" {
				ours.Length -= int64(len("\r\n\r\n")) // which warcio leaves out
			}
			got := theirs[ours.URL]
			got.Digest = strings.TrimPrefix(got.Digest, "sha1:")
			if got != ours {
				t.Errorf("%s: warcio has\n%+v\nand we have\n%+v", name, got, ours)
			}
		}
		if len(theirs) != len(ds)-1 {
			t.Errorf("%s: warcio finds %d answers, want %d", name, len(theirs), len(ds)-1)
		}
	}
}

// indexed makes captures of a file's responses.
func indexed(t *testing.T, file []byte, name string) (cs []Capture) {
	t.Helper()
	w, err := NewReader(bytes.NewReader(file), name, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	var places []int64
	for {
		rec, err := w.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, rec.Place.Offset)
		if rec.Type != Response {
			continue
		}
		p, err := rec.Payload(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		cs = append(cs, Capture{
			Key: keyOf(rec.URL()), Time: rec.Date(), URL: rec.URL(), MIME: p.ContentType, Status: p.Status,
			Digest: rec.Fields.Get("WARC-Payload-Digest"), Offset: rec.Place.Offset, File: name,
		})
	}
	places = append(places, int64(len(file)))
	for i := range cs {
		cs[i].Length = places[slices.Index(places, cs[i].Offset)+1] - cs[i].Offset
	}
	return cs
}

// cdxTitle is the first line of a CDX file with the lines of appendCDX.
const cdxTitle = " CDX N b a m s k r M S V g\n"

// appendCDX appends c as a line of 11 fields.
func appendCDX(b []byte, c Capture) []byte {
	for i, s := range []string{
		c.Key, stamp14(c.Time), c.URL, c.MIME, numeral(int64(c.Status)), strings.TrimPrefix(c.Digest, "sha1:"),
		c.Redirect, c.Meta, numeral(c.Length), numeral(c.Offset), c.File,
	} {
		if i > 0 {
			b = append(b, ' ')
		}
		if s == "" {
			s = "-"
		}
		b = append(b, strings.Join(strings.Fields(s), "%20")...)
	}
	return append(b, '\n')
}

func TestCapturesAreWrittenAndReadBack(t *testing.T) {
	cs := []Capture{
		{Key: "org,example)/", Time: day, URL: "http://example.org/", MIME: "text/html", Status: 200, Digest: "ABC", Length: 10, Offset: 0, File: "a.warc.gz"},
		{Key: "org,example)/a?b", Time: day, URL: "http://example.org/a?b", Status: -1, Redirect: "http://example.org/c", Meta: "AF", Length: -1, Offset: -1},
	}
	cdx, cdxj := []byte(cdxTitle), []byte("!OpenWayback-CDXJ 1.0\n")
	for _, c := range cs {
		cdx, cdxj = appendCDX(cdx, c), AppendCDXJ(cdxj, c)
	}
	for name, text := range map[string]string{
		"CDX": string(cdx), "CDX without header": strings.TrimPrefix(string(cdx), cdxTitle), "CDXJ": string(cdxj),
		"CDXJ with numbers": strings.ReplaceAll(string(cdxj), `"200"`, "200"),
	} {
		var got []Capture
		for c, err := range Captures(strings.NewReader(text), name) {
			if err != nil {
				t.Error(err)
			}
			got = append(got, c)
		}
		if !slices.Equal(got, cs) {
			t.Errorf("%s: read\n%+v\nwant\n%+v", name, got, cs)
		}
	}
}

func TestABadLineOfAnIndexIsNamed(t *testing.T) {
	const index = ` CDX N b a m s k r M S V g
org,example)/ 20260304050607 http://example.org/ text/html 200 ABC - - 10 0 a.warc.gz
org,example)/ 20260304050607 http://example.org/b text/html 200 ABC
org,example)/ 2026 http://example.org/c text/html ok ABC - - 10 0 a.warc.gz
org,example)/ yesterday http://example.org/d text/html 200 ABC - - 10 0 a.warc.gz
org,example)/ 20260304050607 {"url":
org,example)/ 20260304050607 {"mime":"text/html"}
LONG
org,example)/z 2026 http://example.org/z - - - - - - - -`
	var got []string
	for c, err := range Captures(strings.NewReader(strings.Replace(index, "LONG", strings.Repeat("x", 600<<10), 1)), "i.cdx") {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, c.URL+" "+c.Time.Format(time.DateOnly)+" "+strconv.Itoa(c.Status))
	}
	want := []string{
		"http://example.org/ 2026-03-04 200",
		"i.cdx:3: 6 fields; the header line names 11",
		`i.cdx:4: field s: "ok": not a number`,
		`i.cdx:5: field b: "yesterday": not a time of 4 to 14 digits`,
		"i.cdx:6: not a JSON object after key and time: unexpected end of JSON input",
		`i.cdx:7: no "url" in the object`,
		"i.cdx:8: longer than 256 KiB",
		"http://example.org/z 2026-01-01 -1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("read\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestKeysOfAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"http://example.org":                   "org,example)/",
		"https://WWW.Example.org:443/A/":       "org,example)/a",
		"http://www2.example.org/?b=1&a=2":     "org,example)/?a=2&b=1",
		"http://www.org/":                      "org,www)/",
		"http://example.org:8080/a":            "org,example:8080)/a",
		"http://192.0.2.1/a":                   "192.0.2.1)/a",
		"http://[2001:db8::1]/":                "2001:db8::1)/",
		"urn:uuid:X":                           "urn:uuid:x",
		"http://a.b.example.org./x%20y?q=%E4#": "org,example,b,a)/x%20y?q=%e4",
	} {
		if got := keyOf(address); got != want {
			t.Errorf("keyOf(%q) = %q, want %q", address, got, want)
		}
	}
}

func FuzzCaptures(f *testing.F) {
	f.Add(cdxTitle + "org,example)/ 20260304050607 http://example.org/ text/html 200 ABC - - 10 0 a.warc.gz\n")
	f.Add("org,example)/ 20260304 {\"url\":\"http://example.org/\",\"status\":200}\n")
	f.Fuzz(func(t *testing.T, index string) {
		n := 0
		for c, err := range Captures(strings.NewReader(index), "i") {
			if n++; err != nil || !utf8.ValidString(c.URL) { // which JSON cannot hold
				continue
			}
			for again, err := range Captures(bytes.NewReader(AppendCDXJ(nil, c)), "again") {
				if c.Key == "" || strings.ContainsAny(c.Key[:1], "!@") || strings.HasPrefix(c.Key, "CDX") {
					continue // no key, or one like a header
				}
				if err != nil || again.URL != c.URL {
					t.Fatalf("%+v is read back as %+v, %v", c, again, err)
				}
			}
		}
		if n > strings.Count(index, "\n")+1 {
			t.Fatalf("%d captures of %q", n, index)
		}
	})
}

func TestRecordsOfAnExchange(t *testing.T) {
	answer := answer(1, "a page")
	answer.ID = NewID()
	file, _ := written(t, Gzip, []Draft{
		NameDraft("a.example", day, "192.0.2.1", false),
		RequestDraft(answer, "/x?y", "a.example:8080", http.Header{"User-Agent": {"me\r\nno: line"}}),
		answer,
		FailureDraft("http://a.example/down", day, "connect: refused"),
	})
	r, err := NewReader(bytes.NewReader(file), "exchange", DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []string
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(rec)
		if err != nil {
			t.Fatal(err)
		}
		same := rec.Fields.Get("WARC-Concurrent-To") == answer.ID
		got = append(got, fmt.Sprintf("%s %s %s %v %q", rec.Type, rec.URL(), rec.Fields.Get("Content-Type"), same, b))
	}
	got = slices.Delete(got, 2, 3) // the answer
	want := []string{
		fmt.Sprintf(`resource dns:a.example text/dns false "%s\r\na.example. IN A 192.0.2.1\r\n"`, day.Format("20060102150405")),
		`request http://example.org/1 application/http; msgtype=request true "GET /x?y HTTP/1.1\r\nHost: a.example:8080\r\nUser-Agent: me  no: line\r\n\r\n"`,
		`metadata http://a.example/down application/warc-fields false "fetch-error: connect: refused\r\n"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("records are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestADraftIsReadFromItsRecordAndNotFromAPartOfIt(t *testing.T) {
	d := ResponseDraft("http://a.example/", time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), 200, http.Header{"Content-Type": {"text/html"}}, bytes.Repeat([]byte("<p>Hello"), 2000))
	var b bytes.Buffer
	if _, _, err := NewWriter(&b, "", 0).Write(d); err != nil {
		t.Fatal(err)
	}
	got, err := DraftOf(b.Bytes())
	if err != nil || !bytes.Equal(got.Content, d.Content) || got.URL != d.URL || got.Type != d.Type || !got.Date.Equal(d.Date) {
		t.Errorf("DraftOf = %+v, %v, want %+v", got, err, d)
	}
	end := b.Len() - len("\r\n\r\n")
	for _, n := range []int{0, 4, 100, end - len(d.Content), end - 1} {
		if got, err := DraftOf(b.Bytes()[:n]); err == nil {
			t.Errorf("DraftOf of the first %d bytes of %d = %+v, want an error", n, b.Len(), got)
		}
	}
}
