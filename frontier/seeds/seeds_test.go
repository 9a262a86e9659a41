package seeds_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"gatecrawl.example/gatecrawl/fetch/feed"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// lists are lists of seeds and what is read of them: a URL or an error a line.
var lists = []struct{ what, text, want string }{
	{"empty", "", ""},
	{"blank lines", "\n\r\n  \n", ""},
	{"plain", "http://a.example/\nhttps://b.example/x?y\n", "1 http://a.example/\n2 https://b.example/x?y\n"},
	{"no line end at the end", "http://a.example/", "1 http://a.example/\n"},
	{"carriage returns", "http://a.example/\r\nhttp://b.example/\r\n", "1 http://a.example/\n2 http://b.example/\n"},
	{"byte order mark", "\ufeffhttp://a.example/\n", "1 http://a.example/\n"},
	{"comments", "# list\n  # more\nhttp://a.example/#part # why\nhttp://b.example/#\t#", "3 http://a.example/\n4 http://b.example/\n"},
	{"without scheme", "example.com\nexample.com/x\n//example.com\nexample.com:8080?a\nlocalhost:3000\n127.0.0.1\n[::1]:80/x\n新闻.example",
		"1 https://example.com/\n2 https://example.com/x\n3 https://example.com/\n4 https://example.com:8080/?a\n" +
			"5 http://localhost:3000/\n6 http://127.0.0.1/\n7 http://[::1]/x\n8 https://xn--efvy88h.example/\n"},
	{"bad lines", "hello\nhttp://a.example/\nmailto:a@example.com\nhttp://a b/\njavascript:1\nftp://example.com/\na@example.com\n.x",
		"list:1: not an http or https URL: \"hello\"\n2 http://a.example/\n" +
			"list:3: not an http or https URL: \"mailto:a@example.com\"\n" +
			"list:4: host not valid: \"http://a b/\"\n" +
			"list:5: not an http or https URL: \"javascript:1\"\n" +
			"list:6: not an http or https URL: \"ftp://example.com/\"\n" +
			"list:7: not an http or https URL: \"a@example.com\"\n" +
			"list:8: not an http or https URL: \".x\"\n"},
	{"a line too long", "http://a.example/" + strings.Repeat("a", 8<<10) + "\nhttp://b.example/",
		"list:1: longer than 8192 bytes: \"http://a.example/" + strings.Repeat("a", 183) + "...\"\n2 http://b.example/\n"},
	{"a line much too long", strings.Repeat("a", 100<<10) + "\nhttp://b.example/",
		"list:1: longer than 8192 bytes: \"" + strings.Repeat("a", 200) + "...\"\n2 http://b.example/\n"},
	{"a long line at the end", "http://b.example/\n" + strings.Repeat("a", 100<<10),
		"1 http://b.example/\nlist:2: longer than 8192 bytes: \"" + strings.Repeat("a", 200) + "...\"\n"},
	{"a long comment", "http://a.example/ # " + strings.Repeat("a", 100<<10) + "\nhttp://b.example/",
		"1 http://a.example/\n2 http://b.example/\n"},
	{"binary", "\x7fELF\x02\x01\x01\x00\n", "list: looks like a binary file, not a list of URLs\n"},
	{"binary after a URL", "http://a.example/\n\x00", "list: looks like a binary file, not a list of URLs\n"},
	{"UTF-16 with a mark", "\xff\xfe" + wide("http://a.example/\r\nhttp://b.example/é\r\n"), "1 http://a.example/\n2 http://b.example/%C3%A9\n"},
	{"UTF-16 without a mark", wide("http://a.example/\n"), "1 http://a.example/\n"},
	{"a table in UTF-16", "\xff\xfe" + wide("url,label\nhttp://a.example/,news\n"), "2 http://a.example/ news\n"},
	{"a sitemap in UTF-16", "\xff\xfe" + wide("<?xml version='1.0' encoding='UTF-16'?><urlset><url><loc>http://a.example/</loc></url></urlset>"), "1 http://a.example/\n"},
	{"UTF-32", "\xff\xfe\x00\x00h\x00\x00\x00", "list: looks like a binary file, not a list of URLs\n"},
	{"lines that end in a carriage return alone", "\ufeffhttp://a.example/\rhttp://b.example/\r# no\rhttp://c.example/",
		"1 http://a.example/\n2 http://b.example/\n4 http://c.example/\n"},
	{"a table of such lines", "url,label\rhttp://a.example/,news\r", "2 http://a.example/ news\n"},
	{"labels and priorities", "http://a.example/\tlabel=news\tpriority=2.5\nb.example\tpriority=-1 \t# later\nhttp://c.example/\tlabel=\t\n",
		"1 http://a.example/ news 2.5\n2 https://b.example/ -1\n3 http://c.example/\n"},
	{"spaces for tabs", "http://a.example/ label=news\nhttp://a.example/?label=news priority=2\nhttp://a.example/?label=news\n",
		"list:1: \"http://a.example/ label=news\" has a space; want a tab before label= and priority=\n" +
			"list:2: \"http://a.example/?label=news priority=2\" has a space; want a tab before label= and priority=\n" +
			"3 http://a.example/?label=news\n"},
	{"bad fields", "http://a.example/\t17\nhttp://a.example/\tpriority=much\nhttp://a.example/\tpriority=1e9\nhttp://a.example/\tlabel=" + strings.Repeat("a", 65),
		"list:1: \"17\" follows a tab and is neither label=WORD nor priority=NUMBER\n" +
			"list:2: priority \"much\" is not a number from -100 to 100\n" +
			"list:3: priority \"1e9\" is not a number from -100 to 100\n" +
			"list:4: label \"" + strings.Repeat("a", 65) + "\" is not UTF-8 of at most 64 bytes\n"},
	{"a sitemap", "<?xml version='1.0'?>\n<urlset>\n<url><loc>http://a.example/1</loc></url>\n<url><loc>/2</loc></url><url><loc>a.example/3</loc></url>",
		"3 http://a.example/1\nlist:4: not an http or https URL: \"/2\"\n4 https://a.example/3\n"},
	{"a broken feed", "<rss><item><link>http://a.example/1</link></item>\n<item", "1 http://a.example/1\nlist: line 2: invalid XML: unexpected EOF\n"},
	{"CSV with a header", "Title;Page URL;URL;priority;label\n\"One; or\n two\";x;http://a.example/1;2;news\nThree;;http://a.example/2\n",
		"2 http://a.example/1 news 2\n4 http://a.example/2\n"},
	{"CSV with a header of one column", "url\nhttp://a.example/a,b\n", "2 http://a.example/a\n"},
	{"tabs and a header", "id\turl\n7\thttp://a.example/\n", "2 http://a.example/\n"},
	{"CSV without a header", "http://a.example/p,The title\nhttp://a.example/q,\"A \"\"q\"\", or b\"\nb.example,x\n",
		"1 http://a.example/p\n2 http://a.example/q\n3 https://b.example/\n"},
	{"a quoted address", "\"http://a.example/a,b\",title\n", "1 http://a.example/a,b\n"},
	{"a ranking", "# top\n1,example.org\n2,example.net\r\n1000000,example.com\n",
		"2 https://example.org/ -9.99999e-07\n3 https://example.net/ -1.999996e-06\n4 https://example.com/ -0.5\n"},
	{"a ranking with a header", "GlobalRank,TldRank,Domain,TLD\n3,2,example.org,org\n", "2 https://example.org/ -2.999991e-06\n"},
	{"commas in addresses", "http://a.example/0,1518,17,00.html\nhttp://a.example/Paris,_Texas\n",
		"1 http://a.example/0,1518,17,00.html\n2 http://a.example/Paris,_Texas\n"},
	{"bad lines of CSV", "rank,url\n1,http://a.example/\n2\nx,http://b.example/\n4,hello\n5,\"http://c.example/\n",
		"2 http://a.example/ -9.99999e-07\nlist:3: no URL in column 2\nlist:4: rank \"x\" is not a number from 1\n" +
			"list:5: column 2: not an http or https URL: \"hello\"\n" +
			"list:6: a field starts with \" and is not closed; a \" within a field is written twice\n"},
	{"cut off gzip header", "\x1f\x8b\x08", "list: cannot be unzipped: unexpected EOF\n"},
}

