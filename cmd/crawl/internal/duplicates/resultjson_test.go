package duplicates

import (
	"encoding/json"
	"testing"

	"gatecrawl.example/gatecrawl/fold"
)

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

func TestAnObjectAsProgramsWriteItIsReadWithoutReflection(t *testing.T) {
	var r fold.Result
	if line := `{"url": "http://a.example/x?y=1&z", "title": "Straße", "snippet": "", "score": 12.5}`; !plainResult([]byte(line), &r) || r.Score != 12.5 || r.Title != "Straße" {
		t.Errorf("%s is not plain: %+v", line, r)
	}
}

func BenchmarkUnmarshalResult(b *testing.B) {
	line := []byte(`{"url":"http://www.host2.example/part2/page-92.html","title":"eight words of a title that a page has","snippet":"` +
		`some forty words of a text that has what was asked for, as a search engine shows it below the title of each page that it finds, so that a reader sees whether it is what he wants or not` + `","score":831}`)
	for name, read := range map[string]func([]byte, *fold.Result) error{"plain": unmarshalResult, "json": func(line []byte, r *fold.Result) error { return json.Unmarshal(line, r) }} {
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
