package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cluster/internal/rpc"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/mirror/linkrot"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/store/folder"
	"gatecrawl.example/gatecrawl/store/query"
)

// errStop ends a stream that has no reader any more.
var errStop = errors.New("stop")

// merged calls fn for what the streams yield, in the order of the keys.
func merged[T any](key func(T) uint64, streams []func(yield func(T) error) error, fn func(T) error) error {
	type head struct {
		value T
		next  func() (T, error, bool)
	}
	var heads []*head
	for _, s := range streams {
		next, stop := iter.Pull2(func(yield func(T, error) bool) {
			err := s(func(v T) error {
				if !yield(v, nil) {
					return errStop
				}
				return nil
			})
			if err != nil && !errors.Is(err, errStop) {
				var zero T
				yield(zero, err)
			}
		})
		defer stop()
		v, err, ok := next()
		if err != nil {
			return err
		}
		if ok {
			heads = append(heads, &head{v, next})
		}
	}
	for len(heads) > 0 {
		least := 0
		for i := range heads {
			if key(heads[i].value) < key(heads[least].value) {
				least = i
			}
		}
		h := heads[least]
		if err := fn(h.value); err != nil {
			return err
		}
		v, err, ok := h.next()
		if err != nil {
			return err
		}
		if h.value = v; !ok {
			heads = slices.Delete(heads, least, least+1)
		}
	}
	return nil
}

// Status implements gatecrawl.Inspector.
func (c *Store) Status(ctx context.Context) (gatecrawl.Status, error) {
	if err := c.settled(ctx); err != nil {
		return gatecrawl.Status{}, err
	}
	var all gatecrawl.Status
	var away []string
	var last error // of the partitions that do not answer
	heard := false
	for _, p := range c.parts {
		s, err := p.Status(ctx)
		switch {
		case rpc.IsAway(err) && ctx.Err() == nil:
			away, last = append(away, err.Error()), err
			continue
		case err != nil:
			return all, err
		case !heard:
			all, heard = s, true
			continue
		}
		all.Totals, all.Active = all.Totals.Plus(s.Totals), max(all.Active, s.Active)
		all.NowPerSec += s.NowPerSec
		all.DiskBytes += s.DiskBytes
		all.Unread = append(all.Unread, s.Unread...)
		if s.Changes != nil {
			sum := *s.Changes
			if o := all.Changes; o != nil {
				visits := float64(max(1, o.Visits+sum.Visits))
				sum.PerDay = (o.PerDay*float64(o.Visits) + sum.PerDay*float64(sum.Visits)) / visits
				sum.Visits, sum.Changes, sum.Seconds = o.Visits+sum.Visits, o.Changes+sum.Changes, o.Seconds+sum.Seconds
			}
			all.Changes = &sum
		}
	}
	if !heard {
		return all, last
	}
	all.Job, all.Away = c.dir, away
	if all.Active > 0 {
		all.PagesPerSec = float64(all.Pages) / all.Active
	}
	if c.box == nil {
		return all, nil
	}
	disk, err := folder.Bytes(c.box.dir)
	all.DiskBytes += disk
	return all, err
}

// Pages implements gatecrawl.Inspector.
func (c *Store) Pages(ctx context.Context, from uint64, fn func(page.Record) error) error {
	if err := c.settled(ctx); err != nil {
		return err
	}
	var streams []func(func(page.Record) error) error
	for _, p := range c.parts {
		streams = append(streams, func(yield func(page.Record) error) error { return p.Pages(ctx, from, yield) })
	}
	return merged(func(p page.Record) uint64 { return p.Seq }, streams, fn)
}

