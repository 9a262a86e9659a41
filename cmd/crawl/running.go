package main

import (
	"context"
	"time"

	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/control/board"
	"gatecrawl.example/gatecrawl/crawl"
)

// running returns the crawl for package control, to be watched and changed. Call it before the
// crawl starts.
func (j *job) running(c *crawl.Crawl) *control.Running {
	r := &control.Running{
		Crawl: c, Seeds: addSeeds(c), Board: board.New(),
		TimeLimit: time.Duration(j.settings.TimeLimit), List: j.settings.Depth == 0,
	}
	c.OnRecord(r.Board.Settled)
	return r
}

// drawn returns the progress of the crawl as lines for the terminal.
func (j *job) drawn(ctx context.Context, r *control.Running) []string {
	l, err := r.Live(ctx, 10)
	if err != nil {
		return nil // the crawl ends with the error of its store
	}
	return liveLines(l, j.screen.Columns(), time.Now())
}
