package duplicates

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/fold"
)

// Lines are read by several goroutines, and results come in the order of their lines all the same. Wrong lines are left
// out, and named in their order.
func TestAListOfResultsIsReadInItsOrder(t *testing.T) {
	var list strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&list, "{\"url\":\"http://a.example/%d\"}\n", i)
	}
	results, err := readResults(strings.NewReader(list.String()), "list", &cli.Faults{To: io.Discard})
	if err != nil || len(results) != 1000 {
		t.Fatalf("%d results, %v; want 1000", len(results), err)
	}
	for i, r := range results {
		if want := fmt.Sprintf("http://a.example/%d", i); r.URL != want {
			t.Fatalf("result %d is of %s, want %s", i+1, r.URL, want)
		}
	}
	wrong := strings.NewReplacer("/700\"}", "/700\"", "/900\"}", "/900\"").Replace(list.String())
	var told strings.Builder
	faults := &cli.Faults{To: &told}
	results, err = readResults(strings.NewReader(wrong), "list", faults)
	if err != nil || len(results) != 998 || results[700].URL != "http://a.example/701" {
		t.Errorf("of a list with two wrong lines of 1,000: %d results, %v", len(results), err)
	}
	if lines := strings.Split(told.String(), "\n"); faults.N != 2 || !strings.HasPrefix(lines[0], "list:701: ") || !strings.HasPrefix(lines[1], "list:901: ") {
		t.Errorf("of a list with two wrong lines %d are told:\n%s", faults.N, &told)
	}
}

// A file of another kind is refused at its start, however long it is.
func TestAFileWithoutResultsIsNotReadToItsEnd(t *testing.T) {
	endless := io.MultiReader(strings.NewReader(strings.Repeat("words of a text\n", 1<<13)), iotest.ErrReader(errors.New("it was read to its end")))
	faults := &cli.Faults{To: io.Discard}
	if _, err := readResults(endless, "text", faults); err == nil || !strings.HasPrefix(err.Error(), "text:1: neither a URL nor a JSON object") {
		t.Errorf("of a text: %v; want an error of line 1", err)
	}
}

// Whatever a line is, it is read as encoding/json reads it.
func FuzzUnmarshalResult(f *testing.F) {
	for _, line := range []string{
		`{"url":"http://a.example/","title":"A title","snippet":"words","score":1.5,"of":"http://b.example/"}`,
		` {"url":"http://a.example/"}`, "{\"url\" : \"http://a.example/\" ,\t\"score\": -0.25 }\r", `{"url":"a","score":0}`,
		`{"url":"a","url":"b"}`, `{"URL":"a","degree":3}`, `{"url":"a\u0041\n"}`, `{"url":"日本語"}`, "{\"url\":\"\xff\"}", "{\"url\":\"a\tb\"}",
		`{"url":null}`, `{"url":1}`, `{"score":"1"}`, `{"score":01}`, `{"score":1.}`, `{"score":.5}`, `{"score":-}`, `{"score":+1}`, `{"score":1e3}`,
		`{"score":1_0}`, `{"score":0x10}`, `{"score":1` + "\x00" + `}`, `{}`, `{`, `{"url"}`, `{"url":}`, `{"url":"a",}`, `{"url":"a"}x`, `{"url":"a"}}`, `[]`, ``,
		`{"text":{"sketch":"a"}}`, `{"score":123456789012345678901234567890}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var got, want fold.Result
		err, wantErr := unmarshalResult(line, &got), json.Unmarshal(line, &want)
		if (err == nil) != (wantErr == nil) || err == nil && got != want {
			t.Errorf("%q is %+v, %v; want %+v, %v", line, got, err, want, wantErr)
		}
	})
}

func BenchmarkUnmarshalResult(b *testing.B) {
	line := []byte(`{"url":"http://www.host2.example/part2/page-92.html","title":"eight words of a title that a page has","snippet":"` +
		`some forty words of a text that has what was asked for, as a search engine shows it below the title of each page that it finds, so that a reader sees whether it is what he wants or not` + `","score":831}`)
	for name, read := range map[string]func([]byte, *fold.Result) error{"v2": unmarshalResult, "v1": func(line []byte, r *fold.Result) error { return json.Unmarshal(line, r) }} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var r fold.Result
				if err := read(line, &r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
