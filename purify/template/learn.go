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

// maxCached is how many templates of hosts and folders are cached in memory, and how many joined
// ones: each at most 16 MB, mostly 2. Others are read from the tables when a page needs them.
const maxCached = 1024

// Options connect a Learner to the rest of its job.
type Options struct {
	// Off makes it learn nothing and know no template. Pages that an earlier run left to be
	// purified again are still leased.
	Off bool

	// Stale makes it list the hosts whose template has changed, for Stale.
	Stale bool

	// Changed is called when new templates of hosts are durable, so that the caller can drop cached
	// texts that were read with the older ones. It must not wait for the store. It may be nil.
	Changed func(hosts []weburl.HostKey)

	// KnowsHost reports whether the job has a record of a host. Check and Repair call it.
	KnowsHost func(r kv.Reader, h weburl.HostKey) (bool, error)

	// Copies returns the number of known copies of a kept page, and View the page's view, nil if
	// none is kept. Learn calls them after a copy's vote is written.
	Copies func(r kv.Reader, seq uint64) (int, error)
	View   func(r kv.Reader, seq uint64) (*purify.DocView, error)

	// Body returns the bytes of a kept page, nil if none are kept. Known calls it.
	Body func(r kv.Reader, seq uint64) ([]byte, error)
}

// A Learner learns and stores the templates of a job's hosts and their folders.
type Learner struct {
	o     Options
	store kv.Store
	batch *batch              // changes of the commit under way; nil: none. Only the writer uses it
	sites recent[*siteRecord] // cache of records as of the commit under way; if that fails, so does the store. Only the writer uses it
	grown map[place]string    // places with pages that are in no template yet, with the URL of one. Only the writer uses it

	mu      sync.Mutex
	cache   recent[*purify.Template]
	age     uint64 // number of commits that changed a template
	joined  map[place]joined
	again   []pageKey // pages for Next
	reading int       // pages that Next has leased and that are being read
}

// A batch has the changes of one commit.
type batch struct {
	tx    kv.Tx
	made  map[place]*purify.Template
	sites map[place]*siteRecord   // changed, and not stored yet
	hosts map[weburl.HostKey]bool // hosts whose pages are read with another template now
	again []pageKey
}

// A joined is the template of a page's host joined with those of its folders.
type joined struct {
	of   []*purify.Template
	made *purify.Template
}

// New returns a learner of a job without reading anything: see Load.
func New(s kv.Store, o Options) *Learner {
	return &Learner{o: o, store: s, sites: newRecent[*siteRecord](maxSites), cache: newRecent[*purify.Template](maxCached), joined: make(map[place]joined), grown: make(map[place]string)}
}

// Load loads the list of pages that the last run did not purify again.
func (l *Learner) Load(r kv.Reader) error {
	return kv.Each(r, TableAgain, func(k, _ []byte) error {
		l.again = append(l.again, pageKey(k))
		return nil
	})
}

// Of returns the template for a page: that of its host joined with those of its folders; nil if
// there is none yet. It may be called from any goroutine.
func (l *Learner) Of(url string) (*purify.Template, error) {
	places, made, err := l.each(url, l.of)
	return l.join(places, made), err
}

// In is Of within a transaction, with the templates that the transaction has made.
func (l *Learner) In(tx kv.Tx, url string) (*purify.Template, error) {
	places, made, err := l.eachIn(tx, url)
	return l.join(places, made), err
}

// each returns the templates of a page's host and folders, as far as these are learned.
func (l *Learner) each(url string, of func(place) (*purify.Template, error)) (places []place, made []*purify.Template, err error) {
	if l.o.Off {
		return nil, nil, nil
	}
	places, _ = placesOf(url)
	for i, p := range places {
		t, err := of(p)
		if err != nil {
			return nil, nil, err
		}
		made = append(made, t)
		if i == 0 && t.Pages() < purify.FoldersFrom {
			break
		}
	}
	if len(places) > 1 && len(made) == 1 {
		made = append(made, nil) // nothing is known of the page's folders yet
	}
	return places[:len(made)], made, nil
}