func TestSeedsReadsAList(t *testing.T) {
	for _, c := range lists {
		if got := read(strings.NewReader(c.text)); got != c.want {
			t.Errorf("%s: Seeds(%.60q) gave\n%swant\n%s", c.what, c.text, got, c.want)
		}
		if strings.HasPrefix(c.text, "\x1f\x8b") {
			continue
		}
		if got := read(bytes.NewReader(zip(c.text))); got != c.want {
			t.Errorf("%s: Seeds of the zipped list gave\n%swant\n%s", c.what, got, c.want)
		}
		if got := read(iotest.OneByteReader(strings.NewReader(c.text))); got != c.want {
			t.Errorf("%s: Seeds of the list byte by byte gave\n%swant\n%s", c.what, got, c.want)
		}
	}
}

func TestSeedsNamesTheLineWhereAListBreaks(t *testing.T) {
	var text strings.Builder
	for i := range 10000 {
		fmt.Fprintf(&text, "http://example.com/%d\n", i*i)
	}
	whole := zip(text.String())
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-8] ^= 0xff // the checksum
	for _, c := range []struct {
		what string
		r    io.Reader
		want string
	}{
		{"cut off", bytes.NewReader(whole[:len(whole)/2]), "cannot be unzipped: unexpected EOF"},
		{"damaged", bytes.NewReader(damaged), "cannot be unzipped: gzip: invalid checksum"},
		{"unreadable", io.MultiReader(strings.NewReader("http://a.example/\nhttp://b."), iotest.ErrReader(errors.New("disk on fire"))), "list:2: disk on fire"},
	} {
		last, n := error(nil), 0
		for _, err := range seeds.Read(c.r, "list") {
			if last != nil {
				t.Errorf("%s: something came after the error %v", c.what, last)
			}
			if last = err; err == nil {
				n++
			}
		}
		line := fmt.Sprintf("list:%d: ", n+1)
		if last == nil || !strings.Contains(last.Error(), c.want) || !strings.HasPrefix(last.Error(), line) {
			t.Errorf("%s: after %d seeds the error is %v, want %s ... %s", c.what, n, last, line, c.want)
		}
		if _, bad := errors.AsType[*seeds.LineError](last); bad {
			t.Errorf("%s: the error %v looks as if reading went on", c.what, last)
		}
	}
}

