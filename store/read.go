package store

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/dedup/parts"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/revisit"
)

// chunk is how many records a listing reads in one transaction: a long one
// would keep the file from reusing its pages.
const chunk = 1000

// A rate counts visits over the last ten seconds.
type rate struct {
	mu      sync.Mutex
	seconds [10]struct {
		unix int64
		n    int64
	}
}

func (r *rate) count(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &r.seconds[now.Unix()%10]
	if s.unix != now.Unix() {
		s.unix, s.n = now.Unix(), 0
	}
	s.n++
}

// perSecond is over the last nine full seconds, or those since the start.
func (r *rate) perSecond(now, start time.Time) float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	var n int64
	for _, s := range r.seconds {
		if s.unix < now.Unix() && s.unix >= now.Unix()-9 {
			n += s.n
		}
	}
	return float64(n) / float64(max(1, min(9, now.Unix()-start.Unix())))
}

// Status is gatecrawl.Inspector's.
func (s *Store) Status(context.Context) (gatecrawl.Status, error) {
	s.stateMu.Lock()
	active, stopped := s.state.Active, s.state.Stopped
	s.stateMu.Unlock()
	st := gatecrawl.Status{
		Totals: s.Totals(), Job: s.dir, Running: !s.readOnly,
		Created: s.job.Created, Active: active, Stopped: stopped,
	}
	if active > 0 {
		st.PagesPerSec = float64(st.Pages) / active
	}
	if st.Running {
		st.Stopped = ""
		st.NowPerSec = s.rate.perSecond(time.Now(), s.opened)
		m := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(m)
		st.MemoryBytes = int64(m[0].Value.Uint64())
	}
	err := s.look(func(in snapshot) error {
		all, mean, err := revisit.All(in)
		if all.Visits > 0 {
			st.Changes = &gatecrawl.ChangeRate{Visits: all.Visits, Changes: all.Changes, Seconds: all.Seconds, PerDay: mean}
		}
		return err
	})
	if err != nil {
		return st, err
	}
	err = filepath.WalkDir(s.dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if i, err := d.Info(); err == nil && i.Mode().IsRegular() {
			st.DiskBytes += space(i)
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		return st, fmt.Errorf("job folder: %w", err)
	}
	return st, nil
}

// Pages is gatecrawl.Inspector's.
func (s *Store) Pages(ctx context.Context, from uint64, fn func(page.Record) error) error {
	for {
		ps := make([]page.Record, 0, chunk)
		err := s.look(func(in snapshot) error {
			for e, err := range in.Scan(tablePages, seqKey(from), nil) {
				if err != nil {
					return err
				}
				p, err := page.FullOf(in, seqOf(e.Key), e.Value)
				if err != nil {
					return err
				}
				if err := in.tellOthers(&p); err != nil {
					return err
				}
				if ps = append(ps, p); len(ps) == chunk {
					break
				}
			}
			return nil
		})
		if err != nil || len(ps) == 0 {
			return err
		}
		from = ps[len(ps)-1].Seq + 1
		for _, p := range ps {
			if err := fn(p); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// tellOthers writes into the record of a kept page what other pages have of it: the degree of
// its group, and parts.
func (in snapshot) tellOthers(p *page.Record) error {
	if p.Verdict != page.VerdictNew {
		return nil
	}
	size, _, err := group.SizeOf(in, p.Seq)
	if err != nil {
		return err
	}
	p.Degree = int(size.Degree)
	return parts.Tell(in, p)
}

// Groups is gatecrawl.Inspector's.
func (s *Store) Groups(ctx context.Context, fn func(gatecrawl.Group) error) error {
	next := uint64(0)
	for {
		var gs []gatecrawl.Group
		err := s.look(func(in snapshot) error {
			for e, err := range in.Scan(group.TableGroups, seqKey(next), nil) {
				if err != nil {
					return err
				}
				next = seqOf(e.Key) + 1
				g, err := in.groupOf(seqOf(e.Key), group.DecodeSize(e.Value), 0)
				if err != nil {
					return err
				}
				if gs = append(gs, g); len(gs) == chunk/10 {
					break
				}
			}
			return nil
		})
		if err != nil || len(gs) == 0 {
			return err
		}
		for _, g := range gs {
			if err := fn(g); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// groupOf reads a kept page's copies, in crawl order; at most a number of them
// if limit is above 0.
func (in snapshot) groupOf(of uint64, r group.Size, limit int) (gatecrawl.Group, error) {
	url, err := in.urlOf(of)
	if err != nil {
		return gatecrawl.Group{}, err
	}
	g := gatecrawl.Group{URL: url, Seq: of, Degree: int(r.Degree), Copies: []gatecrawl.Member{}}
	for k, err := range group.Voters(in, of) {
		if err != nil {
			return g, err
		}
		if limit > 0 && len(g.Copies) == limit {
			break
		}
		m, err := in.member(k)
		if err != nil {
			return g, err
		}
		g.Copies = append(g.Copies, m)
	}
	slices.SortFunc(g.Copies, func(a, b gatecrawl.Member) int { return int(a.Seq) - int(b.Seq) })
	return g, nil
}

// member returns what is known of the copy with the given key.
func (in snapshot) member(key weburl.Key) (gatecrawl.Member, error) {
	rec, ok, err := in.url(key)
	if err != nil {
		return gatecrawl.Member{}, fmt.Errorf("voter %s: %w", key, err)
	}
	if !ok {
		return gatecrawl.Member{}, fmt.Errorf("voter %s: there is no such url", key)
	}
	p, _, err := in.page(rec.Page)
	if err != nil {
		return gatecrawl.Member{}, fmt.Errorf("voter %s: %w", rec.URL, err)
	}
	return gatecrawl.Member{
		URL: p.URL, Seq: rec.Page, Class: p.Class, Level: p.Level, Distance: p.Distance, Similarity: p.Similarity,
		Differs: p.Differs,
	}, nil
}

// neverMet says that a job has nothing on a URL, and under which one links to it are
// followed where that is another.
func (in snapshot) neverMet(u weburl.URL) error {
	clean, _ := u.WithoutSession()
	clean, _ = dust.NewLists(true).Strip(clean)
	_, ok, err := in.url(clean.Key())
	switch {
	case err != nil:
		return err
	case ok:
		return fmt.Errorf("%s: %w: links to it are followed as %s", u, gatecrawl.ErrUnknown, clean)
	}
	if state, err := in.state(); err == nil && state.Totals.MoreLinks > 0 {
		return fmt.Errorf("%s: %w: it is no seed, and no link that was taken leads to it; %d links were not, beyond the limit of a page (max-links)",
			u, gatecrawl.ErrUnknown, state.Totals.MoreLinks)
	}
	return fmt.Errorf("%s: %w: it is no seed, and no page that was fetched leads to it", u, gatecrawl.ErrUnknown)
}

// Why is gatecrawl.Inspector's.
func (s *Store) Why(_ context.Context, url string) (gatecrawl.Why, error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return gatecrawl.Why{}, err
	}
	key := u.Key()
	w := gatecrawl.Why{URL: u.String(), Key: key.String()}
	err = s.look(func(in snapshot) error {
		rec, ok, err := in.url(key)
		if err != nil {
			return err
		}
		if !ok {
			return in.neverMet(u)
		}
		s.tell(&w, &rec)
		if !rec.From.IsZero() {
			from, _, err := in.url(rec.From)
			if err != nil {
				return err
			}
			w.From = from.URL
		}
		if rec.Page == 0 {
			return nil
		}
		p, err := in.fullPage(rec.Page)
		if err != nil {
			return err
		}
		if err := in.tellOthers(&p); err != nil {
			return err
		}
		w.Page = &p
		if w.Changes, err = in.changeRate(rec.Page, p.Asked()); err != nil {
			return err
		}
		if w.Kept, err = page.KeptOf(in, rec.Page); err != nil {
			return err
		}
		if w.Frame, err = s.frame(in, rec.Page); err != nil {
			return err
		}
		if p.Verdict != page.VerdictCopy { // a copy is asked for by sample
			mean, err := revisit.MeanRate(in)
			if err != nil {
				return err
			}
			w.Next, err = revisit.Worth(in, s.priority, rec.Page, mean, time.Since(p.Asked()))
			if err != nil {
				return err
			}
		}
		return in.tellVotes(&w, &rec)
	})
	if err == nil && w.State == queue.Queued.String() && s.leased(key) {
		w.State = "leased"
	}
	if err != nil {
		return w, err
	}
	if w.Host = s.hostState(u.Host()); w.Host != nil {
		f, ok, err := s.Robots(u.Origin())
		if err != nil {
			return w, err
		}
		if ok {
			_, w.Host.Robots = f.Why()
		}
	}
	return w, nil
}

// tell fills in what the record says.
func (s *Store) tell(w *gatecrawl.Why, rec *queue.Record) {
	w.State = rec.State.String()
	w.Anchor, w.Label = rec.Anchor, rec.Label
	w.Depth = int(rec.Signals.Depth)
	w.Score = rec.Score
	w.Terms = s.priority.Terms(rec.Signals)
	if (rec.State == queue.Queued || rec.State == queue.Later) && rec.Page != 0 && rec.Score != s.priority.Score(rec.Signals) {
		w.Terms = []priority.Term{{Name: "again", Value: rec.Score, Why: "what another visit is worth: doubled is one more"}}
	}
	w.Attempt = rec.Attempt
	w.Rule, w.Detail = rec.Refusal.Rule, rec.Refusal.Detail
	if rec.NotBefore != 0 {
		t := time.Unix(0, rec.NotBefore).UTC()
		w.NotTill = &t
	}
}

// tellVotes fills in what the copies of a kept page did for it.
func (in snapshot) tellVotes(w *gatecrawl.Why, rec *queue.Record) error {
	r, ok, err := group.SizeOf(in, rec.Page)
	if err != nil || !ok {
		return err
	}
	g, err := in.groupOf(rec.Page, r, 100)
	if err != nil {
		return err
	}
	w.Degree, w.Copies = g.Degree, g.Copies
	return nil
}

func (s *Store) leased(k weburl.Key) bool {
	return s.queue.Leased(k)
}

// View is gatecrawl.Inspector's.
func (s *Store) View(_ context.Context, url string) (*purify.DocView, error) {
	var v *purify.DocView
	err := s.kept(url, tableViews, func(in snapshot, seq uint64, _ []byte) (err error) { v, err = s.viewIn(in, seq); return err })
	if err != nil {
		return nil, err
	}
	v.Sum()
	return v, nil
}

// Body is gatecrawl.Inspector's.
func (s *Store) Body(_ context.Context, url string) ([]byte, error) {
	var b []byte
	err := s.kept(url, tableBodies, func(_ snapshot, _ uint64, place []byte) (err error) { b, err = s.bodyAt(place); return err })
	return b, err
}

// kept calls fn with what a table has of a settled URL, and the page's number.
func (s *Store) kept(url string, t *kv.Table, fn func(in snapshot, seq uint64, v []byte) error) error {
	u, err := weburl.Parse(url)
	if err != nil {
		return err
	}
	key := u.Key()
	return s.look(func(in snapshot) error {
		rec, ok, err := in.url(key)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%s: %w", u, gatecrawl.ErrUnknown)
		}
		v, err := in.Get(t, seqKey(rec.Page))
		if err != nil {
			return err
		}
		if v == nil {
			return fmt.Errorf("%s: nothing of it is kept: %w", u, gatecrawl.ErrUnknown)
		}
		return fn(in, rec.Page, v)
	})
}

// hostState says what is known of a host; nil: nothing.
func (s *Store) hostState(name string) *gatecrawl.HostState {
	r, held := s.queue.Host(name)
	if r == nil {
		return nil
	}
	st := &gatecrawl.HostState{Name: name, Queued: r.Queued, Fetched: r.Fetched, Address: r.Address, Held: held}
	if t := r.Failures; t != nil {
		st.Failures, st.Failure = t.Count, t.Why
		if !t.Parked.IsZero() {
			till := t.Parked.Round(0).UTC()
			st.Parked = &till
		}
	}
	if !r.Aside.IsZero() {
		till := r.Aside
		if t := r.Failures; t != nil && t.Parked.After(till) {
			till = t.Parked
		}
		st.Parked, st.ByHand = asked(till), true
	}
	return st
}
