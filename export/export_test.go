package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/export"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/warc"
)

var fetched = time.Date(2026, 11, 1, 12, 0, 0, 250_000_000, time.UTC)

// rowOf is a row of a kept page.
func rowOf(t testing.TB, seq uint64, url, lang, html string) *gatecrawl.Row {
	t.Helper()
	view := purify.PurifyAt(url, []byte(html), "text/html; charset=utf-8")
	view.URL = url
	packed := page.PackView(view)
	return &gatecrawl.Row{
		Page: page.Record{
			Seq: seq, URL: url, Status: 200, Verdict: page.VerdictNew, Fetched: fetched, Type: "text/html", Charset: "utf-8",
			Title: view.Title, Lang: lang, PageType: view.Type, Digest: "d1", SimHash: "00ff", Relevance: .6, Bytes: int64(len(html)),
		},
		View: packed, Body: []byte(html), Degree: 2, Copies: 3,
	}
}

const prose = "A hive of bees does not sleep in winter: the bees hold together, and keep warm by moving, while their queen sits in the middle of them and waits for the spring to come."

// aPage is a page with a heading, a list, a listing, and a link.
func aPage(title string) string {
	return "<html><head><title>" + title + "</title></head><body><article><h1>" + title + "</h1><p>" + prose + "</p>" +
		"<h2>Code</h2><p>" + prose + " See <a href='/more?x=1'>more</a>.</p><pre>if x {\n\treturn\n}</pre><ul><li>one of them, which is long enough to be body</li><li>two of them, which is long enough to be body</li></ul></article></body></html>"
}

func rows(t testing.TB) []*gatecrawl.Row {
	a := rowOf(t, 1, "http://a.example/bees", "en", aPage("=Bees"))
	b := rowOf(t, 2, "http://b.example:8080/docs/", "de-CH", aPage("Bienen"))
	b.Page.Fetched = fetched.AddDate(0, 0, -7)
	b.Page.Relevance = .25
	b.Page.Gone = fetched.AddDate(0, 0, -1)
	dup := &gatecrawl.Row{Page: page.Record{
		Seq: 3, URL: "http://b.example:8080/bees", Status: 200, Verdict: page.VerdictCopy, Of: "http://a.example/bees", Class: "partial-content",
		Level: 5, Similarity: .9375, Fetched: fetched, Type: "text/html", Lang: "en",
	}}
	return []*gatecrawl.Row{a, b, dup}
}

// write exports rows.
func write(t testing.TB, o export.Options, all []*gatecrawl.Row) export.Tally {
	t.Helper()
	e, err := export.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if err := e.Write(r); err != nil {
			t.Fatal(e.Abort(err))
		}
	}
	tally, err := e.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return tally
}

// printed exports rows to a stream.
func printed(t testing.TB, o export.Options, all []*gatecrawl.Row) string {
	var b bytes.Buffer
	o.Out = &b
	write(t, o, all)
	return b.String()
}

func TestJSONLinesHaveAllFieldsInTheirOrder(t *testing.T) {
	out := printed(t, export.Options{Format: export.JSONL, Fields: export.FieldNames()[:len(export.FieldNames())-3]}, rows(t))
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines, want 3", len(lines))
	}
	var first map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"url": "http://a.example/bees", "title": "=Bees", "lang": "en", "verdict": "new", "degree": 2.0, "copies": 3.0, "relevance": .6,
		"of": nil, "level": nil, "fetched": "2026-11-01T12:00:00.25Z", "gone": nil, "host": "a.example", "warc_file": nil, "links": []any{"http://a.example/more?x=1"},
	} {
		if got := first[name]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	if want := `"gone":"2026-10-31T12:00:00.25Z"`; !strings.Contains(lines[1], want) {
		t.Errorf("the page that is gone is %s, want %s in it", lines[1], want)
	}
	if text := first["text"].(string); !strings.Contains(text, "\nif x {\n\treturn\n}\n") || !strings.Contains(text, "\n- one of them") {
		t.Errorf("the text has lost its lines: %q", text)
	}
	if md := first["markdown"].(string); !strings.HasPrefix(md, "# =Bees\n\n") || !strings.Contains(md, "\n## Code\n") || !strings.Contains(md, "```\nif x {\n\treturn\n}\n```") {
		t.Errorf("markdown %q", md)
	}
	at := -1
	for _, name := range export.DefaultFields() {
		next := strings.Index(lines[0], `"`+name+`":`)
		if next < at {
			t.Errorf("%s stands before the field in front of it", name)
		}
		at = next
	}
	if want := `"of":"http://a.example/bees","class":"partial-content","level":5,"similarity":0.9375`; !strings.Contains(lines[2], want) {
		t.Errorf("the copy is %s, want %s in it", lines[2], want)
	}
}

