package query

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/revisit"
)

// neverMet returns an error that says that the job has no record of a URL and, if links to it are
// followed under another URL, which one that is.
func neverMet(in job.Snapshot, u weburl.URL) error {
	clean, _ := u.WithoutSession()
	clean, _ = dust.NewLists(true).Strip(clean)
	_, ok, err := in.URL(clean.Key())
	switch {
	case err != nil:
		return err
	case ok:
		return fmt.Errorf("%s: %w: links to it are followed as %s", u, gatecrawl.ErrUnknown, clean)
	}
	if state, err := in.State(); err == nil && state.Totals.MoreLinks > 0 {
		return fmt.Errorf("%s: %w: it is not a seed, and no link that was taken leads to it; %d links were not, beyond the limit of a page (max-links)",
			u, gatecrawl.ErrUnknown, state.Totals.MoreLinks)
	}
	return fmt.Errorf("%s: %w: it is not a seed, and no page that was fetched leads to it", u, gatecrawl.ErrUnknown)
}

// Why implements gatecrawl.Inspector.
func (q *Reader) Why(_ context.Context, url string) (gatecrawl.Why, error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return gatecrawl.Why{}, err
	}
	key := u.Key()
	w := gatecrawl.Why{URL: u.String(), Key: key.String()}
	err = q.look(func(in job.Snapshot) error {
		rec, ok, err := in.URL(key)
		if err != nil {
			return err
		}
		if !ok {
			return neverMet(in, u)
		}
		if cash, score, raised := q.job.Queue.Raised(key); raised && rec.State == queue.Queued {
			rec.Signals.Cash, rec.Score = cash, score
		}
		q.tell(&w, &rec)
		if w.From, err = q.foundOn(in, &rec); err != nil || rec.Page == 0 {
			return err
		}
		if err := q.tellPage(in, &w, rec.Page); err != nil {
			return err
		}
		return tellVotes(in, &w, &rec)
	})
	if err != nil {
		return w, err
	}
	if w.State == queue.Queued.String() && q.leased(key) {
		w.State = "leased"
	}
	if w.Host = q.hostState(u.Host()); w.Host != nil {
		f, ok, err := q.job.Robots.Get(context.Background(), u.Origin())
		if err != nil {
			return w, err
		}
		if ok {
			_, w.Host.Robots = f.Why()
		}
	}
	return w, nil
}

// foundOn returns the URL of the page on which the link to a URL was found; "" for a seed.
func (q *Reader) foundOn(in job.Snapshot, rec *queue.Record) (string, error) {
	if rec.From.IsZero() {
		return "", nil
	}
	from, _, err := in.URL(rec.From)
	if err != nil || from.URL != "" {
		return from.URL, err
	}
	return q.job.Elsewhere(rec.From[:])
}

// tellPage adds what a job knows of the page that it has fetched.
func (q *Reader) tellPage(in job.Snapshot, w *gatecrawl.Why, seq uint64) error {
	p, err := in.FullPage(seq)
	if err != nil {
		return err
	}
	if err := tellOthers(in, &p); err != nil {
		return err
	}
	w.Page = &p
	if w.Changes, err = q.changeRate(in, seq, p.Asked()); err != nil {
		return err
	}
	if w.Kept, err = page.KeptOf(in, seq); err != nil {
		return err
	}
	if w.With, err = comparedWith(in, &p, w.Kept); err != nil {
		return err
	}
	if w.Frame, err = q.frame(in, seq); err != nil || p.Verdict == page.VerdictCopy { // a copy is asked for by sample
		return err
	}
	all, err := q.job.Rates.All(in)
	if err != nil {
		return err
	}
	w.Next, err = revisit.Worth(in, q.job.Priority, seq, all.Assumed(), time.Since(p.Asked()))
	return err
}

// comparedWith returns the URL of the page that the reason of a copy is about, if that is not the kept page; "" if another partition has it.
func comparedWith(in job.Snapshot, p, kept *page.Record) (string, error) {
	if p.Compared == 0 || kept == nil || p.Compared == kept.Seq {
		return "", nil
	}
	here, err := kv.Has(in, page.TableRecords, page.Key(p.Compared))
	if err != nil || !here {
		return "", err
	}
	return in.URLOf(p.Compared)
}

// briefsAtOnce is how many URLs are looked up by one goroutine.
const briefsAtOnce = 128

