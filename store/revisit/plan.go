package revisit

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"time"

	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/splitmix"
	"gatecrawl.example/gatecrawl/store/kv"
)

// recordsAtOnce is how many records one transaction of a Plan reads; when it has queued that many
// it reads no more.
const recordsAtOnce = 5_000

// A Job is what a re-crawl needs of the rest of a crawl's state. Within a transaction it returns
// the state as changed by it.
type Job interface {
	// URL returns what is known of a URL; ok is false if it is not known.
	URL(r kv.Reader, k weburl.Key) (u URL, ok bool, err error)

	// Ask queues a settled URL with a score; nil means the score of its signals. It returns false
	// if the URL waits already.
	Ask(tx kv.Tx, k weburl.Key, score *float32) (bool, error)

	// Neighbours returns the first URLs of a host from a key on, in the order of their keys, at
	// most most.
	Neighbours(r kv.Reader, h weburl.HostKey, from weburl.Key, most int) ([]weburl.Key, error)
}

// A URL is what a re-crawl needs to know of a URL.
type URL struct {
	Text    string
	Page    uint64 // the sequence number of its page; 0: it was not fetched yet
	Settled bool   // it was visited, and does not wait for another visit
	Listed  bool   // a sitemap listed it as changed, and it was visited since
}

// An Ask says which pages of a job a re-crawl queues.
type Ask struct {
	// Before is a time: pages whose last visit was earlier are queued.
	Before time.Time

	// Copies is the share of the copies of each page that are queued with it, 0 to 1. Different
	// ones are drawn each time, so that after 1/Copies times all were.
	Copies float64

	// Pages is how many pages are queued at most, not counting copies: those whose visit is worth
	// most. 0 means no limit.
	Pages int
}

// Asked counts what a Plan has queued and left out.
type Asked struct {
	Asked  int // URLs that are in the queue again
	Spared int // copies that were left out because their kept pages are queued
	Put    int // pages that were left to a later re-crawl: see Ask.Pages
	Rested int // redirects and missing pages that have not changed and are not due yet
}

// A Plan is a re-crawl under way. It is part of the job's state, so that it can be finished after a
// crash.
type Plan struct {
	Before    time.Time `json:"before"`              // pages last visited before then
	Started   time.Time `json:"began"`               // when that was decided, to compute how long ago a visit was
	Copies    float64   `json:"copies"`              // share of the copies
	Rate      float64   `json:"rate"`                // assumed changes a day of a page whose rate is not known
	From      uint64    `json:"from"`                // sequence number of the next record; 0: all were read
	Elsewhere uint64    `json:"elsewhere,omitempty"` // the next page of another partition whose copies are to be queued
	Turn      uint64    `json:"turn,omitempty"`      // number of earlier re-crawls
	Least     *int      `json:"least,omitempty"`     // the least step of worth that is queued; nil: all
	Room      int       `json:"room,omitempty"`      // how many more pages of that step may be queued

	rested int // how many records each has skipped because they are not due
}

// NewPlan decides which pages are queued; turn is the number of earlier re-crawls. It returns how
// many pages are left to a later re-crawl.
func NewPlan(ctx context.Context, s kv.Store, o priority.Options, a Ask, turn uint64) (p *Plan, put int, err error) {
	p = &Plan{Before: a.Before, Started: time.Now().UTC(), Copies: a.Copies, From: 1, Turn: turn}
	err = s.View(ctx, func(r kv.Reader) error {
		all, err := All(r)
		p.Rate = all.Assumed()
		return err
	})
	if err == nil && a.Pages > 0 {
		put, err = p.choose(ctx, s, o, a.Pages)
	}
	return p, put, err
}