// eachIn is each within a transaction.
func (l *Learner) eachIn(tx kv.Tx, url string) ([]place, []*purify.Template, error) {
	return l.each(url, func(p place) (*purify.Template, error) { return l.in(tx, p) })
}

// of returns the template of a place.
func (l *Learner) of(p place) (*purify.Template, error) {
	t, ok, age := l.cached(p)
	if ok {
		return t, nil
	}
	err := l.store.View(context.Background(), func(r kv.Reader) (err error) {
		t, err = readTemplate(r, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	l.remember(p, t, age)
	return t, nil
}

// in is of within a transaction.
func (l *Learner) in(tx kv.Tx, p place) (*purify.Template, error) {
	if b := l.batch; b != nil && b.tx == tx {
		if made, ok := b.made[p]; ok {
			return made, nil
		}
	}
	if known, ok, _ := l.cached(p); ok {
		return known, nil
	}
	return readTemplate(tx, p)
}

// join returns the template of a page's host joined with those of its folders. It joins the same
// ones only once.
func (l *Learner) join(places []place, made []*purify.Template) *purify.Template {
	switch len(made) {
	case 0:
		return nil
	case 1:
		return made[0]
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	last := places[len(places)-1]
	if j, ok := l.joined[last]; ok && slices.Equal(j.of, made) {
		return j.made
	}
	if len(l.joined) >= maxCached {
		clear(l.joined)
	}
	t := made[0].With(made[1:]...)
	l.joined[last] = joined{made, t}
	return t
}

// cached looks a template up in memory. If it is not there, the caller reads it and passes it to
// remember with the age that cached has returned.
func (l *Learner) cached(p place) (_ *purify.Template, ok bool, age uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, ok := l.cache.of[p]
	return found, ok, l.age
}

// remember caches a template that was read, unless one was written since.
func (l *Learner) remember(p place, found *purify.Template, age uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.cache.of[p]; ok || l.age != age {
		return
	}
	l.cache.add(p, found)
}

// change returns the batch of a transaction.
func (l *Learner) change(tx kv.Tx) *batch {
	if l.batch == nil || l.batch.tx != tx {
		b := &batch{tx: tx, made: make(map[place]*purify.Template), sites: make(map[place]*siteRecord), hosts: make(map[weburl.HostKey]bool)}
		l.batch = b
		tx.OnCommit(func() { l.committed(b) })
	}
	return l.batch
}

// committed updates the cache after a commit.
func (l *Learner) committed(b *batch) {
	l.batch = nil
	l.mu.Lock()
	l.again = append(l.again, b.again...)
	if len(b.made) > 0 {
		l.age++
	}
	for p, made := range b.made {
		if _, ok := l.cache.of[p]; ok {
			l.cache.of[p] = made
		}
	}
	l.mu.Unlock()
	if len(b.hosts) > 0 && l.o.Changed != nil {
		l.o.Changed(slices.Collect(maps.Keys(b.hosts)))
	}
}

// Learn counts a visit's page for the templates of its host and, if the host has enough pages, of
// its folders. If all blocks count, the parts of its title do too. Which blocks count depends on
// the verdict:
//
//   - all blocks of a new page, unless one with the same blocks has counted shortly before, and of a copy whose kept page is
//     on another host, as for all pages of a mirror;
//   - for any other copy, only if it is the first one of its kept page or has another layout, the blocks that the kept page
//     lacks: another version of a manual has its own footer, on pages that are nearly all copies. If all blocks counted, a
//     page's own text would count once for each of its copies, and a manual in a hundred versions would be all template;
//   - for a near copy under another title also the links of its kept page: it may really be another page, made similar by a
//     menu, and otherwise no template would get the menu;
//   - all blocks of a copy that says little, if its title and the end of its URL name a thing that those of the kept page do
//     not, or the reverse: products of which a shop says nothing are one page until their frame is known.
//
// A page that was read with an older template than the current one is purified again, and so are
// the first pages of a host or folder that gets its first template.
func (l *Learner) Learn(tx kv.Tx, v *page.Visit, r *page.Record, d dedup.Verdict) error {
	isNew := r.Verdict == page.VerdictNew && v.Body != nil
	if l.o.Off || !isNew && (r.Verdict != page.VerdictCopy || len(v.Prints) == 0) {
		return nil
	}
	url := v.Lease.URL.String()
	if err := l.learn(tx, url, isNew, v, r, d); err != nil {
		return fmt.Errorf("template of %s: %w", url, err)
	}
	return nil
}

func (l *Learner) learn(tx kv.Tx, url string, isNew bool, v *page.Visit, r *page.Record, d dedup.Verdict) error {
	if isNew {
		now, err := l.In(tx, url)
		if err != nil {
			return err
		}
		if v.Behind || v.Template < now.Generation() {
			l.purifyAgain(tx, keyOf(weburl.HostKeyOf(weburl.HostOf(url)), r.Seq))
		}
	}
	var prints []purify.Print
	counted := v.Lease.Again // another version of a page is not another page
	places, itself := placesOf(url)
	for i, p := range places {
		site, err := l.site(tx, p)
		if err != nil || itself && i == len(places)-1 && site.site.Pages() == 0 {
			return err
		}
		changed := false
		if isNew {
			if changed, err = l.follow(tx, p, v, r.Seq, site); err != nil {
				return err
			}
		}
		wants := site.site.Wants(v.Prints)
		if wants && !counted {
			if prints, err = l.counting(tx, v, r, d); err != nil {
				return err
			}
			counted = true
		}
		if wants && len(prints) > 0 {
			changed = true
			if !isNew || !site.site.Met(prints) {
				if err := l.count(tx, url, p, site, prints); err != nil {
					return err
				}
			}
		}
		if changed {
			l.keep(tx, p, site)
		}
		if site.site.Pages() < purify.FoldersFrom {
			return nil
		}
	}
	return nil
}

// count counts the blocks of a page for a place, and uses the template that this makes due.
func (l *Learner) count(tx kv.Tx, url string, p place, site *siteRecord, prints []purify.Print) error {
	made := site.site.Learn(prints)
	if made != nil {
		return l.use(tx, url, p, site, made, false)
	}
	if len(l.grown) < maxCached {
		l.grown[p] = url
	}
	return nil
}

// counting returns the names of those blocks of a visit that count for its host's template.
func (l *Learner) counting(tx kv.Tx, v *page.Visit, r *page.Record, d dedup.Verdict) ([]purify.Print, error) {
	switch {
	case r.Verdict == page.VerdictNew, r.Earlier(): // an earlier crawl kept the page, so it has not counted here
		return v.Prints, nil
	case weburl.HostOf(r.Of) != weburl.HostOf(r.URL):
		return v.Prints, nil
	case d.Level == dedup.LevelBytes:
		return nil, nil
	}
	relaid := d.Class == dedup.FullContent || d.Class == dedup.PartialContent
	copies, err := l.o.Copies(tx, uint64(d.Of))
	if err != nil || copies != 1 && !relaid && d.Level != dedup.LevelNear && v.Own == nil {
		return nil, err
	}
	kept, err := l.o.View(tx, uint64(d.Of))
	if err != nil || kept == nil {
		return nil, err
	}
	if v.Own != nil && dedup.NamesAnother(r.URL, v.Page.Title, kept.URL, kept.Title) {
		return v.Prints, nil
	}
	renamed := d.Level == dedup.LevelNear && kept.Title != v.Page.Title
	if copies != 1 && !renamed && !relaid {
		return nil, nil
	}
	has := make(map[purify.Print]bool)
	for i := range kept.Blocks {
		if b := &kept.Blocks[i]; !b.Linked || !renamed {
			has[b.Print] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(v.Prints), func(p purify.Print) bool { return has[p] || !p.OfBlock() }), nil
}

// follow records what decides whether a kept page is purified again, and reports whether it is
// among the first pages of a place.
func (l *Learner) follow(tx kv.Tx, p place, v *page.Visit, seq uint64, site *siteRecord) (early bool, err error) {
	generation := site.site.Generation()
	made, err := l.in(tx, p)
	switch {
	case err != nil:
		return false, err
	case len(site.early) < maxEarly && (generation == 0 || len(site.early) > 0 && made.Blocks() == 0):
		site.early = append(site.early, seq)
		return true, nil
	case v.Own != nil && generation < lastThin:
		putThin(tx, p, seq, v.Own, made)
	}
	return false, nil
}

// use stores a place's new template. If it changes the template that the place's pages are read
// with, the first and the thin pages are read again; the pages of a folder that is not a site of
// its own yet wait. final: no other template is expected.
func (l *Learner) use(tx kv.Tx, url string, p place, r *siteRecord, made *purify.Template, final bool) error {
	was, err := l.In(tx, url)
	if err != nil {
		return err
	}
	last, err := l.in(tx, p)
	if err != nil {
		return err
	}
	delete(l.grown, p)
	b := l.change(tx)
	b.made[p] = made
	tx.Put(p.level().templates, p.key(), made.Bytes())
	is, err := l.In(tx, url)
	if err != nil {
		return err
	}
	if is != was {
		b.hosts[p.host] = true
		if l.o.Stale {
			tx.Put(TableStale, p.host[:], present)
		}
	}
	switch {
	case p.folder == 0:
		if err := l.freeFolders(tx, p, last, made); err != nil {
			return err
		}
	case is.Generation() <= was.Generation():
		if was.Asks() { // the folder is not a site of its own, which was not known before
			l.earlyAgain(tx, p, r)
		}
		return nil
	}
	return l.readAgain(tx, p, r, made, final)
}

// Idle is called when nothing else is left to fetch. It makes a last template for places whose
// latest one lacks pages that have counted since, and reports whether pages are to be read again
// with it.
func (l *Learner) Idle(tx kv.Tx) (found bool, err error) {
	before := len(l.change(tx).again)
	for p, url := range l.grown {
		delete(l.grown, p)
		if err := l.last(tx, p, url); err != nil {
			return false, fmt.Errorf("last template for %s: %w", url, err)
		}
	}
	return len(l.change(tx).again) > before, nil
}

// last makes a template of all pages of a place, if it has had one before; url is that of one of
// the pages.
func (l *Learner) last(tx kv.Tx, p place, url string) error {
	site, err := l.site(tx, p)
	if err != nil {
		return err
	}
	made := site.site.Last()
	if made == nil {
		return nil
	}
	if err := l.use(tx, url, p, site, made, true); err != nil {
		return err
	}
	l.keep(tx, p, site)
	return nil
}

// readAgain lists pages of a place to be read again: those from before its first template that has anything, and
// those that have little beyond the new template.
func (l *Learner) readAgain(tx kv.Tx, p place, r *siteRecord, made *purify.Template, final bool) error {
	if made.Blocks() == 0 {
		return nil
	}
	l.earlyAgain(tx, p, r)
	r.early = nil
	return l.thinAgain(tx, p, made, final)
}

// earlyAgain lists the first pages of a place to be read again.
func (l *Learner) earlyAgain(tx kv.Tx, p place, r *siteRecord) {
	for _, seq := range r.early {
		l.purifyAgain(tx, keyOf(p.host, seq))
	}
}

// freeFolders lists pages to be read again of folders that were not sites of their own with the
// host's last template and are with its new one: the more folders a host has, the less of what each
// of them repeats is in the host's template. As for thin pages, this ends at template lastThin.
func (l *Learner) freeFolders(tx kv.Tx, host place, last, made *purify.Template) error {
	if made.Pages() < purify.FoldersFrom || made.Generation() >= lastThin {
		return nil
	}
	for e, err := range kv.Prefix(tx, TableFolderTemplates, host.key()) {
		if err != nil {
			return err
		}
		at := placeIn(e.Key)
		t, err := purify.ParseTemplate(e.Value)
		if err != nil {
			return fmt.Errorf("template of folder %x: %w", at.key(), err)
		}
		if t.IsSiteIn(last) || !t.IsSiteIn(made) {
			continue
		}
		site, err := l.site(tx, at)
		if err != nil {
			return err
		}
		if err := l.readAgain(tx, at, site, t, false); err != nil {
			return err
		}
		l.keep(tx, at, site)
	}
	return nil
}
