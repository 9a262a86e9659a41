package mirror

import (
	"maps"
	"slices"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A Surveyed is what a survey has of one site, in a form that goes from one process to
// another.
type Surveyed struct {
	Origin     string
	Documents  int            // as in Site, and so the other fields
	Named      uint64         `json:",omitempty"`
	Met        uint64         `json:",omitempty"`
	Twin       string         `json:",omitempty"`
	TwinWhy    string         `json:",omitempty"`
	IP         string         `json:",omitempty"`
	Redirects  map[string]int `json:",omitempty"`
	Canonicals map[string]int `json:",omitempty"`
	Sample     []Document     `json:",omitempty"`
	Most       int            // documents in a sample of its survey
}

// Each calls fn for each site, by origin.
func (v *Survey) Each(fn func(Surveyed) error) error {
	for _, origin := range slices.Sorted(maps.Keys(v.sites)) {
		s := v.sites[origin]
		f := Surveyed{
			Origin: origin, Documents: s.Documents, Named: s.Named, Met: s.Met, Twin: s.twin, TwinWhy: s.twinWhy, IP: s.ip,
			Redirects: s.redirects, Canonicals: s.canonicals, Most: v.most, Sample: make([]Document, 0, len(s.sample)),
		}
		for _, d := range s.sample {
			f.Sample = append(f.Sample, d.Document)
		}
		if err := fn(f); err != nil {
			return err
		}
	}
	return nil
}

// Take adds a site of another survey, which this one does not have.
func (v *Survey) Take(f Surveyed) {
	s := v.Site(f.Origin)
	v.shorten(f.Most)
	for _, d := range f.Sample {
		v.Add(s, d)
	}
	s.Documents, s.Named, s.Met, s.ip = f.Documents, f.Named, f.Met, f.IP
	s.twin, s.twinWhy, s.redirects, s.canonicals = f.Twin, f.TwinWhy, f.Redirects, f.Canonicals
}

// Hosts returns how many documents each host has, and no groups.
func (v *Survey) Hosts() *Shared {
	s := &Shared{pages: make(map[string]int, len(v.sites))}
	for origin, site := range v.sites {
		if site.Documents > 0 {
			s.pages[weburl.HostOf(origin)] += site.Documents
		}
	}
	return s
}
