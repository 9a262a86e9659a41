package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"gatecrawl"
	"gatecrawl/frontier"
	"gatecrawl/mirror/rules"
	"gatecrawl/priority"
	"gatecrawl/purify"
)

// chunk is how many records a listing reads in one transaction: a long one
// would keep the file from reusing its pages.
const chunk = 1000

func seqOf(k []byte) uint64 { return binary.BigEndian.Uint64(k) }

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
	err := s.db.View(func(tx *bbolt.Tx) error {
		if all := meanRate(tx); all.Visits > 0 {
			st.Changes = &all
		}
		return nil
	})
	if err != nil {
		return st, err
	}
	err = filepath.WalkDir(s.dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if i, err := d.Info(); err == nil && i.Mode().IsRegular() {
			st.DiskBytes += i.Size()
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		return st, fmt.Errorf("job folder: %w", err)
	}
	return st, nil
}

// Pages is gatecrawl.Inspector's.
func (s *Store) Pages(ctx context.Context, from uint64, fn func(gatecrawl.Page) error) error {
	for {
		ps := make([]gatecrawl.Page, 0, chunk)
		err := s.db.View(func(tx *bbolt.Tx) error {
			c := tx.Bucket(bucketPages).Cursor()
			for k, v := c.Seek(seqKey(from)); k != nil && len(ps) < chunk; k, v = c.Next() {
				p, err := pageAt(tx, k, v)
				if err != nil {
					return err
				}
				ps = append(ps, p)
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

// pageAt decodes the record at k and fills in what is derived.
func pageAt(tx *bbolt.Tx, k, b []byte) (gatecrawl.Page, error) {
	p, v, err := decodePage(b)
	if err != nil {
		return p, fmt.Errorf("page %d: %w", seqOf(k), err)
	}
	p.Seq = seqOf(k)
	if v.Copy() {
		if p.Of, err = urlAt(tx, uint64(v.Of)); err != nil {
			return p, err
		}
	}
	return p, nil
}

// urlAt returns the address of a record.
func urlAt(tx *bbolt.Tx, seq uint64) (string, error) {
	b := tx.Bucket(bucketPages).Get(seqKey(seq))
	if b == nil {
		return "", fmt.Errorf("page %d: there is no such record", seq)
	}
	d := decoder{b: b}
	d.byte()
	return d.string(), d.err
}

// Groups is gatecrawl.Inspector's.
func (s *Store) Groups(ctx context.Context, fn func(gatecrawl.Group) error) error {
	next := uint64(0)
	for {
		var gs []gatecrawl.Group
		err := s.look(func(in glance) error {
			c := in.Bucket(bucketGroups).Cursor()
			for k, v := c.Seek(seqKey(next)); k != nil && len(gs) < chunk/10; k, v = c.Next() {
				next = seqOf(k) + 1
				g, err := groupAt(in, seqOf(k), decodeGroup(v), 0)
				if err != nil {
					return err
				}
				gs = append(gs, g)
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

// groupAt reads a kept page's copies, in crawl order; at most a number of them
// if limit is above 0.
func groupAt(in glance, of uint64, r groupRecord, limit int) (gatecrawl.Group, error) {
	url, err := urlAt(in.Tx, of)
	if err != nil {
		return gatecrawl.Group{}, err
	}
	g := gatecrawl.Group{URL: url, Seq: of, Degree: int(r.degree), Copies: []gatecrawl.Member{}}
	prefix := seqKey(of)
	c := in.Bucket(bucketVotes).Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix) && (limit == 0 || len(g.Copies) < limit); k, _ = c.Next() {
		m, err := memberAt(in, k[8:])
		if err != nil {
			return g, err
		}
		g.Copies = append(g.Copies, m)
	}
	slices.SortFunc(g.Copies, func(a, b gatecrawl.Member) int { return int(a.Seq) - int(b.Seq) })
	return g, nil
}

// memberAt returns what is known of the copy with the given key.
func memberAt(in glance, key []byte) (gatecrawl.Member, error) {
	rec, ok, err := in.url(frontier.Key(key))
	if err != nil {
		return gatecrawl.Member{}, fmt.Errorf("voter %x: %w", key, err)
	}
	if !ok {
		return gatecrawl.Member{}, fmt.Errorf("voter %x: there is no such url", key)
	}
	b := in.Bucket(bucketPages).Get(seqKey(rec.seq))
	if b == nil {
		return gatecrawl.Member{}, fmt.Errorf("voter %s: page %d is not there", rec.url, rec.seq)
	}
	p, _, err := decodePage(b)
	if err != nil {
		return gatecrawl.Member{}, fmt.Errorf("page %d: %w", rec.seq, err)
	}
	return gatecrawl.Member{
		URL: p.URL, Seq: rec.seq, Class: p.Class, Level: p.Level, Distance: p.Distance, Similarity: p.Similarity,
		Differs: p.Differs,
	}, nil
}

// hostOf returns the host of a canonical address, with its port.
func hostOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// neverMet says that a job has nothing on an address, and under which one links to it are
// followed where that is another.
func neverMet(in glance, u frontier.URL) error {
	clean, _ := u.WithoutSession()
	clean, _ = rules.NewLists(true).Strip(clean)
	_, ok, err := in.url(clean.Key())
	switch {
	case err != nil:
		return err
	case ok:
		return fmt.Errorf("%s: %w: links to it are followed as %s", u, gatecrawl.ErrUnknown, clean)
	}
	return fmt.Errorf("%s: %w: it is no seed, and no page that was fetched leads to it", u, gatecrawl.ErrUnknown)
}

// Why is gatecrawl.Inspector's.
func (s *Store) Why(_ context.Context, url string) (gatecrawl.Why, error) {
	u, err := frontier.Parse(url)
	if err != nil {
		return gatecrawl.Why{}, err
	}
	key := u.Key()
	w := gatecrawl.Why{URL: u.String(), Key: key.String()}
	err = s.look(func(in glance) error {
		rec, ok, err := in.url(key)
		if err != nil {
			return err
		}
		if !ok {
			return neverMet(in, u)
		}
		s.tell(&w, &rec)
		if !rec.from.IsZero() {
			from, _, err := in.url(rec.from)
			if err != nil {
				return err
			}
			w.From = from.url
		}
		if rec.seq == 0 {
			return nil
		}
		p, err := pageAt(in.Tx, seqKey(rec.seq), in.Bucket(bucketPages).Get(seqKey(rec.seq)))
		if err != nil {
			return err
		}
		w.Page, w.Changes = &p, in.changeRate(rec.seq, p.Asked())
		if w.Kept, err = keptOf(in.Tx, seqKey(rec.seq)); err != nil {
			return err
		}
		if w.Frame, err = frameAt(in.Tx, rec.seq); err != nil {
			return err
		}
		return s.tellVotes(in, &w, &rec)
	})
	if err == nil && w.State == queued.String() && s.leased(key) {
		w.State = "leased"
	}
	if err != nil {
		return w, err
	}
	if w.Host = s.sched.tell(u.Host()); w.Host != nil {
		f, ok, err := s.Robots(u.Origin())
		if err != nil {
			return w, err
		}
		if ok {
			w.Host.Robots = f.Why()
		}
	}
	return w, nil
}

// tell fills in what the record says.
func (s *Store) tell(w *gatecrawl.Why, rec *urlRecord) {
	w.State = rec.state.String()
	w.Anchor, w.Label = rec.anchor, rec.label
	w.Depth = int(rec.signals.Depth)
	w.Score = rec.score
	w.Terms = s.priority.Terms(rec.signals)
	if (rec.state == queued || rec.state == later) && rec.seq != 0 && rec.score != s.priority.Score(rec.signals) {
		w.Terms = []priority.Term{{Name: "again", Value: rec.score, Why: "what another visit is worth: doubled is one more"}}
	}
	w.Attempt = rec.attempt
	w.Rule, w.Detail = rec.refusal.Rule, rec.refusal.Detail
	if rec.notTill != 0 {
		t := time.Unix(0, rec.notTill).UTC()
		w.NotTill = &t
	}
}

// tellVotes fills in what the copies of a kept page did for it.
func (s *Store) tellVotes(in glance, w *gatecrawl.Why, rec *urlRecord) error {
	b := in.Bucket(bucketGroups).Get(seqKey(rec.seq))
	if b == nil {
		w.Next = rec.score
		return nil
	}
	g, err := groupAt(in, rec.seq, decodeGroup(b), 100)
	if err != nil {
		return err
	}
	w.Degree, w.Copies = g.Degree, g.Copies
	next := rec.signals
	next.Degree = max(next.Degree, uint16(min(g.Degree, 1<<16-1)))
	w.Next = s.priority.Score(next)
	return nil
}

func (s *Store) leased(k frontier.Key) bool {
	s.sched.mu.Lock()
	defer s.sched.mu.Unlock()
	return s.sched.taken(k)
}

// View is gatecrawl.Inspector's.
func (s *Store) View(_ context.Context, url string) (*purify.DocView, error) {
	var packed []byte
	if err := s.kept(url, bucketViews, &packed); err != nil {
		return nil, err
	}
	return gatecrawl.UnpackView(packed)
}

// Body returns the kept bytes of an address; gatecrawl.ErrUnknown if none are kept.
func (s *Store) Body(_ context.Context, url string) ([]byte, error) {
	var packed []byte
	if err := s.kept(url, bucketBodies, &packed); err != nil {
		return nil, err
	}
	return gatecrawl.UnpackBody(packed)
}

// kept copies what a bucket has of a settled address.
func (s *Store) kept(url string, bucket []byte, into *[]byte) error {
	u, err := frontier.Parse(url)
	if err != nil {
		return err
	}
	key := u.Key()
	return s.look(func(in glance) error {
		rec, ok, err := in.url(key)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%s: %w", u, gatecrawl.ErrUnknown)
		}
		v := in.Bucket(bucket).Get(seqKey(rec.seq))
		if v == nil {
			return fmt.Errorf("%s: nothing of it is kept: %w", u, gatecrawl.ErrUnknown)
		}
		*into = bytes.Clone(v)
		return nil
	})
}