// choose sets the least worth at which at most most pages are queued. It returns how many are not.
func (p *Plan) choose(ctx context.Context, s kv.Store, o priority.Options, most int) (put int, err error) {
	steps := make(map[int]int) // number of pages by step of worth, of which there are some hundred
	n := 0
	for from := uint64(1); from > 0 && err == nil; {
		err = s.View(ctx, func(r kv.Reader) (err error) {
			from, err = p.each(r, o, from, func(_ uint64, rec *page.Record, worth float32) (int, error) {
				if rec.ReplacedBy == 0 {
					steps[step(worth)]++
					n++
				}
				return 0, nil
			})
			return err
		})
		if err == nil {
			err = ctx.Err()
		}
	}
	if err != nil || n <= most {
		return 0, err
	}
	least := step(listWorth)
	for left := most; ; least-- {
		if steps[least] > left {
			p.Least, p.Room = &least, left
			return n - most, nil
		}
		left -= steps[least]
	}
}

// step returns the worth of a page in steps of an eighth.
func step(worth float32) int { return int(math.Floor(float64(worth) * 8)) }

// Next queues some records again, and returns the rest of the plan; nil: there is none. It goes
// through the records of kept pages and of URLs without a document; the kept pages lead to the
// copies.
func (p Plan) Next(tx kv.Tx, o priority.Options, groups *group.Groups, job Job) (rest *Plan, n Asked, err error) {
	if p.From == 0 {
		return p.nextElsewhere(tx, groups, job)
	}
	type wanted struct {
		seq   uint64
		page  page.Record
		worth float32
	}
	p.rested = 0
	var due []wanted
	p.From, err = p.each(tx, o, p.From, func(seq uint64, rec *page.Record, worth float32) (int, error) {
		if rec.ReplacedBy == 0 && !p.takes(worth) {
			return 0, nil
		}
		due = append(due, wanted{seq, *rec, worth})
		size, _, err := group.SizeOf(tx, seq)
		return int(math.Ceil(p.Copies * float64(size.Copies))), err
	})
	if err != nil {
		return nil, n, err
	}
	n.Rested = p.rested
	for _, w := range due {
		if w.page.ReplacedBy == 0 {
			asked, err := ask(tx, job, w.page.URL, &w.worth)
			if err != nil {
				return nil, n, err
			}
			n.Asked += asked
		}
		asked, spared, err := p.askCopies(tx, groups, job, w.seq)
		if err != nil {
			return nil, n, err
		}
		n.Asked += asked
		n.Spared += spared
	}
	if p.From != 0 {
		return &p, n, nil
	}
	p.Elsewhere = 1
	return &p, n, nil
}

// nextElsewhere is Next for pages that other partitions of the job have kept, after all records: it
// queues the copies that are here.
func (p Plan) nextElsewhere(tx kv.Tx, groups *group.Groups, job Job) (rest *Plan, n Asked, err error) {
	var due []uint64
	more := false
	for seq, err := range page.ElsewhereFrom(tx, p.Elsewhere) {
		if err != nil {
			return nil, n, err
		}
		if more = len(due) == recordsAtOnce/10; more {
			p.Elsewhere = seq
			break
		}
		due = append(due, seq)
	}
	for _, seq := range due {
		asked, spared, err := p.askCopies(tx, groups, job, seq)
		if err != nil {
			return nil, n, err
		}
		n.Asked += asked
		n.Spared += spared
	}
	if !more {
		return nil, n, nil
	}
	return &p, n, nil
}

// takes reports whether a page of this worth is queued, and counts it.
func (p *Plan) takes(worth float32) bool {
	switch {
	case p.Least == nil || step(worth) > *p.Least:
		return true
	case step(worth) < *p.Least || p.Room == 0:
		return false
	}
	p.Room--
	return true
}

