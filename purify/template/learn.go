package template

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
)

// maxCached bounds how many hosts' templates are held in memory: at most 16 MB of them,
// mostly 2. The others are read from the tables when a page of their host is.
const maxCached = 1024

// Options tell a Learner of the rest of its job.
type Options struct {
	// Off makes it learn nothing and know no template. Pages that an earlier run has left to be
	// purified again are lent all the same.
	Off bool

	// Changed is called when the templates of hosts have changed and are durable: what was read
	// with the older ones may be kept in memory. It must not wait for the store. May be nil.
	Changed func(hosts []weburl.HostKey)

	// KnowsHost reports whether the job has a record of a host. Check and Repair ask it.
	KnowsHost func(r kv.Reader, h weburl.HostKey) (bool, error)

	// Copies returns how many copies of a kept page are known, and View what is kept of it, nil
	// for nothing. Learn calls them, when a copy's vote is written.
	Copies func(r kv.Reader, seq uint64) (int, error)
	View   func(r kv.Reader, seq uint64) (*purify.DocView, error)

	// Body returns the bytes of a kept page, nil where none are kept. Known asks it.
	Body func(r kv.Reader, seq uint64) ([]byte, error)
}

// A Learner is what a job knows of the templates of its hosts.
type Learner struct {
	o     Options
	store kv.Store
	batch *batch // of the commit under way; nil: it has changed nothing. The writer's

	mu      sync.Mutex
	cache   map[weburl.HostKey]*purify.Template
	ring    []weburl.HostKey // of cache, in the order of arrival
	next    int              // the oldest of a full ring
	age     uint64           // of the cache: commits that changed a template
	again   []pageKey        // to be lent by Next
	reading bool             // one that Next has lent is being read
}

// A batch is what one commit has changed.
type batch struct {
	tx    kv.Tx
	made  map[weburl.HostKey]*purify.Template
	again []pageKey
}

// New returns a learner of a job without reading anything: see Load.
func New(s kv.Store, o Options) *Learner {
	return &Learner{o: o, store: s, cache: make(map[weburl.HostKey]*purify.Template)}
}

// Load loads the pages that the last run did not get to.
func (l *Learner) Load(r kv.Reader) error {
	return kv.Each(r, TableAgain, func(k, _ []byte) error {
		l.again = append(l.again, pageKey(k))
		return nil
	})
}

// Of returns the template of a host, nil while there is none. It may be called from any
// goroutine.
func (l *Learner) Of(h weburl.HostKey) (*purify.Template, error) {
	if l.o.Off {
		return nil, nil
	}
	t, ok, age := l.cached(h)
	if ok {
		return t, nil
	}
	err := l.store.View(context.Background(), func(r kv.Reader) (err error) {
		t, err = readTemplate(r, h)
		return err
	})
	if err != nil {
		return nil, err
	}
	l.remember(h, t, age)
	return t, nil
}

// In is Of within a transaction: it knows what this one has made.
func (l *Learner) In(tx kv.Tx, h weburl.HostKey) (*purify.Template, error) {
	if l.o.Off {
		return nil, nil
	}
	if b := l.batch; b != nil && b.tx == tx {
		if made, ok := b.made[h]; ok {
			return made, nil
		}
	}
	if known, ok, _ := l.cached(h); ok {
		return known, nil
	}
	return readTemplate(tx, h)
}

// cached looks a template up in memory. What is read because it was not there is
// remembered with the age that cached returned.
func (l *Learner) cached(h weburl.HostKey) (_ *purify.Template, ok bool, age uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, ok := l.cache[h]
	return found, ok, l.age
}

// remember keeps a template that was read, unless one was written since.
func (l *Learner) remember(h weburl.HostKey, found *purify.Template, age uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.cache[h]; ok || l.age != age {
		return
	}
	if len(l.ring) < maxCached {
		l.ring = append(l.ring, h)
	} else {
		delete(l.cache, l.ring[l.next])
		l.ring[l.next] = h
		l.next = (l.next + 1) % maxCached
	}
	l.cache[h] = found
}

// change returns the batch of a transaction, to be changed.
func (l *Learner) change(tx kv.Tx) *batch {
	if l.batch == nil || l.batch.tx != tx {
		b := &batch{tx: tx, made: make(map[weburl.HostKey]*purify.Template)}
		l.batch = b
		tx.OnCommit(func() { l.committed(b) })
	}
	return l.batch
}

