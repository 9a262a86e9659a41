package queue_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/seen"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// A payingQueue is a queue whose pages pay their links, and what a sorted list says of it.
type payingQueue struct {
	t      *testing.T
	tables kv.Store
	q      *queue.Queue
	order  uint64
	page   uint64
	links  map[uint64][]weburl.Key // of each page that has paid
	all    map[weburl.Key]*paidURL // that wait
}

// A paidURL is a URL that waits, as a sorted list has it.
type paidURL struct {
	url    string
	depth  uint16
	cash   float32
	placed float32 // cash by which it stands in the list
	order  uint64
}

func newPayingQueue(t *testing.T) *payingQueue {
	t.Helper()
	tables, err := mem.Open(queue.Tables())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tables.Close() })
	p := &payingQueue{t: t, tables: tables, links: make(map[uint64][]weburl.Key), all: make(map[weburl.Key]*paidURL)}
	p.open()
	t.Cleanup(func() { p.q.Close() })
	return p
}

// open opens the queue by what its tables say.
func (p *payingQueue) open() {
	p.t.Helper()
	o := queue.DefaultOptions()
	o.Delay = 0
	p.q = queue.New(o, priority.DefaultOptions(), nil)
	if err := p.q.Load(p.tables, 1, 0, true); err != nil {
		p.t.Fatal(err)
	}
	err := p.tables.View(context.Background(), func(r kv.Reader) error {
		return p.q.LoadCash(r, func(_ kv.Reader, page uint64) (b []byte, err error) {
			for _, k := range p.links[page] {
				b = append(b, k[:]...)
			}
			return b, nil
		})
	})
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.q.OpenFilter(filepath.Join(p.t.TempDir(), "seen"), seen.DefaultOptions()); err != nil {
		p.t.Fatal(err)
	}
}