// each calls fn, from a record on, for records that are not copies and whose last visit was before
// p.Before, with the worth of a visit; and for former kept pages that have copies. fn returns how
// many more records it has used up; after recordsAtOnce in all, each returns the next record, 0 at
// the end.
func (p *Plan) each(r kv.Reader, o priority.Options, from uint64, fn func(seq uint64, rec *page.Record, worth float32) (int, error)) (next uint64, err error) {
	looked, now := 0, time.Now()
	for e, err := range r.Scan(page.TableRecords, page.Key(from), nil) {
		if err != nil {
			return 0, err
		}
		seq := page.Seq(e.Key)
		if looked >= recordsAtOnce {
			return seq, nil
		}
		looked++
		rec, v, err := page.DecodeRecord(e.Value)
		if err != nil {
			return 0, fmt.Errorf("page %d: %w", seq, err)
		}
		waits := !rec.Asked().Before(p.Before) && !rec.Asked().After(now) // After(now): the clock was set back since
		if v.Copy() || waits {
			continue
		}
		if rec.ReplacedBy != 0 {
			_, ok, err := group.SizeOf(r, seq)
			if err != nil {
				return 0, err
			}
			if !ok {
				continue
			}
		}
		rate, err := RateOf(r, seq)
		if err != nil {
			return 0, err
		}
		if p.rests(&rec, rate) {
			p.rested++
			continue
		}
		w, err := Worth(r, o, seq, p.Rate, p.Started.Sub(rec.Asked()))
		if err != nil {
			return 0, err
		}
		if rec.List() {
			w = listWorth
		}
		n, err := fn(seq, &rec, w)
		if err != nil {
			return 0, err
		}
		looked += n
	}
	return 0, nil
}

// The first and the longest interval, in re-crawls, between visits of a redirect or a URL without a
// page. It doubles each time that nothing has changed. So a page that appears there is found within
// 32 re-crawls, and sooner by a link to its new place.
const firstRest, longestRest = 8, 32

// rests reports whether a record is that of a redirect or a URL without a page, which hardly ever
// change, and is not due. A URL that a user has named is always due.
func (p *Plan) rests(rec *page.Record, r Rate) bool {
	lasting := rec.Rule == "redirect" || rec.Rule == "soft-404" || rec.Status == http.StatusNotFound || rec.Status == http.StatusGone
	if rec.Document() || !lasting || rec.Depth == 0 || rec.ReplacedBy != 0 {
		return false
	}
	u, err := weburl.Parse(rec.URL)
	if err != nil {
		return false
	}
	turns := min(firstRest<<min(r.Visits, 8), longestRest)
	return !isDrawn(u.Key(), p.Turn, max(1/float64(turns), p.Copies))
}

// ask queues a settled URL. It returns 0 if the URL waits already.
func ask(tx kv.Tx, job Job, url string, score *float32) (int, error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return 0, err
	}
	asked, err := job.Ask(tx, u.Key(), score)
	if err != nil || !asked {
		return 0, err
	}
	return 1, nil
}

// askCopies queues the copies of a page that are due. If the page no longer represents its group,
// an election starts instead.
func (p *Plan) askCopies(tx kv.Tx, groups *group.Groups, job Job, of uint64) (asked, spared int, err error) {
	if _, ok, err := group.SizeOf(tx, of); err != nil || !ok {
		return 0, 0, err
	}
	r, err := RateOf(tx, of)
	if err != nil {
		return 0, 0, err
	}
	var urls []string
	for key, err := range group.Voters(tx, of) {
		if err != nil {
			return 0, 0, err
		}
		spared++
		if !isDrawn(key, r.turn, p.Copies) {
			continue
		}
		rec, err := groups.Member(tx, of, key)
		if err != nil {
			return 0, 0, err
		}
		if rec.Asked().Before(p.Before) {
			urls = append(urls, rec.URL)
		}
	}
	for _, u := range urls {
		n, err := ask(tx, job, u, nil)
		if err != nil {
			return 0, 0, err
		}
		asked += n
	}
	r.turn++
	r.Put(tx, of)
	retired, err := group.Retired(tx, of)
	if retired {
		err = groups.Elect(tx, of)
	}
	return asked, spared - asked, err
}

// isDrawn reports whether a copy is due: each is once in 1/share re-crawls.
func isDrawn(k weburl.Key, turn uint64, share float64) bool {
	h := fnv.New64a()
	h.Write(k[:])
	at := float64(splitmix.Finish(h.Sum64())>>11) / (1 << 53)
	_, place := math.Modf(at + float64(turn)*share)
	return share >= 1 || place < share
}
