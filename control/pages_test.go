package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/page"
)

// recordsJob has these records.
type recordsJob struct {
	gatecrawl.Inspector
	records []page.Record
}

func (j recordsJob) Pages(_ context.Context, from uint64, fn func(page.Record) error) error {
	for _, p := range j.records[from-1:] {
		if err := fn(p); err != nil {
			return err
		}
	}
	return nil
}

func (j recordsJob) Find(_ context.Context, f gatecrawl.Find) (found gatecrawl.Found, err error) {
	for i, p := range j.records[f.From-1:] {
		if len(found.Records) == f.Limit {
			found.Next = f.From + uint64(i)
			break
		}
		if f.Is(&p) {
			found.Records = append(found.Records, p)
		}
	}
	return found, nil
}

func TestPagesAreChosenByTheirFields(t *testing.T) {
	job := recordsJob{records: []page.Record{
		{Seq: 1, URL: "http://a.example/", Status: 200, Verdict: page.VerdictNew},
		{Seq: 2, URL: "http://b.example:8080/x", Status: 200, Verdict: page.VerdictCopy, Level: 4},
		{Seq: 3, URL: "http://a.example/gone", Status: 410, Verdict: page.VerdictFailed, Failure: "http 410 gone", Reason: "http 410 gone"},
		{Seq: 4, URL: "http://a.example/away", Status: 302, Verdict: page.VerdictRefused, Rule: "redirect"},
	}}
	for query, want := range map[string]string{
		"": "1 2 3 4", "verdict=copy": "2", "host=A.example": "1 3 4", "host=b.example": "", "host=b.example:8080": "2", "status=200": "1 2", "level=4": "2",
		"reason=http+410+gone": "3", "rule=redirect": "4", "rule=robots": "", "host=a.example&status=200": "1", "host=a.example&from=2&limit=1": "3",
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		q, err := parseQuestion("pages", values)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := parseQuestion("pages", q.values()); err != nil || again != q {
			t.Errorf("%q is sent as %q and read as %+v, %v", query, q.values().Encode(), again, err)
		}
		var out bytes.Buffer
		if err := Answer(t.Context(), job, q, &out); err != nil {
			t.Errorf("%q: %v", query, err)
		}
		var got []string
		for _, m := range regexp.MustCompile(`"seq":(\d+)`).FindAllStringSubmatch(out.String(), -1) {
			got = append(got, m[1])
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("pages?%s are %s, want %s", query, s, want)
		}
	}
	for _, query := range []string{"status=two", "level=x", "limit=x", "verdict=kept"} {
		values, _ := url.ParseQuery(query) // these can be parsed
		q, err := parseQuestion("pages", values)
		if err == nil {
			err = Answer(t.Context(), job, q, new(bytes.Buffer))
		}
		if err == nil || !strings.Contains(fmt.Sprint(err), strings.SplitN(query, "=", 2)[0]) {
			t.Errorf("pages?%s: %v, want it refused", query, err)
		}
		if q.Verdict == "kept" && !errors.Is(err, errBad) {
			t.Errorf("pages?%s: %v is not the client's fault", query, err)
		}
	}
}
