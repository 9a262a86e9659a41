package query

import (
	"context"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/mirror/twins"
	"gatecrawl.example/gatecrawl/store/job"
)

// records returns what the job knows of URLs.
func (q *Reader) records() twins.Records {
	return twins.Records{Tables: q.job.Tables, Job: q.job.Mirrored}
}

// Document implements mirror.Library.
func (q *Reader) Document(ctx context.Context, url string) (mirror.Document, mirror.State, error) {
	return q.records().Document(ctx, url)
}

// TextAt returns the body of the page at a URL, or of the page that it is a copy of; ok is
// false if there is none.
func (q *Reader) TextAt(ctx context.Context, url string) (text string, ok bool, err error) {
	return q.records().Text(ctx, url)
}

// AddTwins adds to pairs of hosts which site was requested in place of which, and how many URLs of one
// of them were deferred, or left out by a rule for www.
func (q *Reader) AddTwins(ps []mirror.Pair) error {
	return q.look(func(in job.Snapshot) error {
		for i := range ps {
			a, b := ps[i].A, ps[i].B
			if a != "www."+b && b != "www."+a {
				continue // rules have one host, with and without www
			}
			for _, way := range [][2]string{{a, b}, {b, a}} {
				n, err := dust.CountFor(in, weburl.HostKeyOf(way[0]), weburl.HostKeyOf(way[1]))
				if err != nil {
					return err
				}
				ps[i].Deferred += n
			}
		}
		return twins.AddTwins(in, ps)
	})
}

// Sites calls fn for each site, with a sample of its documents. grouped says that copies were
// searched for in the whole job.
func (q *Reader) Sites(ctx context.Context, grouped bool, fn func(mirror.Surveyed) error) error {
	survey, err := q.records().Survey(ctx, grouped)
	if err != nil {
		return err
	}
	return survey.Each(fn)
}

// survey reads all records.
func (q *Reader) survey(ctx context.Context) (*mirror.Survey, error) {
	return q.records().Survey(ctx, q.job.Totals().Copies > 0)
}

// Relations compares all sites of the job.
func (q *Reader) Relations(ctx context.Context) ([]mirror.Relation, error) {
	survey, err := q.survey(ctx)
	if err != nil {
		return nil, err
	}
	return survey.Relations(ctx, q.records())
}

// Pairs implements gatecrawl.Inspector.
func (q *Reader) Pairs(ctx context.Context) ([]mirror.Pair, error) { return q.PairsBy(ctx, nil) }

// PairsBy is Pairs. If probe is not nil it is called for documents that the job does not know.
func (q *Reader) PairsBy(ctx context.Context, probe twins.Probe) ([]mirror.Pair, error) {
	survey, err := q.survey(ctx)
	if err != nil {
		return nil, err
	}
	var known mirror.Library = q.records()
	if probe != nil {
		known = twins.Asking{Records: q.records(), Ask: probe}
	}
	rels, err := survey.Relations(ctx, known)
	if err != nil {
		return nil, fmt.Errorf("mirrors: %w", err)
	}
	shared := survey.Hosts()
	err = q.Groups(ctx, gatecrawl.GroupQuery{}, func(g gatecrawl.Group) error {
		shared.Group(GroupHosts(g))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return q.pairs(shared, rels)
}

// pairs makes pairs of hosts from what they share and from the relations of their sites.
func (q *Reader) pairs(shared *mirror.Shared, rels []mirror.Relation) ([]mirror.Pair, error) {
	ps := shared.Relate(shared.Pairs(), rels, weburl.HostOf)
	return ps, q.AddTwins(ps)
}

// GroupHosts returns the host of each member of a group.
func GroupHosts(g gatecrawl.Group) []string {
	hosts := []string{weburl.HostOf(g.URL)}
	for _, m := range g.Copies {
		hosts = append(hosts, weburl.HostOf(m.URL))
	}
	return hosts
}

// Pair implements gatecrawl.Inspector.
func (q *Reader) Pair(ctx context.Context, a, b string) (mirror.Pair, error) {
	survey, err := q.survey(ctx)
	if err != nil {
		return mirror.Pair{}, err
	}
	rel, hosts, err := CompareSites(ctx, survey, q.records(), a, b)
	if err != nil {
		return mirror.Pair{}, err
	}
	shared := survey.Hosts()
	err = q.Groups(ctx, gatecrawl.GroupQuery{}, func(g gatecrawl.Group) error {
		shared.Group(slices.DeleteFunc(GroupHosts(g), func(h string) bool { return !slices.Contains(hosts, h) }))
		return nil
	})
	if err != nil {
		return mirror.Pair{}, err
	}
	ps, err := q.pairs(shared, []mirror.Relation{rel})
	if err != nil {
		return mirror.Pair{}, err
	}
	return ps[0], nil
}

// CompareSites compares two sites of a survey by their names, and returns their hosts too. The
// error wraps gatecrawl.ErrUnknown if there is no such site.
func CompareSites(ctx context.Context, survey *mirror.Survey, lib mirror.Library, a, b string) (rel mirror.Relation, hosts []string, err error) {
	var origins [2]string
	for i, name := range []string{a, b} {
		origin, ok, err := survey.Find(name)
		if err == nil && !ok {
			err = fmt.Errorf("site %s: %w: want a host, such as example.org, with documents in the job", name, gatecrawl.ErrUnknown)
		}
		if err != nil {
			return rel, nil, err
		}
		origins[i], hosts = origin, append(hosts, weburl.HostOf(origin))
	}
	if rel, err = survey.Compare(ctx, lib, origins[0], origins[1]); err != nil {
		return rel, nil, fmt.Errorf("mirrors: %w", err)
	}
	return rel, hosts, nil
}
