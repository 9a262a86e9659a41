package crawl

import (
	"errors"
	"io"

	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A ScopeTest says of URLs whether a crawl with some settings would queue them. It sends no
// request, so it knows no robots.txt; nor does it know what a crawl learns.
type ScopeTest struct {
	scope    *frontier.Scope
	seeds    map[weburl.Key]bool
	contact  string
	loopback bool
}

// NewScopeTest returns the test of a crawl with these settings: its seeds are those of the
// settings and the roots of a job, if there is one. Lists are read; stdin is for the list "-".
// bad is called for each line of them that is not a seed.
func NewScopeTest(s configs.Settings, roots []weburl.URL, stdin io.Reader, bad func(error)) (*ScopeTest, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	o, err := s.LoadScope()
	if err != nil {
		return nil, &SettingError{Err: err}
	}
	t := &ScopeTest{seeds: make(map[weburl.Key]bool), contact: s.Contact, loopback: s.AllowLoopback}
	if t.scope, err = frontier.NewScope(o); err != nil {
		return nil, &SettingError{Err: err}
	}
	add := func(u weburl.URL) {
		t.scope.AddRoot(u)
		t.seeds[u.Key()] = true
		t.loopback = t.loopback || len(t.seeds) == 1 && u.Loopback()
	}
	for _, u := range roots {
		add(u)
	}
	st, err := newStart(&s, stdin, bad)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	st.start()
	if st.ended != nil {
		return nil, st.ended
	}
	if st.first != nil {
		add(st.first.URL)
		for {
			seed, err, ok := st.rest()
			if !ok {
				break
			}
			if _, ends := errors.AsType[*seeds.ListError](err); ends {
				return nil, err
			}
			if err != nil {
				bad(err)
				continue
			}
			add(seed.URL)
		}
	}
	if len(t.seeds) == 0 && o.Mode != frontier.ScopeAny && o.Mode != frontier.ScopeSurt {
		return nil, &NoSeedsError{s.Seeds}
	}
	return t, nil
}

// Check says which rule keeps a URL out that was found depth links from the nearest seed; the
// zero Refusal where none does. The URL is returned as it would be queued.
func (t *ScopeTest) Check(u weburl.URL, depth int) (weburl.URL, frontier.Refusal) {
	if t.seeds[u.Key()] {
		if r := t.scope.CheckSeed(u); !r.IsZero() {
			return u, r
		}
	} else {
		u = t.scope.Clean(u)
		if r := t.scope.Check(u, depth, frontier.Trail{}); !r.IsZero() {
			return u, r
		}
	}
	switch {
	case u.Loopback() && !t.loopback:
		return u, frontier.Refusal{Rule: "address", Detail: "it is on this machine, where a crawl goes if its first seed is there, or with allow-loopback: true in a file of --config"}
	case needContact(t.contact, u) != nil:
		return u, frontier.Refusal{Rule: "contact", Detail: "no contact is named, so a crawl does not leave this machine: give --contact"}
	}
	return u, frontier.Refusal{}
}

// Seed reports whether a URL is a seed.
func (t *ScopeTest) Seed(u weburl.URL) bool { return t.seeds[u.Key()] }