func (p *payingQueue) update(change func(t *queue.Tx) error) {
	p.t.Helper()
	err := p.tables.Update(context.Background(), func(tx kv.Tx) error {
		t := p.q.Begin(tx, p.order)
		tx.OnCommit(t.Committed)
		if err := change(t); err != nil {
			return err
		}
		p.order = t.Order()
		_, err := t.Finish()
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// candidate is a link to the n-th URL of the host.
func (p *payingQueue) candidate(n int, depth uint16) frontier.Candidate {
	u, err := weburl.Parse(fmt.Sprintf("http://h.test/%d", n))
	if err != nil {
		p.t.Fatal(err)
	}
	return frontier.Candidate{URL: u, Signals: priority.Signals{Depth: depth}}
}

// lend returns the next lease, which has to be of the URL that is first in the list.
func (p *payingQueue) lend() (l frontier.Lease, ok bool) {
	p.t.Helper()
	l, err := p.q.Next(p.t.Context(), func() {})
	if err == frontier.ErrEmpty && len(p.all) == 0 {
		return l, false
	}
	if err != nil {
		p.t.Fatal(err)
	}
	o := priority.DefaultOptions()
	score := func(u *paidURL) float32 { return o.Score(priority.Signals{Depth: u.depth, Cash: u.placed}) }
	var first *paidURL
	for _, u := range p.all {
		if first == nil || score(u) > score(first) || score(u) == score(first) && u.order < first.order {
			first = u
		}
	}
	if first == nil || l.URL.String() != first.url {
		p.t.Fatalf("%s was leased; first of %d is %+v", l.URL, len(p.all), first)
	}
	return l, true
}

// settle ends a lease: its page is kept and links to some URLs.
func (p *payingQueue) settle(l frontier.Lease, cs []frontier.Candidate) {
	p.t.Helper()
	held, err := p.q.Hold(l, queue.Answer{Finished: time.Now()})
	if err != nil {
		p.t.Fatal(err)
	}
	p.page++
	p.update(func(t *queue.Tx) error {
		rec, err := t.Take(held)
		if err != nil {
			return err
		}
		if want := p.all[held.Key].cash; rec.Signals.Cash < want*.999 || rec.Signals.Cash > want*1.001 {
			p.t.Fatalf("%s has cash %v, want %v", rec.URL, rec.Signals.Cash, want)
		}
		rec.State, rec.Page = queue.Done, p.page
		t.Put(held.Key, rec)
		delete(p.all, held.Key)
		links := p.q.Links(cs)
		var distinct []*queue.Link
		for i := range links {
			distinct = append(distinct, &links[i])
			p.links[p.page] = append(p.links[p.page], links[i].Key)
		}
		t.Pay(p.page, distinct, rec.Signals.Cash)
		base := t.Order()
		share := priority.Pay(rec.Signals.Cash, len(links))
		for i := range links {
			k := links[i].Key
			old, err := t.Get(k)
			if err != nil {
				return err
			}
			switch u := p.all[k]; {
			case u != nil:
				u.cash += share
				if priority.Doubled(u.placed, u.cash) {
					u.placed = u.cash
				}
			case old == nil:
				p.all[k] = &paidURL{links[i].Candidate.URL.String(), links[i].Candidate.Signals.Depth, share, share, base + uint64(i) + 1}
			}
		}
		return t.Add(links)
	})
}

// entries returns the rows of the queue's table.
func (p *payingQueue) entries() (rows map[string]bool) {
	p.t.Helper()
	rows = make(map[string]bool)
	err := p.tables.View(context.Background(), func(r kv.Reader) error {
		return kv.Each(r, queue.TableEntries, func(k, _ []byte) error {
			rows[string(k)] = true
			return nil
		})
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return rows
}

// A URL whose cash has doubled comes in the order of its cash, whatever leases are given back and
// however often the queue is killed and opened again; its entry is not moved for that.
func TestURLsComeByTheCashThatTheyAreOwed(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed: %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	p := newPayingQueue(t)
	start := p.candidate(0, 0)
	p.update(func(t *queue.Tx) error { return t.Add(p.q.Links([]frontier.Candidate{start})) })
	p.all[start.URL.Key()] = &paidURL{url: start.URL.String(), order: 1}
	for p.page < 60 { // which are raised after each page, see movesShare
		l, ok := p.lend()
		if !ok {
			break
		}
		switch rng.IntN(8) {
		case 0:
			if _, err := p.q.Release(l, 0); err != nil {
				t.Fatal(err)
			}
			continue
		case 1:
			if err := p.q.Close(); err != nil {
				t.Fatal(err)
			}
			p.open()
			// What was raised stands by all its cash then, not by that of the last doubling.
			for _, u := range p.all {
				if u.placed != u.cash && priority.Doubled(p.recorded(u), u.cash) {
					u.placed = u.cash
				}
			}
			continue
		}
		waiting := p.entries()
		var cs []frontier.Candidate
		met := make(map[int]bool)
		for range 1 + rng.IntN(30) {
			if n := int(300 * rng.Float64() * rng.Float64()); !met[n] && n > 0 {
				met[n] = true
				cs = append(cs, p.candidate(n, 3))
			}
		}
		p.settle(l, cs)
		gone := 0
		for now := p.entries(); len(waiting) > 0; {
			for k := range waiting {
				if !now[k] {
					gone++
				}
				delete(waiting, k)
			}
		}
		if gone != 1 {
			t.Fatalf("a page moved %d entries, want none besides its own", gone-1)
		}
	}
}

// recorded returns the cash that the record of a URL has.
func (p *payingQueue) recorded(u *paidURL) (cash float32) {
	p.t.Helper()
	parsed, err := weburl.Parse(u.url)
	if err != nil {
		p.t.Fatal(err)
	}
	err = p.tables.View(context.Background(), func(r kv.Reader) error {
		rec, _, err := queue.Get(r, parsed.Key())
		cash = rec.Signals.Cash
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return cash
}
