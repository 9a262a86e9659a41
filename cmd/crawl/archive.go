package main

import (
	"path/filepath"

	"gatecrawl"
	"gatecrawl/fetch"
	"gatecrawl/warc"
)

// archiveIn gives a crawler the job's archive where the settings ask for one, and
// returns what closes it.
func (j *job) archiveIn(c *gatecrawl.Crawler) (stop func() error, err error) {
	if !j.settings.WARC {
		return func() error { return nil }, nil
	}
	o := warc.DefaultArchiveOptions()
	o.About = warc.Fields{
		{Name: "software", Value: fetch.Token + " " + version()},
		{Name: "format", Value: "WARC File Format 1.1"},
		{Name: "conformsTo", Value: "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
		{Name: "robots", Value: "obey"},
		{Name: "http-header-user-agent", Value: j.settings.FetchOptions(version()).Agent},
	}
	if j.settings.Contact != "" {
		o.About = append(o.About, warc.Field{Name: "operator", Value: j.settings.Contact})
	}
	a, err := warc.OpenArchive(filepath.Join(j.dir, "warc"), o)
	if err != nil {
		return nil, err
	}
	c.ArchiveIn(a)
	return a.Close, nil
}