// A field alone is what it is next to all others: an export asks for what its fields are made of.
func TestAFieldAloneIsWhatItIsAmongAll(t *testing.T) {
	for _, name := range export.FieldNames()[:len(export.FieldNames())-3] { // the last ones are those of chunks
		all := printed(t, export.Options{Format: export.JSONL, Fields: export.FieldNames()[:len(export.FieldNames())-3]}, rows(t)[:1])
		var want, got map[string]any
		if err := json.Unmarshal([]byte(all), &want); err != nil {
			t.Fatal(err)
		}
		o := export.Options{Format: export.JSONL, Fields: []string{name}, Out: new(bytes.Buffer)}
		e, err := export.New(o)
		if err != nil {
			t.Fatal(err)
		}
		row, wanted := rows(t)[0], e.Wanted()
		if err := e.Abort(nil); err != nil {
			t.Fatal(err)
		}
		if !wanted.Views {
			row.View = nil
		}
		if !wanted.Bodies {
			row.Body = nil
		}
		if err := json.Unmarshal([]byte(printed(t, o, []*gatecrawl.Row{row})), &got); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got[name]) != fmt.Sprint(want[name]) {
			t.Errorf("%s alone is %v, want %v", name, got[name], want[name])
		}
	}
}

// The values that the selectors of a crawl found on a page are columns of any table: the first
// value, or all of them.
func TestExtractedFieldsAreColumns(t *testing.T) {
	all := rows(t)
	all[0].Page.Fields = purify.Fields{{Name: "price", Values: []string{"12 crowns"}}, {Name: "size", List: true, Values: []string{"2 l", "3 l"}}}
	names := []string{"url", "fields.price", "fields.size[]", "fields.size"}
	got := printed(t, export.Options{Format: export.JSONL, Fields: names}, all[:2])
	want := `{"url":"http://a.example/bees","fields.price":"12 crowns","fields.size[]":["2 l","3 l"],"fields.size":"2 l"}
{"url":"http://b.example:8080/docs/","fields.price":null,"fields.size[]":[],"fields.size":null}
`
	if got != want {
		t.Errorf("JSONL is\n%swant\n%s", got, want)
	}
	got = printed(t, export.Options{Format: export.CSV, Fields: names[:2]}, all[:2])
	if want := "url,fields.price\nhttp://a.example/bees,12 crowns\nhttp://b.example:8080/docs/,\n"; strings.ReplaceAll(got, "\r", "") != want {
		t.Errorf("CSV is %q, want %q", got, want)
	}
	if got := printed(t, export.Options{Format: export.Parquet, Fields: names}, all[:2]); !strings.Contains(got, "12 crowns") {
		t.Error("Parquet lacks the price")
	}
	for _, wrong := range []string{"fields.", "fields.[]", `fields.a"b`, "field.price"} {
		o := export.Options{Format: export.JSONL, Fields: []string{wrong}}
		if err := o.Validate(); err == nil {
			t.Errorf("the field %q is taken", wrong)
		}
	}
}

