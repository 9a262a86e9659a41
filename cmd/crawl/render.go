package main

import (
	"gatecrawl"
	"gatecrawl/fetch/render"
)

// renderWith gives a crawler a browser where the settings ask for one, and
// returns what ends it.
func (j *job) renderWith(c *gatecrawl.Crawler) (stop func() error, err error) {
	if j.settings.Render == gatecrawl.RenderNever {
		return func() error { return nil }, nil
	}
	o := render.Defaults()
	o.Fetch, o.MaxBody = j.fetcher.Fetch, int64(j.settings.MaxBody)
	b, err := render.New(o)
	if err != nil {
		return nil, usagef("--render %s: %w", j.settings.Render, err)
	}
	c.RenderWith(b)
	return b.Close, nil
}