// committed takes over what is durable now.
func (l *Learner) committed(b *batch) {
	l.batch = nil
	l.mu.Lock()
	l.again = append(l.again, b.again...)
	if len(b.made) > 0 {
		l.age++
	}
	for h, made := range b.made {
		if _, ok := l.cache[h]; ok {
			l.cache[h] = made
		}
	}
	l.mu.Unlock()
	if len(b.made) > 0 && l.o.Changed != nil {
		l.o.Changed(slices.Collect(maps.Keys(b.made)))
	}
}

// Learn counts a visit for its host's template. A new page counts, and so does a copy in
// another layout, or of another host's page: all pages of a mirror are such. Of any other copy
// what its kept page lacks counts, if it is the first one: the other version of a manual has a
// footer of its own, on pages that are nearly all copies. A page of many copies would have its
// own text counted with each. Of a near copy under another title the links of its kept page
// count too: if that is a page of its own which a menu makes alike, no template would ever
// learn the menu otherwise. A page that was read with an older template than the host has now,
// and the first pages of a host that gets its first, are to be purified again.
func (l *Learner) Learn(tx kv.Tx, v *page.Visit, r *page.Record, d dedup.Verdict) error {
	isNew := r.Verdict == page.VerdictNew && v.Body != nil
	if l.o.Off || !isNew && (r.Verdict != page.VerdictCopy || len(v.Prints) == 0) {
		return nil
	}
	h := v.Lease.URL.Key().Host()
	site, err := readSite(tx, h)
	if err != nil {
		return fmt.Errorf("template of %s: %w", v.Lease.URL.Host(), err)
	}
	early := isNew && l.follow(tx, h, v, r.Seq, &site)
	var prints []purify.Print
	if site.site.Wants(v.Prints) && !v.Lease.Again { // another version of a page does not count as another page
		if prints, err = l.counting(tx, v, r, d); err != nil {
			return fmt.Errorf("template of %s: %w", v.Lease.URL.Host(), err)
		}
	}
	if !early && len(prints) == 0 {
		return nil
	}
	if len(prints) > 0 {
		if made := site.site.Learn(prints); made != nil {
			if err := l.use(tx, h, &site, made); err != nil {
				return fmt.Errorf("template of %s: %w", v.Lease.URL.Host(), err)
			}
		}
	}
	tx.Put(TableSites, h[:], site.encode())
	return nil
}

// counting returns the names of the blocks that a visit adds to its host's template.
func (l *Learner) counting(tx kv.Tx, v *page.Visit, r *page.Record, d dedup.Verdict) ([]purify.Print, error) {
	switch {
	case r.Verdict == page.VerdictNew, r.Earlier(): // the page that was kept earlier did not count here
		return v.Prints, nil
	case d.Class == dedup.FullContent, d.Class == dedup.PartialContent, weburl.HostIn(r.Of) != weburl.HostIn(r.URL):
		return v.Prints, nil
	case d.Level == dedup.LevelBytes:
		return nil, nil
	}
	copies, err := l.o.Copies(tx, uint64(d.Of))
	if err != nil || copies != 1 && d.Level != dedup.LevelNear {
		return nil, err
	}
	kept, err := l.o.View(tx, uint64(d.Of))
	if err != nil || kept == nil {
		return nil, err
	}
	renamed := d.Level == dedup.LevelNear && kept.Title != v.Page.Title
	if copies != 1 && !renamed {
		return nil, nil
	}
	has := make(map[purify.Print]bool)
	for i := range kept.Blocks {
		if b := &kept.Blocks[i]; !b.Linked || !renamed {
			has[b.Print] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(v.Prints), func(p purify.Print) bool { return has[p] }), nil
}

// follow notes which blocks would make it necessary to purify a kept page again, and reports
// whether it is among the first of its host.
func (l *Learner) follow(tx kv.Tx, h weburl.HostKey, v *page.Visit, seq uint64, site *siteRecord) (early bool) {
	generation := site.site.Generation()
	if v.Behind || v.Template < generation {
		l.purifyAgain(tx, keyOf(h, seq))
	}
	if v.Own != nil && generation > 0 && generation < lastThin { // before, it is among the early
		putThin(tx, keyOf(h, seq), v.Own)
	}
	if generation > 0 || len(site.early) == maxEarly {
		return false
	}
	site.early = append(site.early, seq)
	return true
}

// use keeps a host's new template.
func (l *Learner) use(tx kv.Tx, h weburl.HostKey, r *siteRecord, made *purify.Template) error {
	if made.Blocks() > 0 {
		for _, seq := range r.early {
			l.purifyAgain(tx, keyOf(h, seq))
		}
		if err := l.thinAgain(tx, h, made); err != nil {
			return err
		}
	}
	r.early = nil
	l.change(tx).made[h] = made
	tx.Put(TableTemplates, h[:], made.Bytes())
	return nil
}