// Pages that are parts of others are columns too: their URLs, and the largest share.
func TestPartsAreColumns(t *testing.T) {
	all := rows(t)
	all[0].Page.PartOf = []page.Part{{URL: "http://a.example/all", Share: .875}, {URL: "http://a.example/some", Share: .5}}
	all[1].Page.Contains = []page.Part{{URL: "http://a.example/bees", Share: .875}}
	names := []string{"url", "part_of", "part_of_share", "contains"}
	got := printed(t, export.Options{Format: export.JSONL, Fields: names}, all[:2])
	want := `{"url":"http://a.example/bees","part_of":["http://a.example/all","http://a.example/some"],"part_of_share":0.875,"contains":[]}
{"url":"http://b.example:8080/docs/","part_of":[],"part_of_share":null,"contains":["http://a.example/bees"]}
`
	if got != want {
		t.Errorf("JSONL is\n%swant\n%s", got, want)
	}
	if got := printed(t, export.Options{Format: export.CSV, Fields: names[:3]}, all[:1]); !strings.Contains(got, "http://a.example/all") || !strings.Contains(got, ",0.875") {
		t.Errorf("CSV is %q", got)
	}
	if got := printed(t, export.Options{Format: export.Parquet, Fields: names}, all[:2]); !strings.Contains(got, "http://a.example/some") {
		t.Error("Parquet lacks the page that holds a part")
	}
}