// Briefs implements gatecrawl.Inspector. The URLs are read in the order of their keys, a share of
// them on each processor.
func (q *Reader) Briefs(ctx context.Context, urls []string) ([]gatecrawl.Brief, error) {
	share := max(briefsAtOnce, (len(urls)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	all := keysOf(urls, share)
	briefs := make([]gatecrawl.Brief, len(urls))
	var g errgroup.Group
	for some := range slices.Chunk(all, share) {
		g.Go(func() error {
			return q.look(func(in job.Snapshot) (err error) {
				sizeOf, err := sizes(in)
				if err != nil {
					return err
				}
				for _, s := range some {
					if briefs[s.at], err = briefOf(in, s.key, sizeOf); err != nil {
						return fmt.Errorf("%s: %w", urls[s.at], err)
					}
					if err := ctx.Err(); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	return briefs, g.Wait()
}

// A sought is a URL and its place in a list.
type sought struct {
	key weburl.Key
	at  int
}

// keysOf returns the keys of the valid URLs in a list, sorted. Each goroutine computes a share of
// them.
func keysOf(urls []string, share int) []sought {
	all := make([]sought, len(urls))
	var g sync.WaitGroup
	for from := 0; from < len(urls); from += share {
		g.Go(func() {
			for i := from; i < min(from+share, len(urls)); i++ {
				all[i].at = -1
				if u, err := weburl.Parse(urls[i]); err == nil {
					all[i] = sought{u.Key(), i}
				}
			}
		})
	}
	g.Wait()
	all = slices.DeleteFunc(all, func(s sought) bool { return s.at < 0 })
	slices.SortFunc(all, func(a, b sought) int { return bytes.Compare(a.key[:], b.key[:]) })
	return all
}

// sizes returns a function that reads the sizes of groups. It looks up the counts of other
// partitions only if there are any.
func sizes(in job.Snapshot) (sizeOf func(kv.Reader, uint64) (group.Size, bool, error), err error) {
	if _, any, err := kv.First(kv.All(in, group.TableElsewhere)); any || err != nil {
		return group.WholeSizeOf, err
	}
	return group.SizeOf, nil
}

// briefOf returns what a list of results shows about a URL.
func briefOf(in job.Snapshot, key weburl.Key, sizeOf func(kv.Reader, uint64) (group.Size, bool, error)) (b gatecrawl.Brief, err error) {
	rec, ok, err := in.URL(key)
	if err != nil || !ok || rec.Page == 0 {
		return b, err
	}
	title, document, v, err := page.Title(in, rec.Page)
	if err != nil {
		return b, err
	}
	b.Title = title
	switch {
	case v.Copy():
		b.Kept = uint64(v.Of)
		if b.Of, err = in.URLOf(b.Kept); err != nil {
			return b, err
		}
	case document:
		b.Kept = rec.Page
	default:
		return b, nil
	}
	size, _, err := sizeOf(in, b.Kept)
	if err != nil {
		return b, err
	}
	b.Degree = int(size.Degree)
	sig, _, err := page.FindSignature(in, b.Kept)
	b.Sketch, b.Tokens = sig.Sketch, int(sig.Tokens)
	return b, err
}

// tell adds what the record says.
func (q *Reader) tell(w *gatecrawl.Why, rec *queue.Record) {
	w.State = rec.State.String()
	w.Anchor, w.Label = rec.Anchor, rec.Label
	w.Depth = int(rec.Signals.Depth)
	w.Score = rec.Score
	w.Terms = q.job.Priority.Terms(rec.Signals)
	if rec.Redirected(q.job.Priority) {
		w.Terms = append(w.Terms, priority.Term{Name: "redirect", Value: queue.RedirectedScore, Why: "a redirect led here: before what is worth as much and was found with it"})
	}
	if rec.Flags&queue.News != 0 {
		w.Terms = append(w.Terms, priority.Term{Name: "news", Value: priority.News, Why: "new in a feed or sitemap since the last crawl"})
	}
	if (rec.State == queue.Queued || rec.State == queue.Later) && rec.Page != 0 && rec.Score != q.job.Priority.Score(rec.Signals) {
		w.Terms = []priority.Term{{Name: "again", Value: rec.Score, Why: "what another visit is worth: doubled is one more"}}
	}
	w.Attempt = rec.Attempt
	w.Rule, w.Detail = rec.Refusal.Rule, rec.Refusal.Detail
	if rec.NotBefore != 0 {
		t := time.Unix(0, rec.NotBefore).UTC()
		w.NotTill = &t
	}
}

// tellVotes adds what the copies of a kept page have contributed to it.
func tellVotes(in job.Snapshot, w *gatecrawl.Why, rec *queue.Record) error {
	r, ok, err := group.SizeOf(in, rec.Page)
	if err != nil || !ok {
		return err
	}
	g, err := groupOf(in, rec.Page, r, 100)
	if err != nil {
		return err
	}
	w.Degree, w.Copies, w.More = g.Degree, g.Copies, g.More
	return nil
}

func (q *Reader) leased(k weburl.Key) bool {
	return q.job.Queue.Leased(k)
}

// frame returns the parts that were left out of a kept page; nil if its host had no template.
func (q *Reader) frame(in job.Snapshot, seq uint64) (*gatecrawl.Frame, error) {
	v, err := q.job.Archive.View(in, seq)
	if err != nil || v == nil || v.Template == 0 {
		return nil, err
	}
	return &gatecrawl.Frame{Template: v.Template, Blocks: v.Dropped}, nil
}

// changeRate returns the counted changes of a kept page that was last visited at the given time;
// nil if there are none.
func (q *Reader) changeRate(in job.Snapshot, seq uint64, last time.Time) (*gatecrawl.ChangeRate, error) {
	r, err := revisit.RateOf(in, seq)
	if err != nil || r.Visits == 0 {
		return nil, err
	}
	all, err := q.job.Rates.All(in)
	if err != nil {
		return nil, err
	}
	return &gatecrawl.ChangeRate{Visits: r.Visits, Changes: r.Changes, Seconds: r.Seconds, PerDay: r.PerDay(), Stale: r.Stale(all.Assumed(), last)}, nil
}
