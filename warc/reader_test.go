package warc

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

var day = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// drafts are n pages of which each is different and hard to compress, behind
// the record about the file.
func drafts(n int) []Draft {
	ds := []Draft{InfoDraft(day, Fields{{"software", "test"}})}
	for i := range n {
		rng := rand.New(rand.NewPCG(7, uint64(i)))
		var b strings.Builder
		fmt.Fprintf(&b, "<html><body>page %d\r\n", i)
		for range 100 + rng.IntN(400) {
			fmt.Fprintf(&b, "%x ", rng.Uint64())
		}
		ds = append(ds, ResponseDraft(fmt.Sprintf("http://example.org/%d", i), day.Add(time.Duration(i)*time.Second), 200,
			http.Header{"Content-Type": {"text/html"}}, []byte(b.String())))
	}
	return ds
}

// written returns the drafts as a file, and where each record starts.
func written(t testing.TB, compressed Compression, ds []Draft) (file []byte, starts []int64) {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b, compressed, 0)
	for _, d := range ds {
		at, length, err := w.Write(d)
		if err != nil {
			t.Fatal(err)
		}
		if at+length != int64(b.Len()) {
			t.Fatalf("record of %d bytes at %d, and the file has %d", length, at, b.Len())
		}
		starts = append(starts, at)
	}
	return b.Bytes(), starts
}

// plainText is the file of drafts without compression.
func plainText(t testing.TB, ds []Draft) []byte {
	file, _ := written(t, "", ds)
	return file
}

func gzipped(parts ...[]byte) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		z := gzip.NewWriter(&b)
		z.Write(p)
		z.Close()
	}
	return b.Bytes()
}

func zstded(t testing.TB, dict []byte, parts ...[]byte) []byte {
	t.Helper()
	o := []zstd.EOption{zstd.WithEncoderConcurrency(1)}
	if dict != nil {
		o = append(o, zstd.WithEncoderDict(dict))
	}
	enc, err := zstd.NewWriter(nil, o...)
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	for _, p := range parts {
		out = enc.EncodeAll(p, out)
	}
	return out
}

// records cuts a plain file at its records.
func records(file []byte, starts []int64) [][]byte {
	var parts [][]byte
	for i, at := range starts {
		end := int64(len(file))
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		parts = append(parts, file[at:end])
	}
	return parts
}

// read returns what a reader makes of a file: a line a record, with its content,
// and the damage.
func read(t testing.TB, r io.Reader) (got []string, damage []error) {
	t.Helper()
	w, err := NewReader(r, "test.warc", DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for range 100_000 {
		rec, err := w.Next()
		var bad *RecordError
		switch {
		case err == io.EOF:
			return got, damage
		case errors.As(err, &bad):
			damage = append(damage, err)
			continue
		case err != nil:
			t.Fatal(err)
		}
		content, err := io.ReadAll(rec)
		if err != nil {
			damage = append(damage, err)
			continue
		}
		got = append(got, fmt.Sprintf("%s %s %s", rec.Type, rec.URL(), DigestOf(content)))
	}
	t.Fatal("the reader never ends")
	return nil, nil
}

func lines(ds []Draft) []string {
	var want []string
	for _, d := range ds {
		want = append(want, fmt.Sprintf("%s %s %s", d.Type, d.URL, DigestOf(d.Content)))
	}
	return want
}

func TestAFileIsReadHoweverItIsCompressed(t *testing.T) {
	ds := drafts(20)
	plain, starts := written(t, "", ds)
	parts := records(plain, starts)
	perRecord, _ := written(t, Gzip, ds)
	var inThirds [][]byte
	for p := range slices.Chunk(plain, len(plain)/7+1) {
		inThirds = append(inThirds, p)
	}
	dict, err := os.ReadFile("testdata/zstd.dict") // of zstd --train over heads like these
	if err != nil {
		t.Fatal(err)
	}
	withDict := func(d []byte) []byte {
		head := []byte{0x5d, 0x2a, 0x4d, 0x18, byte(len(d)), byte(len(d) >> 8), byte(len(d) >> 16), 0}
		return slices.Concat(head, d, zstded(t, dict, parts...))
	}
	for name, file := range map[string][]byte{
		"plain":                           plain,
		"plain with bare line ends":       bytes.ReplaceAll(plain, []byte("\r\n\r\nWARC"), []byte("\n\nWARC")),
		"a gzip member a record":          perRecord,
		"one gzip member":                 gzipped(plain),
		"gzip members cut anywhere":       gzipped(inThirds...),
		"gzip with zeros behind":          append(slices.Clone(perRecord), make([]byte, 700)...),
		"a zstd frame a record":           zstded(t, nil, parts...),
		"one zstd frame":                  zstded(t, nil, plain),
		"zstd with a dictionary":          withDict(dict),
		"zstd with a dictionary, zstded":  withDict(zstded(t, nil, dict)),
		"zstd with a skippable frame":     append([]byte{0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3}, zstded(t, nil, parts...)...),
		"an empty member between records": slices.Concat(gzipped(parts[0], nil), gzipped(parts[1:]...)),
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{bytes.NewReader(file), iotest.OneByteReader(bytes.NewReader(file))} {
				got, damage := read(t, r)
				if want := lines(ds); !slices.Equal(got, want) || len(damage) > 0 {
					t.Fatalf("read %d records, want %d; damage: %v", len(got), len(want), damage)
				}
			}
		})
	}
}