func TestCSVHasNoFormulas(t *testing.T) {
	all := rows(t)
	for i, title := range []string{"=HYPERLINK(\"http://x\")", "+1", "-1", "@SUM(A1)", "\tx", "Bees, and \"hives\"\nin two lines"} {
		r := *all[0]
		r.Page.Title, r.Page.Seq = title, uint64(10+i)
		all = append(all, &r)
	}
	got, err := csv.NewReader(strings.NewReader(printed(t, export.Options{Format: export.CSV, Fields: []string{"title", "keywords", "similarity", "seq"}}, all))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, line := range got {
		titles = append(titles, line[0])
	}
	want := []string{"title", "'=Bees", "Bienen", "", "'=HYPERLINK(\"http://x\")", "'+1", "'-1", "'@SUM(A1)", "'\tx", "Bees, and \"hives\"\nin two lines"}
	if !slices.Equal(titles, want) {
		t.Errorf("titles %q, want %q", titles, want)
	}
	if got[3][2] != "0.9375" || got[1][2] != "" || !strings.HasPrefix(got[1][1], `["`) {
		t.Errorf("cells %q and %q", got[1], got[3])
	}
}

func TestRowsAreChosen(t *testing.T) {
	for _, c := range []struct {
		name string
		o    export.Options
		want string
	}{
		{"verdict", export.Options{Verdict: page.VerdictCopy}, "3"},
		{"language", export.Options{Langs: []string{"DE", "fr"}}, "2"},
		{"host", export.Options{Hosts: []string{"example"}}, "1 2 3"},
		{"host with a port", export.Options{Hosts: []string{"b.example:8080"}}, "2 3"},
		{"host in capitals", export.Options{Hosts: []string{"B.Example:8080"}}, "2 3"},
		{"no part of a host's name", export.Options{Hosts: []string{"ample"}}, ""},
		{"since", export.Options{Since: fetched.AddDate(0, 0, -1)}, "1 3"},
		{"words", export.Options{MinWords: 50}, "1 2"},
		{"more words", export.Options{MinWords: 500}, ""},
		{"relevance", export.Options{Relevance: .6}, "1"},
	} {
		c.o.Format, c.o.Fields = export.CSV, []string{"seq"}
		got := strings.Join(strings.Fields(printed(t, c.o, rows(t)))[1:], " ")
		if got != c.want {
			t.Errorf("%s: rows %q, want %q", c.name, got, c.want)
		}
	}
}

// TestKeptPagesOffTheTopicAreLeftOut: a crawl that keeps only pages on the topic has kept some by what it knew of it then.
func TestKeptPagesOffTheTopicAreLeftOut(t *testing.T) {
	all := rows(t)
	all[1].Page.OffTopic = true
	for with, want := range map[bool]int64{false: 2, true: 3} {
		tally := write(t, export.Options{Format: export.JSONL, OffTopic: with, Out: io.Discard}, all)
		if tally.Rows != want || tally.OffTopic != 3-want {
			t.Errorf("with pages off the topic %v: %+v, want %d rows", with, tally, want)
		}
	}
}

func TestChunksHaveTheirHeadingsAndOffsets(t *testing.T) {
	whole := printed(t, export.Options{Format: export.JSONL, Fields: []string{"markdown"}}, rows(t)[:1])
	var page struct{ Markdown string }
	if err := json.Unmarshal([]byte(whole), &page); err != nil {
		t.Fatal(err)
	}
	out := printed(t, export.Options{Format: export.JSONL, Chunks: 40, Fields: []string{"chunk", "headings", "offset", "markdown", "words"}}, rows(t)[:1])
	var last struct {
		Chunk, Offset, Words int
		Headings             []string
		Markdown             string
	}
	for line := range strings.Lines(out) {
		if err := json.Unmarshal([]byte(line), &last); err != nil {
			t.Fatal(err)
		}
		if got := page.Markdown[last.Offset:][:len(last.Markdown)]; got != last.Markdown {
			t.Errorf("at %d stands %q, want %q", last.Offset, got, last.Markdown)
		}
	}
	if last.Chunk < 2 || !slices.Equal(last.Headings, []string{"=Bees", "Code"}) || last.Words == 0 {
		t.Errorf("the last chunk is %+v", last)
	}
}

func TestParquetHasTypedColumns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	tally := write(t, export.Options{Format: export.Parquet, Path: path, Fields: []string{"url", "keywords", "level", "similarity", "fetched", "truncated", "degree"}}, rows(t))
	if tally.Rows != 3 || tally.Files != 1 {
		t.Errorf("tally %+v", tally)
	}
	type row struct {
		URL        string    `parquet:"url,optional"`
		Keywords   []string  `parquet:"keywords,list"`
		Level      *int64    `parquet:"level,optional"`
		Similarity *float64  `parquet:"similarity,optional"`
		Fetched    time.Time `parquet:"fetched,optional,timestamp(microsecond)"`
		Degree     *int64    `parquet:"degree,optional"`
	}
	got, err := parquet.ReadFile[row](path)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got[0].Level != nil || *got[2].Level != 5 || *got[2].Similarity != .9375 || *got[0].Degree != 2 || !got[0].Fetched.Equal(fetched) || len(got[0].Keywords) == 0 {
		t.Errorf("rows %+v", got)
	}
}