// Find implements gatecrawl.Inspector.
func (c *Store) Find(ctx context.Context, f gatecrawl.Find) (found gatecrawl.Found, err error) {
	err = c.Pages(ctx, max(f.From, 1), func(p page.Record) error {
		if len(found.Records) == f.Limit || found.Looked == f.Look {
			found.Next = p.Seq
			return errStop
		}
		if found.Looked++; f.Is(&p) {
			found.Records = append(found.Records, p)
		}
		return nil
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return found, err
}

// Refused implements gatecrawl.RecordReader: partition by partition. A place in the list is the number
// of a partition, a colon and the place there.
func (c *Store) Refused(ctx context.Context, want gatecrawl.RefusedQuery) (all gatecrawl.Refused, err error) {
	place := 0
	if number, from, ok := strings.Cut(want.From, ":"); want.From != "" {
		if place, err = strconv.Atoi(number); err != nil || !ok || place < 0 || place >= len(c.parts) {
			return all, fmt.Errorf("%q: %w", want.From, gatecrawl.ErrNoPlace)
		}
		want.From = from
		if _, err := want.Key(); err != nil {
			return all, err
		}
	}
	if err := c.settled(ctx); err != nil {
		return all, err
	}
	for ; place < len(c.parts); place++ {
		found, err := c.parts[place].Refused(ctx, want)
		if err != nil {
			return all, err
		}
		all.URLs, all.Looked = append(all.URLs, found.URLs...), all.Looked+found.Looked
		if found.Next != "" {
			all.Next = fmt.Sprintf("%d:%s", place, found.Next)
			return all, nil
		}
		want.From, want.Limit, want.Look = "", want.Limit-len(found.URLs), want.Look-found.Looked
	}
	return all, nil
}

// Outline implements gatecrawl.Inspector. A job in partitions has no outline.
func (c *Store) Outline(context.Context) (*page.Outline, error) { return nil, nil }

// Rows implements gatecrawl.Inspector. Each partition is read in a snapshot of its own.
func (c *Store) Rows(ctx context.Context, want gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error {
	if want.Inlinks && len(c.parts) > 1 {
		return errors.New("the pages that link to a page are not counted in a job of several partitions: leave them out")
	}
	if err := c.settled(ctx); err != nil {
		return err
	}
	var streams []func(func(*gatecrawl.Row) error) error
	for i, p := range c.parts {
		streams = append(streams, func(yield func(*gatecrawl.Row) error) error {
			return p.Rows(ctx, want, func(row *gatecrawl.Row) error {
				if row.File != "" {
					row.File = c.relative(i, row.File)
				}
				return yield(row)
			})
		})
	}
	return merged(func(r *gatecrawl.Row) uint64 { return r.Page.Seq }, streams, fn)
}

// relative changes the name of a WARC file of a partition into a path from the job's archive
// folder.
func (c *Store) relative(place int, file string) string {
	p := c.here[place]
	if p == nil {
		return filepath.Join("..", folderOf(uint32(place)), "archive", file) // on the node that has the partition
	}
	rel, err := filepath.Rel(filepath.Join(c.dir, "archive"), filepath.Join(p.Dir(), "archive", file))
	if err != nil {
		return filepath.Join(p.Dir(), "archive", file)
	}
	return rel
}

// LinksTo implements gatecrawl.Inspector: partition by partition.
func (c *Store) LinksTo(ctx context.Context, urls []string, fn func(gatecrawl.Edge) error) error {
	return c.each(ctx, func(p part) error { return p.LinksTo(ctx, urls, fn) })
}

// each carries the messages that wait, and then calls fn for every partition.
func (c *Store) each(ctx context.Context, fn func(part) error) error {
	if err := c.settled(ctx); err != nil {
		return err
	}
	for _, p := range c.parts {
		if err := fn(p); err != nil {
			return err
		}
	}
	return nil
}

// eachOwn is each for the partitions of this process.
func (c *Store) eachOwn(ctx context.Context, fn func(*store.Store) error) error {
	if err := c.settled(ctx); err != nil {
		return err
	}
	for _, p := range c.own {
		if err := fn(p); err != nil {
			return err
		}
	}
	return nil
}

// LinksFrom implements gatecrawl.Inspector.
func (c *Store) LinksFrom(ctx context.Context, url string, fn func(gatecrawl.Edge) error) error {
	p, err := c.with(ctx, url)
	if err != nil {
		return err
	}
	return p.LinksFrom(ctx, url, fn)
}

// with carries the messages that wait, and returns the partition of a URL.
func (c *Store) with(ctx context.Context, url string) (part, error) {
	u, err := weburl.Parse(url)
	if err == nil {
		err = c.settled(ctx)
	}
	return c.of(u), err
}

// Groups implements gatecrawl.Inspector.
func (c *Store) Groups(ctx context.Context, q gatecrawl.GroupQuery, fn func(gatecrawl.Group) error) error {
	if err := c.settled(ctx); err != nil {
		return err
	}
	var streams []func(func(gatecrawl.Group) error) error
	for _, p := range c.parts {
		streams = append(streams, func(yield func(gatecrawl.Group) error) error { return p.Groups(ctx, q, yield) })
	}
	var all gatecrawl.Group
	told := 0
	tell := func() error {
		if all.Seq == 0 {
			return nil
		}
		if told++; q.Limit > 0 && told > q.Limit {
			return errStop
		}
		slices.SortFunc(all.Copies, func(a, b gatecrawl.Member) int { return cmp.Compare(a.Seq, b.Seq) })
		if n := len(all.Copies); q.Copies > 0 && n > q.Copies {
			all.Copies, all.More = all.Copies[:q.Copies], all.More+n-q.Copies
		}
		return fn(all)
	}
	err := merged(func(g gatecrawl.Group) uint64 { return g.Seq }, streams, func(g gatecrawl.Group) error {
		if g.Seq != all.Seq {
			if err := tell(); err != nil {
				return err
			}
			all = g
			return nil
		}
		all.Degree += g.Degree
		all.Copies = append(all.Copies, g.Copies...)
		all.More += g.More
		return nil
	})
	if err == nil {
		err = tell()
	}
	if errors.Is(err, errStop) { // of tell
		err = nil
	}
	return err
}

// A library makes the records of all partitions available to the comparison of mirrors.
type library struct{ c *Store }

// Document implements mirror.Library.
func (l library) Document(ctx context.Context, url string) (mirror.Document, mirror.State, error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return mirror.Document{}, mirror.Unknown, nil // a mapping may make what is not a URL
	}
	return l.c.of(u).Document(ctx, url)
}

// Text implements mirror.Reader.
func (l library) Text(ctx context.Context, url string) (string, bool, error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return "", false, nil
	}
	return l.c.of(u).TextAt(ctx, url)
}

// survey has each partition read its own records: all pages of a site are in one partition.
func (c *Store) survey(ctx context.Context) (*mirror.Survey, error) {
	survey, err := mirror.NewSurvey(mirror.DefaultOptions())
	if err != nil {
		return nil, err
	}
	all, err := c.Status(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range c.parts {
		err := p.Sites(ctx, all.Copies > 0, func(s mirror.Surveyed) error {
			survey.Take(s)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return survey, nil
}

// Pairs implements gatecrawl.Inspector.
func (c *Store) Pairs(ctx context.Context) ([]mirror.Pair, error) {
	survey, err := c.survey(ctx)
	if err != nil {
		return nil, err
	}
	rels, err := survey.Relations(ctx, library{c})
	if err != nil {
		return nil, fmt.Errorf("mirrors: %w", err)
	}
	return c.hostPairs(ctx, survey.Hosts(), rels, nil)
}

// Pair implements gatecrawl.Inspector.
func (c *Store) Pair(ctx context.Context, a, b string) (mirror.Pair, error) {
	survey, err := c.survey(ctx)
	if err != nil {
		return mirror.Pair{}, err
	}
	rel, hosts, err := query.CompareSites(ctx, survey, library{c}, a, b)
	if err != nil {
		return mirror.Pair{}, err
	}
	ps, err := c.hostPairs(ctx, survey.Hosts(), []mirror.Relation{rel}, hosts)
	if err != nil {
		return mirror.Pair{}, err
	}
	return ps[0], nil
}

// hostPairs makes pairs of hosts from their groups and from the relations of their sites. If only
// is not empty, the other hosts are left out.
func (c *Store) hostPairs(ctx context.Context, shared *mirror.Shared, rels []mirror.Relation, only []string) ([]mirror.Pair, error) {
	err := c.Groups(ctx, gatecrawl.GroupQuery{}, func(g gatecrawl.Group) error {
		hosts := query.GroupHosts(g)
		if only != nil {
			hosts = slices.DeleteFunc(hosts, func(h string) bool { return !slices.Contains(only, h) })
		}
		shared.Group(hosts)
		return nil
	})
	if err != nil {
		return nil, err
	}
	ps := shared.Relate(shared.Pairs(), rels, weburl.HostOf)
	for _, p := range c.parts {
		if err := p.AddTwins(ps); err != nil {
			return nil, err
		}
	}
	return ps, nil
}

// Why implements gatecrawl.Inspector.
func (c *Store) Why(ctx context.Context, url string) (gatecrawl.Why, error) {
	p, err := c.with(ctx, url)
	if err != nil {
		return gatecrawl.Why{}, err
	}
	w, err := p.Why(ctx, url)
	if err != nil || w.Page == nil {
		return w, err
	}
	if w.Kept != nil {
		if owner := c.owner(w.Kept.Seq); owner != p {
			kept, err := owner.Record(w.Kept.Seq)
			if err != nil {
				return w, err
			}
			w.Kept = &kept
		}
	}
	const most = 100
	for _, q := range c.parts {
		if q == p {
			continue
		}
		g, ok, err := q.GroupOf(w.Page.Seq, most)
		if err != nil {
			return w, err
		}
		if ok {
			w.Degree += g.Degree
			w.Copies, w.More = append(w.Copies, g.Copies...), w.More+g.More
		}
	}
	slices.SortFunc(w.Copies, func(a, b gatecrawl.Member) int { return cmp.Compare(a.Seq, b.Seq) })
	n := min(len(w.Copies), most)
	w.Copies, w.More = w.Copies[:n], w.More+len(w.Copies)-n
	return w, nil
}

// Briefs implements gatecrawl.Inspector. The partition that has a copy has the likeness of the kept
// page; the partition that has the kept page knows the number of its copies.
func (c *Store) Briefs(ctx context.Context, urls []string) ([]gatecrawl.Brief, error) {
	if err := c.settled(ctx); err != nil {
		return nil, err
	}
	briefs := make([]gatecrawl.Brief, len(urls))
	all := make([]int, len(urls))
	for i := range all {
		all[i] = i
	}
	err := c.eachBrief(ctx, all, func(i int) string { return urls[i] }, func(i int, b gatecrawl.Brief) { briefs[i] = b })
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(i int) bool {
		b := &briefs[i]
		u, err := weburl.Parse(urls[i])
		return b.Kept == 0 || err != nil || c.owner(b.Kept) == c.of(u)
	})
	err = c.eachBrief(ctx, all, func(i int) string { return briefs[i].Of }, func(i int, of gatecrawl.Brief) {
		if of.Kept == briefs[i].Kept {
			briefs[i].Degree = of.Degree
		}
	})
	return briefs, err
}

// eachBrief calls found with what the partitions know of these URLs. Each partition is asked once.
func (c *Store) eachBrief(ctx context.Context, all []int, url func(i int) string, found func(i int, b gatecrawl.Brief)) error {
	asked, places := make(map[part][]string), make(map[part][]int)
	for _, i := range all {
		u, err := weburl.Parse(url(i))
		if err != nil {
			continue
		}
		p := c.of(u)
		asked[p], places[p] = append(asked[p], url(i)), append(places[p], i)
	}
	for p, urls := range asked {
		briefs, err := p.Briefs(ctx, urls)
		if err != nil {
			return err
		}
		for n, b := range briefs {
			found(places[p][n], b)
		}
	}
	return nil
}

// View implements gatecrawl.Inspector.
func (c *Store) View(ctx context.Context, url string) (*purify.DocView, error) {
	p, err := c.with(ctx, url)
	if err != nil {
		return nil, err
	}
	return p.View(ctx, url)
}

// Body implements gatecrawl.Inspector.
func (c *Store) Body(ctx context.Context, url string) ([]byte, error) {
	p, err := c.with(ctx, url)
	if err != nil {
		return nil, err
	}
	return p.Body(ctx, url)
}

// Near implements gatecrawl.Inspector.
func (c *Store) Near(ctx context.Context, sig dedup.Signature, text *dedup.Text, want gatecrawl.NearQuery) ([]gatecrawl.Member, error) {
	if err := c.settled(ctx); err != nil {
		return nil, err
	}
	found, err := c.gate.neighbours(sig, text, want)
	if err != nil {
		return nil, err
	}
	more, err := c.nearOnSite(sig, text, want)
	if err != nil {
		return nil, err
	}
	return c.members(query.Nearest(found, more, want.Limit))
}

// nearOnSite compares a page that was read without a template with pages of its own host.
func (c *Store) nearOnSite(sig dedup.Signature, text *dedup.Text, want gatecrawl.NearQuery) ([]dedup.Neighbour, error) {
	if text == nil || text.Host == "" {
		return nil, nil
	}
	u, err := weburl.Parse("http://" + text.Host + "/")
	if err != nil {
		return nil, nil
	}
	as, on, err := c.of(u).OnSite(sig, text)
	if err != nil || on == nil {
		return nil, err
	}
	return c.gate.neighbours(as, on, want)
}

// members returns the pages that the verdicts name.
func (c *Store) members(found []dedup.Neighbour) ([]gatecrawl.Member, error) {
	members := make([]gatecrawl.Member, 0, len(found))
	for _, v := range found {
		p, err := c.owner(uint64(v.Of)).Record(uint64(v.Of))
		if err != nil {
			return nil, err
		}
		members = append(members, gatecrawl.Member{
			URL: p.URL, Seq: p.Seq, Class: v.Class.String(), Level: int(v.Level), Distance: v.Distance, Similarity: v.Similarity, Apart: v.Apart,
		})
	}
	return members, nil
}

// NearPage implements gatecrawl.Inspector.
func (c *Store) NearPage(ctx context.Context, url string, want gatecrawl.NearQuery) ([]gatecrawl.Member, error) {
	if err := c.settled(ctx); err != nil {
		return nil, err
	}
	return query.NearPage(ctx, nearby{c}, url, want)
}

// A nearby implements query.Neighbourhood for a job in partitions.
type nearby struct{ *Store }

// Decided implements query.Neighbourhood.
func (n nearby) Decided(u weburl.URL) (uint64, dedup.Verdict, dedup.Signature, error) {
	return n.of(u).Decided(u)
}

// Neighbours implements query.Neighbourhood.
func (n nearby) Neighbours(sig dedup.Signature, text *dedup.Text, want gatecrawl.NearQuery) ([]dedup.Neighbour, error) {
	return n.gate.neighbours(sig, text, want)
}

// Members implements query.Neighbourhood.
func (n nearby) Members(found []dedup.Neighbour) ([]gatecrawl.Member, error) { return n.members(found) }

// Alive implements gatecrawl.Inspector, answered by the partition of the URL.
func (c *Store) Alive(ctx context.Context, url string) (linkrot.Lost, error) {
	p, err := c.with(ctx, url)
	if err != nil {
		return linkrot.Lost{}, err
	}
	return p.Alive(ctx, url)
}

// Rules implements gatecrawl.URLRules.
func (c *Store) Rules(ctx context.Context, fn func(dust.Learned) error) error {
	return c.each(ctx, func(p part) error { return p.Rules(ctx, fn) })
}

// Explain implements gatecrawl.URLRules.
func (c *Store) Explain(ctx context.Context, u weburl.URL) (dust.Explained, error) {
	return c.of(u).Explain(ctx, u)
}

// ImportRules implements gatecrawl.URLRules.
func (c *Store) ImportRules(ctx context.Context, rs []dust.Learned) (added int, err error) {
	parts := make([][]dust.Learned, len(c.parts))
	for _, r := range rs {
		host, _, _ := strings.Cut(r.Scope, "/")
		u, err := weburl.Parse("http://" + host + "/")
		if err != nil {
			return 0, fmt.Errorf("import url rules: %w", err)
		}
		at := c.places.Of(u)
		parts[at] = append(parts[at], r)
	}
	for i, mine := range parts {
		if len(mine) == 0 {
			continue
		}
		n, err := c.parts[i].ImportRules(ctx, mine)
		if added += n; err != nil {
			return added, err
		}
	}
	return added, nil
}

// RevokeRule implements gatecrawl.URLRules.
func (c *Store) RevokeRule(ctx context.Context, id dust.ID) (err error) {
	for _, p := range c.parts {
		if err = p.RevokeRule(ctx, id); !errors.Is(err, gatecrawl.ErrUnknown) {
			return err
		}
	}
	return err
}

// Hosts implements gatecrawl.HostLister.
func (c *Store) Hosts(ctx context.Context, q gatecrawl.HostQuery) (all []gatecrawl.HostState, err error) {
	for _, name := range q.Names {
		u, err := weburl.Parse("http://" + name + "/")
		if err != nil {
			continue
		}
		hs, err := c.of(u).Hosts(ctx, gatecrawl.HostQuery{Names: []string{name}})
		if err != nil {
			return nil, err
		}
		all = append(all, hs...)
	}
	if q.Names != nil {
		return all, nil
	}
	of := gatecrawl.HostQuery{By: q.By, Limit: q.Limit}
	if of.Limit > 0 {
		of.Limit += q.Skip
	}
	for _, p := range c.parts {
		hs, err := p.Hosts(ctx, of)
		if err != nil {
			return nil, err
		}
		all = append(all, hs...)
	}
	slices.SortStableFunc(all, func(a, b gatecrawl.HostState) int { return compareHosts(q.By, a, b) })
	all = all[min(q.Skip, len(all)):]
	if q.Limit > 0 {
		all = all[:min(len(all), q.Limit)]
	}
	return all, nil
}

// compareHosts compares by an order of hosts.
func compareHosts(by frontier.HostOrder, a, b gatecrawl.HostState) int {
	switch by {
	case frontier.HostsByFetched:
		return cmp.Compare(b.Fetched, a.Fetched)
	case frontier.HostsByFailures:
		return cmp.Compare(b.Failures, a.Failures)
	case frontier.HostsRetried:
		return compareTimes(a.Again, b.Again)
	case frontier.HostsInHand:
		return compareTimes(a.Since, b.Since)
	case frontier.HostsParked:
		return compareTimes(b.Parked, a.Parked)
	}
	return cmp.Compare(b.Queued, a.Queued)
}

func compareTimes(a, b *time.Time) int {
	if a == nil || b == nil {
		return 0
	}
	return a.Compare(*b)
}

// Waiting implements gatecrawl.HostLister.
func (c *Store) Waiting(ctx context.Context, want gatecrawl.WaitingQuery) (all gatecrawl.Waiting, err error) {
	depths, scores := make(map[int]int64), make(map[int]int64)
	want.Sample = max(1, want.Sample/len(c.parts))
	for _, p := range c.parts {
		w, err := p.Waiting(ctx, want)
		if err != nil {
			return all, err
		}
		all.Queued += w.Queued
		all.Looked += w.Looked
		all.URLs = append(all.URLs, w.URLs...)
		for _, d := range w.Depths {
			depths[d.Depth] += d.URLs
		}
		for _, s := range w.Scores {
			scores[s.From] += s.URLs
		}
	}
	all.Depths, all.Scores = []gatecrawl.DepthRow{}, []gatecrawl.ScoreRow{}
	for d, n := range depths {
		all.Depths = append(all.Depths, gatecrawl.DepthRow{Depth: d, URLs: n})
	}
	for f, n := range scores {
		all.Scores = append(all.Scores, gatecrawl.ScoreRow{From: f, URLs: n})
	}
	slices.SortFunc(all.Depths, func(a, b gatecrawl.DepthRow) int { return a.Depth - b.Depth })
	slices.SortFunc(all.Scores, func(a, b gatecrawl.ScoreRow) int { return b.From - a.From })
	gatecrawl.SortWaiting(all.URLs)
	return all, nil
}

// Verify implements gatecrawl.Inspector. It checks every partition and the gate, and whether they
// agree with each other.
func (c *Store) Verify(ctx context.Context, fn func(gatecrawl.Breach) error) (n gatecrawl.Verified, err error) {
	if err := c.settled(ctx); err != nil {
		return n, err
	}
	for i, p := range c.parts {
		v, err := p.Verify(ctx, func(b gatecrawl.Breach) error {
			b.Detail = fmt.Sprintf("partition %d: %s", i, b.Detail)
			return fn(b)
		})
		n.URLs += v.URLs
		n.Queued += v.Queued
		n.Pages += v.Pages
		n.Kept += v.Kept
		n.Votes += v.Votes
		n.Breaches += v.Breaches
		if err != nil {
			return n, err
		}
	}
	breaches, err := c.gate.verify(ctx, fn)
	n.Breaches += breaches
	if err != nil || !c.silent() {
		return n, err // after a kill they disagree until the job is resumed, which carries the messages
	}
	breach := func(what, format string, args ...any) error {
		n.Breaches++
		return fn(gatecrawl.Breach{Invariant: what, Detail: fmt.Sprintf(format, args...)})
	}
	return n, errors.Join(c.verifyKept(breach), c.verifyVotes(breach))
}

// verifyKept checks that the gate knows exactly the kept pages.
func (c *Store) verifyKept(breach func(what, format string, args ...any) error) error {
	const what = "the gate knows the kept pages of all partitions"
	if c.o.Store.Dedup.Mode == dedup.ModeOff {
		return nil
	}
	known, err := c.gate.pages()
	if err != nil {
		return err
	}
	for _, p := range c.parts {
		err := p.EachKept(func(seq uint64, sig dedup.Signature) error {
			got, ok := known[seq]
			delete(known, seq)
			if !ok || got != sig {
				return breach(what, "page %d: known %v, with its signature %v", seq, ok, got == sig)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for seq := range known {
		if err := breach(what, "page %d is known, and not kept", seq); err != nil {
			return err
		}
	}
	return nil
}

// verifyVotes checks that the partition of each kept page knows the votes that its copies have in
// other partitions.
func (c *Store) verifyVotes(breach func(what, format string, args ...any) error) error {
	type vote struct {
		seq   uint64
		place uint32
	}
	counted, told := make(map[vote]group.Size), make(map[vote]group.Size)
	for i, p := range c.parts {
		err := p.EachElsewhere(func(seq uint64, place uint32, size group.Size) error {
			if place == uint32(i) {
				counted[vote{seq, place}] = size
			} else {
				told[vote{seq, place}] = size
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	const what = "a partition knows the votes of others"
	for v, size := range counted {
		if told[v] != size {
			if err := breach(what, "page %d: partition %d counts %+v, and is said to count %+v", v.seq, v.place, size, told[v]); err != nil {
				return err
			}
		}
		delete(told, v)
	}
	for v, size := range told {
		if err := breach(what, "page %d: partition %d is said to count %+v, and counts nothing", v.seq, v.place, size); err != nil {
			return err
		}
	}
	return nil
}

// named returns the URL whose key has the prefix, from any partition except one; "" if none has it.
func (c *Store) named(but uint32, prefix []byte) (string, error) {
	for i, p := range c.parts {
		if p == nil || uint32(i) == but {
			continue
		}
		if url, err := p.Named(prefix); err != nil && !rpc.IsAway(err) || url != "" {
			return url, err
		}
	}
	return "", nil
}

// Roots returns the roots of the crawl's scope that the partitions of this process have.
func (c *Store) Roots() (all []weburl.URL, err error) {
	for _, p := range c.own {
		roots, err := p.Roots()
		if err != nil {
			return nil, err
		}
		all = append(all, roots...)
	}
	slices.SortFunc(all, func(a, b weburl.URL) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(all), nil
}

// Requeue implements store.Store, for every partition.
func (c *Store) Requeue(ctx context.Context, a gatecrawl.Again) (all gatecrawl.Requeued, err error) {
	if a.Pages > 0 {
		a.Pages = max(1, a.Pages*len(c.own)/len(c.parts))
	}
	err = c.eachOwn(ctx, func(p *store.Store) error {
		n, err := p.Requeue(ctx, a)
		all.Add(n)
		return err
	})
	return all, err
}

// RetryFailed is store.Store's, for every partition.
func (c *Store) RetryFailed(ctx context.Context, ahead bool) (all int, err error) {
	err = c.eachOwn(ctx, func(p *store.Store) error {
		n, err := p.RetryFailed(ctx, ahead)
		all += n
		return err
	})
	return all, err
}

// AskAgain implements gatecrawl.Store.
func (c *Store) AskAgain(ctx context.Context, urls []weburl.URL) (all int, err error) {
	err = c.eachOwn(ctx, func(p *store.Store) error {
		n, err := p.AskAgain(ctx, urls)
		all += n
		return err
	})
	return all, err
}

// Rerate implements gatecrawl.Store, for every partition.
func (c *Store) Rerate(ctx context.Context, by uint64, keep bool, rate func(url string, view *purify.DocView) float32) error {
	return c.eachOwn(ctx, func(p *store.Store) error { return p.Rerate(ctx, by, keep, rate) })
}

// FindParts implements store.Store: among the pages of each partition.
func (c *Store) FindParts(ctx context.Context) (all int, err error) {
	err = c.eachOwn(ctx, func(p *store.Store) error {
		n, err := p.FindParts(ctx)
		all += n
		return err
	})
	return all, err
}

// Ended returns how the last run ended; "" if a partition's was cut off or ended in another way, or while one goes on.
func (c *Store) Ended() (e gatecrawl.Ended) {
	for i, p := range c.own {
		if i > 0 && p.Ended() != e {
			return ""
		}
		e = p.Ended()
	}
	return e
}

// Stopped remembers why a run ended, for Status.
func (c *Store) Stopped(why string) error {
	for _, p := range c.own {
		if err := p.Stopped(why); err != nil {
			return err
		}
	}
	return nil
}

// SaveSettings keeps a copy of the settings that the job is crawled with.
func (c *Store) SaveSettings(text []byte) error { return c.own[0].SaveSettings(text) }

// SetDelay implements store.Store.
func (c *Store) SetDelay(d time.Duration) {
	for _, p := range c.own {
		p.SetDelay(d)
	}
}

// Park implements store.Store.
func (c *Store) Park(ctx context.Context, host string, till time.Time) error {
	u, err := weburl.Parse("http://" + host + "/")
	if err != nil {
		return fmt.Errorf("park: %q is not the name of a host", weburl.Shorten(host))
	}
	return c.of(u).Park(ctx, host, till)
}