func TestSeedErrorsSayWhatTheyAreAbout(t *testing.T) {
	for _, err := range seeds.Read(strings.NewReader("\n gopher://a # b\n"), "my.txt") {
		bad, ok := errors.AsType[*seeds.LineError](err)
		if !ok || bad.Name != "my.txt" || bad.Line != 2 || bad.Text != "gopher://a # b" || !errors.Is(err, weburl.ErrNotHTTP) {
			t.Errorf("error %#v, want list my.txt, line 2, the text, and ErrNotHTTP", err)
		}
	}
}

func TestSeedsStopsWhenTheReaderDoes(t *testing.T) {
	n := 0
	for range seeds.Read(strings.NewReader("http://a.example/\nbad\nhttp://b.example/"), "list") {
		if n++; n == 2 {
			break
		}
	}
}

func TestSeedsOfALargeListTakeLittleMemory(t *testing.T) {
	const lines = 200_000
	r, w := io.Pipe()
	defer r.Close()
	go func() { // ends when every line is read, or the reader is closed
		z := gzip.NewWriter(w)
		for i := range lines {
			fmt.Fprintf(z, "http://host%d.example/page/%d.html\n", i%1000, i)
		}
		z.Close()
		w.Close()
	}()
	before := heap()
	n := 0
	for _, err := range seeds.Read(r, "list") {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if grown := int64(heap()) - int64(before); n != lines || grown > 4<<20 {
		t.Errorf("%d seeds of %d left %d bytes behind", n, lines, grown)
	}
}

func FuzzSeeds(f *testing.F) {
	for _, c := range lists {
		f.Add([]byte(c.text))
	}
	f.Add(zip("http://a.example/\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		line := 0
		ended, listing := false, feed.KindOf(text) != ""
		for s, err := range seeds.Read(bytes.NewReader(text), "list") {
			bad, isLine := errors.AsType[*seeds.LineError](err)
			switch {
			case ended:
				t.Fatalf("something came after the last error: %v, %v", s, err)
			case err == nil:
				if again, err := weburl.Parse(s.URL.String()); err != nil || again != s.URL {
					t.Errorf("Parse(%q) = %q, %v; want it unchanged", s.URL, again, err)
				}
			case isLine:
				s.Line = bad.Line
			default:
				ended = true
				continue
			}
			if s.Line < line || s.Line == line && !listing {
				t.Errorf("line %d came after line %d", s.Line, line)
			}
			line = s.Line
		}
	})
}

func BenchmarkSeeds100000Lines(b *testing.B) {
	var text bytes.Buffer
	const lines = 100_000
	for i := range lines {
		fmt.Fprintf(&text, "https://www.host%d.example/section/page-%d.html\n", i%1000, i)
	}
	for _, c := range []struct {
		name string
		text []byte
	}{{"plain", text.Bytes()}, {"gzip", zip(text.String())}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				for _, err := range seeds.Read(bytes.NewReader(c.text), "list") {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(lines*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}

// read writes down what Seeds yields, one item a line.
func read(r io.Reader) string {
	var out strings.Builder
	for s, err := range seeds.Read(r, "list") {
		if err != nil {
			fmt.Fprintln(&out, err)
			continue
		}
		fmt.Fprint(&out, s.Line, " ", s.URL)
		if s.Label != "" {
			fmt.Fprint(&out, " ", s.Label)
		}
		if s.Priority != 0 {
			fmt.Fprint(&out, " ", s.Priority)
		}
		fmt.Fprintln(&out)
	}
	return out.String()
}

func zip(text string) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	io.WriteString(z, text) // a bytes.Buffer takes everything
	z.Close()
	return out.Bytes()
}

// TestACSVFileIsKnownByItsName reads an address and a title without spaces, which might
// be an address with a comma.
func TestACSVFileIsKnownByItsName(t *testing.T) {
	for name, want := range map[string]string{"list.csv": "http://a.example/p", "list.CSV.gz": "http://a.example/p", "list.txt": "http://a.example/p,title"} {
		for s, err := range seeds.Read(strings.NewReader("http://a.example/p,title\n"), name) {
			if err != nil || s.URL.String() != want {
				t.Errorf("%s: got %v, %v; want %s", name, s.URL, err, want)
			}
		}
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// wide returns an ASCII or Latin-1 text in UTF-16, in the byte order of Windows.
func wide(text string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteString(string([]byte{byte(r), byte(r >> 8)}))
	}
	return b.String()
}