// TestDuckDBReadsTheTables opens the files with DuckDB from npm. It needs node, and the folder of
// @duckdb/node-api in GATECRAWL_DUCKDB, which .ci/run has installed.
func TestDuckDBReadsTheTables(t *testing.T) {
	modules := os.Getenv("GATECRAWL_DUCKDB")
	node, err := exec.LookPath("node")
	if err != nil || modules == "" {
		t.Skip("GATECRAWL_DUCKDB names no folder with DuckDB for node: npm install --prefix DIR @duckdb/node-api")
	}
	dir := t.TempDir()
	var all []*gatecrawl.Row
	for i := range 200 {
		all = append(all, rows(t)[i%3])
	}
	for _, f := range []export.Format{export.Parquet, export.JSONL, export.CSV} {
		write(t, export.Options{Format: f, Path: filepath.Join(dir, "x."+string(f))}, all)
	}
	const query = `SELECT verdict, lang, count(*) AS n, max(similarity) AS most, typeof(any_value(fetched)) AS at FROM '%s' WHERE verdict IN ('new', 'copy') GROUP BY ALL ORDER BY ALL`
	program := `
		const {DuckDBInstance} = require(process.argv[1] + '/node_modules/@duckdb/node-api');
		(async () => {
			const c = await (await DuckDBInstance.create()).connect();
			for (const q of process.argv.slice(2)) console.log(JSON.stringify((await c.runAndReadAll(q)).getRowsJson()));
		})().catch(e => { console.error(e); process.exit(1); });`
	cmd := exec.CommandContext(t.Context(), node, "-e", program, modules,
		fmt.Sprintf(query, filepath.Join(dir, "x.parquet")), fmt.Sprintf(query, filepath.Join(dir, "x.jsonl")), fmt.Sprintf(query, filepath.Join(dir, "x.csv")))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("DuckDB: %v\n%s", err, out)
	}
	want := []string{
		`[["copy","en","66",0.9375,"TIMESTAMP WITH TIME ZONE"],["new","de-CH","67",null,"TIMESTAMP WITH TIME ZONE"],["new","en","67",null,"TIMESTAMP WITH TIME ZONE"]]`,
		`[["copy","en","66",0.9375,"TIMESTAMP"],["new","de-CH","67",null,"TIMESTAMP"],["new","en","67",null,"TIMESTAMP"]]`,
		`[["copy","en","66",0.9375,"TIMESTAMP WITH TIME ZONE"],["new","de-CH","67",null,"TIMESTAMP WITH TIME ZONE"],["new","en","67",null,"TIMESTAMP WITH TIME ZONE"]]`,
	}
	if got := strings.Split(strings.TrimSpace(string(out)), "\n"); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestMarkdownIsAFileAPage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	all := rows(t)
	for i, url := range []string{"http://a.example/Bees.html", "http://a.example/bees?q=../../x", "http://a.example/%2e%2e/.git/CON:", "http://a.example/" + strings.Repeat("long", 100)} {
		all = append(all, rowOf(t, uint64(10+i), url, "en", aPage("Bees")))
	}
	tally := write(t, export.Options{Format: export.Markdown, Path: dir + "/"}, all)
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(names) != 6 || tally.Files != 6 || tally.Bare != 1 {
		t.Errorf("%+v: files %q, want 6 and a copy left out", tally, names)
	}
	for _, want := range []string{"a.example/bees.md", "a.example/Bees-2.md", "b.example_8080/docs/index.md"} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no %s among %q", want, names)
		}
	}
	for _, name := range names {
		if !filepath.IsLocal(name) || strings.Contains(name, "/.") || len(filepath.Base(name)) > 200 {
			t.Errorf("a file is called %q", name)
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, "a.example", "bees.md"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "---\nurl: \"http://a.example/bees\"\ntitle: \"=Bees\"\nlang: \"en\"\nfetched: \"2026-11-01T12:00:00Z\"\n---\n\n# =Bees\n"; !strings.HasPrefix(string(got), want) {
		t.Errorf("the file starts %.200q, want %q", got, want)
	}
}

func TestShardsAreFilesOfAFolder(t *testing.T) {
	for _, f := range []export.Format{export.JSONL, export.Parquet, export.Markdown, export.WET} {
		dir := filepath.Join(t.TempDir(), "out")
		var all []*gatecrawl.Row
		for range 20 {
			all = append(all, rows(t)[0])
		}
		tally := write(t, export.Options{Format: f, Path: dir, ShardBytes: 4000}, all)
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) < 2 || len(files) != tally.Files || !strings.HasPrefix(files[0].Name(), "part-00001.") {
			t.Errorf("%s: files %v, want several, and the tally says %d", f, files, tally.Files)
		}
	}
}

