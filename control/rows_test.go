package control

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/control/board"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store"
)

// A rowsJob has rows that it makes up, and notes what it was asked for.
type rowsJob struct {
	*store.Store
	want *gatecrawl.Wanted
}

var someRows = []gatecrawl.Row{
	{Page: page.Record{Seq: 1, URL: "http://a.example/", Verdict: page.VerdictNew}, View: []byte{1, 0, 255}, Body: []byte("bytes"), Degree: 2, Copies: 3},
	{Page: page.Record{Seq: 2, URL: "http://b.example/", Verdict: page.VerdictCopy, Of: "http://a.example/"}},
}

func (j rowsJob) Rows(_ context.Context, want gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error {
	*j.want = want
	for i := range someRows {
		if err := fn(&someRows[i]); err != nil {
			return err
		}
	}
	return nil
}

// TestRowsAreThoseOfARunningCrawlOrOfItsFiles asks both for rows, with each choice of parts.
func TestRowsAreThoseOfARunningCrawlOrOfItsFiles(t *testing.T) {
	for _, running := range []bool{true, false} {
		dir := t.TempDir()
		var asked gatecrawl.Wanted
		st := openJob(t, dir)
		c := asking(dir)
		if running {
			shut, err := Serve(dir, &Running{Crawl: rowsCrawl{idle{st, nil}, rowsJob{st, &asked}}, Seeds: noSeeds, Board: board.New()})
			if err != nil {
				t.Fatal(err)
			}
			defer shut()
		} else {
			c.Read = func() (Job, error) { return unclosed{rowsJob{st, &asked}}, nil }
		}
		for _, want := range []gatecrawl.Wanted{{}, {Views: true}, {Bodies: true}, {Verdict: page.VerdictNew, Views: true, Bodies: true},
			{URLs: []string{"http://a.example/1", "http://a.example/2?a=b&c"}, Views: true}} {
			var got []gatecrawl.Row
			if err := c.Rows(t.Context(), want, func(r *gatecrawl.Row) error { got = append(got, *r); return nil }); err != nil {
				t.Fatalf("running %v: Rows: %v", running, err)
			}
			if !reflect.DeepEqual(got, someRows) || !reflect.DeepEqual(asked, want) {
				t.Errorf("running %v: Rows(%+v) asks for %+v and gives %+v, want %+v", running, want, asked, got, someRows)
			}
		}
		enough := errors.New("enough")
		if err := c.Rows(t.Context(), gatecrawl.Wanted{}, func(*gatecrawl.Row) error { return enough }); !errors.Is(err, enough) {
			t.Errorf("running %v: Rows = %v, want the error of fn", running, err)
		}
	}
}

// A rowsCrawl is a crawl whose job has these rows.
type rowsCrawl struct {
	idle
	job rowsJob
}

func (c rowsCrawl) Job() gatecrawl.Inspector { return c.job }

// unclosed leaves a job open for the test that opened it.
type unclosed struct{ gatecrawl.Inspector }

func (unclosed) Close() error { return nil }