func TestARecordNamesWhereItStarts(t *testing.T) {
	ds := drafts(3)
	plain, starts := written(t, "", ds)
	zipped, zipStarts := written(t, Gzip, ds)
	for name, c := range map[string]struct {
		file []byte
		want func(i int) Place
	}{
		"plain":           {plain, func(i int) Place { return Place{Offset: starts[i]} }},
		"member a record": {zipped, func(i int) Place { return Place{Offset: zipStarts[i]} }},
		"one member":      {gzipped(plain), func(i int) Place { return Place{Inside: starts[i]} }},
	} {
		w, err := NewReader(bytes.NewReader(c.file), name, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		for i := range ds {
			rec, err := w.Next()
			if err != nil {
				t.Fatalf("%s: record %d: %v", name, i, err)
			}
			if rec.Place != c.want(i) {
				t.Errorf("%s: record %d at %v, want %v", name, i, rec.Place, c.want(i))
			}
			if i > 0 && (rec.Version != "1.1" || !rec.Date().Equal(ds[i].Date) || rec.ID() == "") {
				t.Errorf("%s: record %d: version %s, date %v, id %s", name, i, rec.Version, rec.Date(), rec.ID())
			}
		}
	}
}

// Wherever a file is cut, the whole records before it are read, and one damage
// is named, or none where the cut is between records.
func TestACutFileGivesItsWholeRecords(t *testing.T) {
	ds := drafts(4)
	plain, starts := written(t, "", ds)
	zipped, zipStarts := written(t, Gzip, ds)
	var frames []byte
	var frameStarts []int64
	for _, p := range records(plain, starts) {
		frameStarts = append(frameStarts, int64(len(frames)))
		frames = append(frames, zstded(t, nil, p)...)
	}
	for name, c := range map[string]struct {
		file   []byte
		starts []int64
	}{
		"plain": {plain, starts}, "gzip": {zipped, zipStarts}, "zstd": {frames, frameStarts},
	} {
		want := lines(ds)
		for cut := 0; cut < len(c.file); cut += 1 + cut/97 {
			got, damage := read(t, bytes.NewReader(c.file[:cut]))
			if n := wholeBefore(c.starts, cut); len(got) < n || !slices.Equal(got, want[:len(got)]) {
				t.Fatalf("%s cut at %d: read %v, want the first %d", name, cut, got, n)
			}
			between := slices.Contains(c.starts, int64(cut))
			if len(damage) > 1 || between && len(damage) > 0 || !between && len(got) < wholeBefore(c.starts, cut)+1 && len(damage) == 0 {
				t.Fatalf("%s cut at %d: damage %v, records start at %v", name, cut, damage, c.starts)
			}
		}
	}
}

// wholeBefore counts the records that a cut leaves whole.
func wholeBefore(starts []int64, cut int) int {
	n := 0
	for n+1 < len(starts) && starts[n+1] <= int64(cut) {
		n++
	}
	return n
}

func TestDamageCostsTheRecordThatItHits(t *testing.T) {
	ds := drafts(12)
	plain, starts := written(t, "", ds)
	zipped, zipStarts := written(t, Gzip, ds)
	want := lines(ds)
	lost := func(i ...int) (left []string) {
		for k, l := range want {
			if !slices.Contains(i, k) {
				left = append(left, l)
			}
		}
		return left
	}
	hole := func(file []byte, from, to int64) []byte { return slices.Concat(file[:from], file[to:]) }
	noise := func(file []byte, at int64, b string) []byte {
		c := slices.Clone(file)
		copy(c[at:], b)
		return c
	}
	for name, c := range map[string]struct {
		file []byte
		left []string
	}{
		"gzip: a flipped byte":               {noise(zipped, zipStarts[4]+700, "\xff\xff\xff"), lost(4)},
		"gzip: a broken head of a member":    {noise(zipped, zipStarts[4], "xx"), lost(4)},
		"gzip: bytes are missing":            {hole(zipped, zipStarts[4]+500, zipStarts[4]+900), lost(4)},
		"gzip: the end of a member":          {hole(zipped, zipStarts[5]-20, zipStarts[5]), lost(4)},
		"gzip: bytes between members":        {slices.Concat(zipped[:zipStarts[5]], []byte("garbage"), zipped[zipStarts[5]:]), lost()},
		"gzip: two records":                  {noise(noise(zipped, zipStarts[4]+700, "\xff\xff\xff"), zipStarts[7]+30, "\x00\x00\x00\x00"), lost(4, 7)},
		"gzip: no record in a member":        {slices.Concat(zipped[:zipStarts[5]], gzipped([]byte("not a record\r\n")), zipped[zipStarts[5]:]), lost()},
		"plain: no version":                  {noise(plain, starts[4], "XXXX"), lost(4)},
		"plain: length is no number":         {bytes.Replace(plain, []byte("Content-Length: "), []byte("Content-Length: x"), 1), lost(0)},
		"plain: bytes are missing":           {hole(plain, starts[4]+600, starts[4]+900), lost(4)},
		"plain: a part of two is missing":    {hole(plain, starts[4]+600, starts[5]+100), lost(4, 5)},
		"plain: a length is too large":       {longer(plain, starts[4], 1000), lost(4)},
		"plain: a length is beyond the file": {longer(plain, starts[4], 9_000_000), lost(4)},
	} {
		t.Run(name, func(t *testing.T) {
			got, damage := read(t, bytes.NewReader(c.file))
			kept := 0
			for _, l := range c.left {
				if slices.Contains(got, l) {
					kept++
				}
			}
			if kept < len(c.left) {
				t.Errorf("%d of %d whole records are read; damage: %v", kept, len(c.left), damage)
			}
			if len(damage) == 0 || len(damage) > 3 {
				t.Errorf("damage named %d times: %v", len(damage), damage)
			}
		})
	}
}

// longer adds to the length of the record at a place.
func longer(file []byte, at int64, n int) []byte {
	i := int(at) + bytes.Index(file[at:], []byte("Content-Length: "))
	i += len("Content-Length: ")
	end := i + bytes.IndexByte(file[i:], '\r')
	var was int
	fmt.Sscan(string(file[i:end]), &was)
	return slices.Concat(file[:i], fmt.Append(nil, was+n), file[end:])
}

func TestDamageIsNamedWithFileAndOffset(t *testing.T) {
	ds := drafts(3)
	plain, starts := written(t, "", ds)
	_, damage := read(t, bytes.NewReader(plain[:starts[3]+500]))
	want := fmt.Sprintf("test.warc: offset %d: the content ends after", starts[3])
	if len(damage) != 1 || !strings.HasPrefix(damage[0].Error(), want) {
		t.Errorf("damage is %v, want %q", damage, want)
	}
	_, damage = read(t, strings.NewReader("<html>no archive at all</html>\n"))
	if want := "test.warc: offset 0: no record starts here"; len(damage) != 1 || damage[0].Error() != want {
		t.Errorf("damage of a page is %v, want %q", damage, want)
	}
}

func TestAPageAboutTheFormatIsOneRecord(t *testing.T) {
	about := ResponseDraft("http://example.org/about", day, 200, http.Header{},
		[]byte("<pre>\r\nWARC/1.0\r\nthat is how a record begins\r\n</pre>\r\n\r\nWARC/1.0\r\n"))
	ds := append(drafts(1), about, drafts(2)[2])
	got, damage := read(t, bytes.NewReader(plainText(t, ds)))
	if !slices.Equal(got, lines(ds)) || damage != nil {
		t.Errorf("read %v, damage %v", got, damage)
	}
}

func TestAnErrorOfTheFileIsFinal(t *testing.T) {
	broken := errors.New("disk on fire")
	ds := drafts(3)
	for name, file := range map[string][]byte{"plain": plainText(t, ds), "gzip": gzipped(plainText(t, ds))} {
		w, err := NewReader(io.MultiReader(bytes.NewReader(file[:len(file)/2]), iotest.ErrReader(broken)), "f", DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; ; n++ {
			_, err = w.Next()
			if errors.Is(err, broken) {
				break
			}
			if err != nil || n > len(ds) {
				t.Fatalf("%s: Next is %v, want the error of the file", name, err)
			}
		}
		if _, again := w.Next(); again != err {
			t.Errorf("%s: Next is then %v, want %v again", name, again, err)
		}
	}
}

func TestALongHeadIsDamage(t *testing.T) {
	long := "WARC/1.0\r\nWARC-Type: response\r\nX: " + strings.Repeat("x", 2000) + "\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
	w, err := NewReader(strings.NewReader(long+"WARC/1.0\r\nWARC-Type: request\r\nContent-Length: 0\r\n\r\n\r\n\r\n"), "f", Options{MaxHead: 1 << 10})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Next(); err == nil || !strings.Contains(err.Error(), "longer than the limit") {
		t.Errorf("Next is %v, want a head that is too long", err)
	}
	if rec, err := w.Next(); err != nil || rec.Type != Request {
		t.Errorf("Next is %v, %v, want the request behind it", rec, err)
	}
	if _, err := NewReader(nil, "f", Options{}); err == nil {
		t.Error("a head of 0 bytes is allowed")
	}
}

func TestFieldsGoOnInTheNextLine(t *testing.T) {
	w, err := NewReader(strings.NewReader("WARC/0.18\nwarc-type: Resource\nno field\nWARC-Target-URI: <http://example.org/\n  a>\ncontent-length: 2\n\nhi\n\n"), "f", DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	rec, err := w.Next()
	if err != nil {
		t.Fatal(err)
	}
	if rec.Type != Resource || rec.URL() != "http://example.org/ a" || rec.Version != "0.18" || rec.Length != 2 {
		t.Errorf("record is %+v", rec)
	}
}

// httpRecord is a response with a head and a body as they were on the wire.
func httpRecord(head string, body []byte) Draft {
	return Draft{Type: Response, URL: "http://example.org/", Date: day, Kind: "application/http; msgtype=response",
		Content: append([]byte(head+"\r\n\r\n"), body...)}
}

// payloadOf writes a draft and reads its payload.
func payloadOf(t *testing.T, d Draft, limit int64) (Payload, error) {
	t.Helper()
	w, err := NewReader(bytes.NewReader(plainText(t, []Draft{d})), "f", DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	rec, err := w.Next()
	if err != nil {
		t.Fatal(err)
	}
	return rec.Payload(limit)
}

func TestPayloadUndoesChunksAndEncodings(t *testing.T) {
	text := []byte(strings.Repeat("<p>the same text for all of them</p>\n", 40))
	pack := func(open func(io.Writer) io.WriteCloser) []byte {
		var b bytes.Buffer
		z := open(&b)
		z.Write(text)
		z.Close()
		return b.Bytes()
	}
	gz := gzipped(text)
	chunked := func(b []byte) []byte {
		var c bytes.Buffer
		for p := range slices.Chunk(b, 97) {
			fmt.Fprintf(&c, "%x;a=b\r\n%s\r\n", len(p), p)
		}
		return append(c.Bytes(), "0\r\n\r\n"...)
	}
	for name, c := range map[string]struct {
		head string
		body []byte
	}{
		"plain":                       {"HTTP/1.1 200 OK", text},
		"gzip":                        {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip", gz},
		"x-gzip in capitals":          {"HTTP/1.1 200 OK\r\nCONTENT-ENCODING: X-GZIP", gz},
		"zlib":                        {"HTTP/1.1 200 OK\r\nContent-Encoding: deflate", append([]byte{0x78, 0x9c}, pack(deflater)...)},
		"bare deflate":                {"HTTP/1.1 200 OK\r\nContent-Encoding: deflate", pack(deflater)},
		"br":                          {"HTTP/1.1 200 OK\r\nContent-Encoding: br", pack(func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) })},
		"zstd":                        {"HTTP/1.1 200 OK\r\nContent-Encoding: zstd", zstded(t, nil, text)},
		"gzip in gzip":                {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip", gzipped(gz)},
		"chunks":                      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked", chunked(text)},
		"gzip in chunks":              {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip", chunked(gz)},
		"named, but decoded before":   {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip", text},
		"br named, but decoded":       {"HTTP/1.1 200 OK\r\nContent-Encoding: br", text},
		"deflate named, but decoded":  {"HTTP/1.1 200 OK\r\nContent-Encoding: deflate", text},
		"unknown encoding":            {"HTTP/1.1 200 OK\r\nContent-Encoding: rot13", text},
		"a header line without colon": {"HTTP/2 200\r\nwhat is this\r\nContent-Encoding: gzip", gz},
		"bare line ends":              {"HTTP/1.0 200 OK\nContent-Encoding: gzip\nX: a\n  b", gz},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := payloadOf(t, httpRecord(c.head+"\r\nContent-Type: text/html; charset=utf-8", c.body), 1<<20)
			if err != nil || p.Truncated || !bytes.Equal(p.Body, text) {
				t.Errorf("payload of %d bytes, truncated %v, %v; want %d bytes", len(p.Body), p.Truncated, err, len(text))
			}
			if p.Status != 200 || p.ContentType != "text/html; charset=utf-8" {
				t.Errorf("status %d, type %q", p.Status, p.ContentType)
			}
		})
	}
}

func deflater(w io.Writer) io.WriteCloser {
	z, _ := flate.NewWriter(w, 6) // 6 is a level
	return z
}

func TestPayloadIsCutAtItsLimit(t *testing.T) {
	bomb := gzipped(make([]byte, 4<<20))
	p, err := payloadOf(t, httpRecord("HTTP/1.1 200 OK\r\nContent-Encoding: gzip", bomb), 1000)
	if err != nil || len(p.Body) != 1000 || !p.Truncated {
		t.Errorf("payload of %d bytes, truncated %v, %v; want 1000, cut", len(p.Body), p.Truncated, err)
	}
	p, err = payloadOf(t, httpRecord("HTTP/1.1 200 OK\r\nContent-Encoding: "+strings.Repeat("gzip,", 20), bomb), 1000)
	if err == nil || !p.Truncated {
		t.Errorf("20 encodings upon each other are undone: %v", err)
	}
}

func TestADamagedPayloadIsGivenAsFarAsItComes(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcdef"), 10_000)
	gz := gzipped(text)
	p, err := payloadOf(t, httpRecord("HTTP/1.1 200 OK\r\nContent-Encoding: gzip", gz[:len(gz)/2]), 1<<20)
	if err == nil || !p.Truncated || len(p.Body) == 0 || !bytes.HasPrefix(text, p.Body) {
		t.Errorf("payload of %d bytes, truncated %v, error %v", len(p.Body), p.Truncated, err)
	}
	if want := "f: offset 0: "; err != nil && !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error is %q, want one that starts %q", err, want)
	}
}

func TestPayloadOfARecordWithoutHTTP(t *testing.T) {
	p, err := payloadOf(t, Draft{Type: Conversion, URL: "http://example.org/", Date: day, Kind: "text/plain", Content: []byte("HTTP/1.1 is a protocol")}, 1<<20)
	if err != nil || string(p.Body) != "HTTP/1.1 is a protocol" || p.Status != 0 || p.ContentType != "text/plain" {
		t.Errorf("payload is %+v, %v", p, err)
	}
}

func FuzzReader(f *testing.F) {
	ds := drafts(2)
	plain, starts := written(f, "", ds)
	packed, _ := written(f, Gzip, ds)
	f.Add(plain)
	f.Add(packed)
	f.Add(zstded(f, nil, records(plain, starts)...))
	f.Add([]byte(strings.Join(arcFile(), "")))
	f.Add(zipped(arcFile()))
	f.Add([]byte("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 40\r\n\r\nHTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello"))
	f.Fuzz(func(t *testing.T, file []byte) {
		w, err := NewReader(bytes.NewReader(file), "f", DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		for n := 0; ; n++ {
			rec, err := w.Next()
			var bad *RecordError
			switch {
			case err == io.EOF:
				return
			case errors.As(err, &bad):
			case err != nil:
				t.Fatalf("Next: %v", err)
			default:
				if p, _ := rec.Payload(1 << 16); len(p.Body) > 1<<16 {
					t.Fatalf("payload of %d bytes", len(p.Body))
				}
			}
			if n > 100+50*len(file) {
				t.Fatalf("%d records in %d bytes", n, len(file))
			}
		}
	})
}