// TestNothingHasItsNameBeforeItIsWhole: an aborted export leaves no file, and an interrupted one
// none with its final name.
func TestNothingHasItsNameBeforeItIsWhole(t *testing.T) {
	for _, o := range []export.Options{
		{Format: export.JSONL, Path: "x.jsonl.gz"},
		{Format: export.Parquet, Path: "x", ShardBytes: 1000},
		{Format: export.Markdown, Path: "x/"},
		{Format: export.WARC, Path: "x.warc.gz"},
		{Format: export.WACZ, Path: "x.wacz"},
	} {
		dir := t.TempDir()
		o.Path = filepath.Join(dir, "x") + strings.TrimPrefix(o.Path, "x")
		e, err := export.New(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows(t) {
			if err := e.Write(r); err != nil {
				t.Fatal(err)
			}
		}
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(files) > 0 && slices.ContainsFunc(files, func(f string) bool { return !strings.HasPrefix(filepath.Base(f), ".") }) {
			t.Errorf("%s: while it is written there is %v, %v", o.Format, files, err)
		}
		cause := errors.New("given up")
		if err := e.Abort(cause); !errors.Is(err, cause) {
			t.Errorf("Abort = %v, want its cause", err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: an export that was given up leaves %v, %v", o.Format, left, err)
		}
	}
}

// full is a disk with this many bytes left.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(p), nil
}

func TestAFullDiskIsAnError(t *testing.T) {
	for _, f := range export.Formats {
		e, err := export.New(export.Options{Format: f, Out: &full{left: 100}})
		for i := 0; err == nil && i < 100; i++ {
			row := rows(t)[0]
			row.Links = []gatecrawl.Edge{{From: "https://example.org/", To: "https://example.org/a"}}
			err = e.Write(row)
		}
		if err == nil {
			_, err = e.Finish()
		}
		if err == nil || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("%s to a full disk: %v", f, err)
		}
	}
}

func TestWrongOptionsAreRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    export.Options
		want string
	}{
		{export.Options{Format: "xml"}, `there is no format "xml"`},
		{export.Options{Format: export.JSONL, Fields: []string{"url", "heading"}}, `there is no field "heading"`},
		{export.Options{Format: export.JSONL, Fields: []string{"url", "heading", "texts"}}, `there are no fields "heading", "texts": want some of`},
		{export.Options{Format: export.CSV, Fields: []string{"url", "url"}, Out: io.Discard}, `"url" is named twice`},
		{export.Options{Format: export.CSV, Fields: []string{"offset"}, Out: io.Discard}, `is of chunks`},
		{export.Options{Format: export.WARC, Fields: []string{"url"}}, "warc has no fields"},
		{export.Options{Format: export.Markdown, Chunks: 10}, "markdown has no chunks"},
		{export.Options{Format: export.JSONL, Path: dir}, "is not empty"},
		{export.Options{Format: export.JSONL, Path: filepath.Join(dir, "none", "x")}, "does not exist: make it"},
		{export.Options{Format: export.JSONL, ShardBytes: 10}, "name it"},
		{export.Options{Format: export.WACZ, Path: "x.wacz", ShardBytes: 10}, "wacz is one file"},
		{export.Options{Format: export.WARC, Title: "T"}, "warc has no title"},
		{export.Options{Format: export.JSONL, Relevance: 2, MinWords: -1, Chunks: -1}, "want 0 to 1"},
		{export.Options{Format: export.JSONL, Langs: []string{"en", "english"}}, `there is no language "english"`},
		{export.Options{Format: export.JSONL, Hosts: []string{"https://example.org/"}}, `there is no host "https://example.org/"`},
	} {
		if _, err := export.New(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("New(%+v) = %v, want %q in it", c.o, err, c.want)
		}
	}
}

// records reads a WARC file.
func records(t *testing.T, b []byte) (list []warc.Type, urls []string, contents []string) {
	t.Helper()
	r, err := warc.NewReader(bytes.NewReader(b), "x.warc", warc.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return list, urls, contents
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(rec)
		if err != nil {
			t.Fatal(err)
		}
		list, urls, contents = append(list, rec.Type), append(urls, rec.URL()), append(contents, string(content))
	}
}

func TestWARCIsTheArchivesRecordsOrTheKeptBytes(t *testing.T) {
	dir := t.TempDir()
	a, err := warc.OpenArchive(dir, warc.DefaultArchiveOptions())
	if err != nil {
		t.Fatal(err)
	}
	all := rows(t)
	header := map[string][]string{"Content-Type": {"text/html"}, "X-Of": {"the server"}}
	if err := a.Write(warc.ResponseDraft(all[0].Page.URL, all[0].Page.Fetched, 200, header, []byte(aPage("=Bees")))); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	for _, packed := range []bool{false, true} {
		o := export.Options{Format: export.WARC, Archive: dir, Software: "gatecrawl/1", Path: filepath.Join(t.TempDir(), "x.warc")}
		if packed {
			o.Path += ".gz"
		}
		if tally := write(t, o, all); tally.Rows != 2 || tally.Bare != 1 {
			t.Errorf("tally %+v, want 2 records and a page left out", tally)
		}
		b, err := os.ReadFile(o.Path)
		if err != nil {
			t.Fatal(err)
		}
		types, urls, contents := records(t, b)
		if !slices.Equal(types, []warc.Type{warc.Info, warc.Response, warc.Resource}) || urls[1] != all[0].Page.URL || urls[2] != all[1].Page.URL {
			t.Fatalf("records %v of %v", types, urls)
		}
		if !strings.Contains(contents[1], "X-Of: the server") || contents[2] != aPage("Bienen") {
			t.Errorf("contents %.300q", contents)
		}
	}
	all[0].File, all[0].Offset = "crawl-00001.warc.zst", 1234
	line := printed(t, export.Options{Format: export.CSV, Fields: []string{"warc_file", "warc_offset"}}, all)
	if got := strings.Fields(line); got[1] != "crawl-00001.warc.zst,1234" || got[2] != "," {
		t.Errorf("places %q", got)
	}
}

func TestWETHasTexts(t *testing.T) {
	types, urls, contents := records(t, []byte(printed(t, export.Options{Format: export.WET, Software: "gatecrawl/1"}, rows(t))))
	if !slices.Equal(types, []warc.Type{warc.Info, warc.Conversion, warc.Conversion}) || urls[1] != "http://a.example/bees" || !strings.Contains(contents[1], "\nif x {\n\treturn\n}\n") {
		t.Errorf("%v of %v: %q", types, urls, contents)
	}
}

func TestEdgesAreTheLinksOfPages(t *testing.T) {
	all := rows(t)[:1]
	all[0].Links = []gatecrawl.Edge{
		{From: all[0].Page.URL, To: "http://a.example/more?x=1", Text: "more", Body: true},
		{From: all[0].Page.URL, To: "http://b.example/", Text: "=1+1", NoFollow: true},
	}
	got := printed(t, export.Options{Format: export.Edges}, all)
	if want := "source,target,text,nofollow,body\nhttp://a.example/bees,http://a.example/more?x=1,more,false,true\nhttp://a.example/bees,http://b.example/,'=1+1,true,false\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestEveryFieldIsInTheTableOfFields compares the fields with docs/export.md.
func TestEveryFieldIsInTheTableOfFields(t *testing.T) {
	docs, err := os.ReadFile("../docs/export.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range export.FieldNames() {
		if !strings.Contains(string(docs), "| `"+name+"` |") {
			t.Errorf("docs/export.md does not tell of %s", name)
		}
	}
	for _, f := range export.Formats {
		if !strings.Contains(string(docs), "| `"+string(f)+"` |") {
			t.Errorf("docs/export.md does not tell of the format %s", f)
		}
	}
}

func BenchmarkExportOfAPageOf14kB(b *testing.B) {
	row := rowOf(b, 1, "http://a.example/bees", "en", strings.Replace(aPage("Bees"), "<h2>", strings.Repeat("<p>"+prose+"</p>\n", 70)+"<h2>", 1))
	for _, f := range export.Formats {
		b.Run(string(f), func(b *testing.B) {
			e, err := export.New(export.Options{Format: f, Out: io.Discard})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := e.Write(row); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
