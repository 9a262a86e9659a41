package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.etcd.io/bbolt"

	"gatecrawl"
	"gatecrawl/frontier"
	"gatecrawl/store/runs"
)

// manifestIn reads which files belong to the table; none where no file was ever
// written.
func manifestIn(tx *bbolt.Tx) (m manifest, found bool, err error) {
	b := tx.Bucket(bucketMeta).Get(keyRuns)
	if b == nil {
		return m, false, nil
	}
	return m, true, json.Unmarshal(b, &m)
}

// adviseTable adds to the error of a damaged table what to do.
func (s *Store) adviseTable(err error) error {
	return fmt.Errorf("%w: to mend the job, run crawl check --job %s --repair", err, s.dir)
}

func (s *Store) runsDir() string { return filepath.Join(s.dir, dirRuns) }

// checkOptions are for reading the table's files beside it.
func checkOptions() runs.Options { return runs.Options{Part: filterPart, ReadOnly: true} }

// tableFiles reads every byte of the table's files.
func (v *verifier) tableFiles() error {
	m, _, err := manifestIn(v.tx)
	if err != nil {
		return v.breach("the table's files are as they were written", "the list of files cannot be read: %v", err)
	}
	for _, meta := range m.Runs {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		err := runs.Check(v.s.runsDir(), meta, checkOptions())
		if errors.Is(err, fs.ErrNotExist) && !v.s.readOnly {
			continue // merged meanwhile
		}
		if err != nil {
			if err := v.breach("the table's files are as they were written", "%v", err); err != nil {
				return err
			}
		}
	}
	return nil
}

// damagedSuffix is added to the name of a file of which a repair took what could
// be read.
const damagedSuffix = ".damaged"

// files replaces the table's files that are not as they were written by what can
// be read of them. The repair is told how much that is, and what is lost is looked
// for in the pages by relink.
func (r *repair) files() error {
	r.seen = r.s.state.Totals.Seen
	var m manifest
	known := false
	err := r.s.db.View(func(tx *bbolt.Tx) (err error) { m, known, err = manifestIn(tx); return err })
	if err == nil && !known && r.logWhole() {
		return nil // no file was ever part of the job
	}
	changed := err != nil || !known
	if changed {
		if m.Runs, err = r.unnamed(nil); err != nil || len(m.Runs) == 0 {
			return err
		}
		r.torn = true
		if err := r.tell("the table's files", "the list of them is gone: all %d in %s are taken", len(m.Runs), dirRuns); err != nil {
			return err
		}
	}
	var left []runs.Meta
	for i, meta := range m.Runs {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		fault := runs.Check(r.s.runsDir(), meta, checkOptions())
		if fault == nil {
			left = append(left, meta)
			continue
		}
		if !errors.As(fault, new(*runs.DamageError)) && !errors.Is(fault, fs.ErrNotExist) {
			return fault
		}
		changed, r.torn = true, true
		meta, err := r.salvageRun(m.Runs, i, fault)
		if err != nil {
			return err
		}
		if meta.Entries > 0 {
			left = append(left, meta)
		}
	}
	if !changed {
		return nil
	}
	m.Runs = left
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return r.s.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(bucketMeta).Put(keyRuns, b) })
}

// logWhole reports whether the log begins with the first entry that a job has, and so
// has all that is in the table.
func (r *repair) logWhole() (whole bool) {
	_ = r.s.db.View(func(tx *bbolt.Tx) error { // it fails of nothing
		k, _ := tx.Bucket(bucketLog).Cursor().First()
		whole = len(k) == 8 && seqOf(k) == 1
		return nil
	})
	return whole
}

// salvageRun makes a file of what is left of the i-th.
func (r *repair) salvageRun(all []runs.Meta, i int, fault error) (runs.Meta, error) {
	dir, meta := r.s.runsDir(), all[i]
	if errors.Is(fault, fs.ErrNotExist) { // it may only have lost its name
		others, err := r.unnamed(all)
		if err != nil {
			return meta, err
		}
		for _, o := range others {
			if o.Bytes == meta.Bytes {
				meta.File = o.File
			}
		}
	}
	name, err := runs.NextName(dir, all)
	if err != nil {
		return meta, err
	}
	left, err := runs.Salvage(dir, meta, name, checkOptions())
	if err != nil {
		return meta, err
	}
	kept := "nothing of it is left"
	old := filepath.Join(dir, meta.File)
	if err := os.Rename(old, old+damagedSuffix); err == nil {
		kept = "the old file is " + meta.File + damagedSuffix
	} else if !errors.Is(err, fs.ErrNotExist) {
		return meta, err
	}
	lost := ""
	if meta.Entries > 0 {
		lost = fmt.Sprintf(" of %d", meta.Entries)
	}
	return left, r.tell("the table's files", "%v: %d%s entries are saved; %s", fault, left.Entries, lost, kept)
}

// unnamed returns the files of the table that are not among these, in the order of
// their numbers.
func (r *repair) unnamed(named []runs.Meta) (metas []runs.Meta, err error) {
	entries, err := os.ReadDir(r.s.runsDir()) // sorted by name
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	is := make(map[string]bool)
	for _, m := range named {
		is[m.File] = true
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		var age uint64
		if _, err := fmt.Sscanf(e.Name(), "%d.run", &age); err == nil && strings.HasSuffix(e.Name(), ".run") && !is[e.Name()] {
			metas = append(metas, runs.Meta{File: e.Name(), Age: age, Bytes: info.Size()})
		}
	}
	return metas, nil
}

// leadsNowhere says why a page that led to others has to be fetched again when
// entries of the table are lost: what a redirect or a sitemap names, and whether the
// crawl wants it, is known from its address's record alone.
func (r *repair) leadsNowhere(in glance, p *gatecrawl.Page) string {
	if !r.torn || p.Verdict != gatecrawl.VerdictRefused {
		return ""
	}
	switch p.Rule {
	case "sitemap":
		return "a sitemap, of which addresses may be lost"
	case "redirect":
		u, err := frontier.Parse(p.Location)
		if err != nil {
			return ""
		}
		if _, ok, err := in.url(u.Key()); err != nil || !ok {
			return "where it redirects to is lost"
		}
	}
	return ""
}

// relink queues the addresses that are lost and to which kept pages link: of these
// the job has the keys, and the addresses are in their views.
func (r *repair) relink() error {
	if !r.torn {
		return nil
	}
	lost := func(in glance, _, keys []byte) (bool, error) {
		some, err := unknown(in.url, keys)
		return len(some) > 0, err
	}
	return r.inChunks(bucketOutlinks, lost, func(t *txn, seq []byte) error {
		some, err := unknown(func(k frontier.Key) (rec urlRecord, ok bool, err error) {
			got, err := t.url(k)
			return rec, got != nil, err
		}, t.outlinks.Get(seq))
		if err != nil || len(some) == 0 {
			return err
		}
		return r.relinkFrom(t, seq, some)
	})
}

// unknown returns those of a page's links that the table does not know.
func unknown(url func(frontier.Key) (urlRecord, bool, error), keys []byte) (map[frontier.Key]bool, error) {
	some := make(map[frontier.Key]bool)
	for ; len(keys) >= len(frontier.Key{}); keys = keys[len(frontier.Key{}):] {
		k := frontier.Key(keys)
		_, ok, err := url(k)
		if err != nil {
			return nil, err
		}
		if !ok {
			some[k] = true
		}
	}
	return some, nil
}

// relinkFrom queues what of these keys a page's view has the addresses of.
func (r *repair) relinkFrom(t *txn, seq []byte, lost map[frontier.Key]bool) error {
	p, _, err := decodePage(t.pages.Get(seq))
	if err != nil {
		return err
	}
	view, err := gatecrawl.UnpackView(t.views.Get(seq))
	if err != nil {
		return nil // there is none, or it is of another time: the page links to what it did
	}
	page, err := frontier.Parse(p.URL)
	if err != nil {
		return err
	}
	base := page
	if u, err := page.Parse(view.Base); err == nil && view.Base != "" {
		base = u
	}
	refs := []string{view.Canonical, view.Refresh}
	for _, l := range view.Links {
		refs = append(refs, l.URL)
	}
	for _, ref := range refs {
		u, err := base.Parse(ref)
		if err != nil || !lost[u.Key()] {
			continue
		}
		delete(lost, u.Key())
		t.state.Order++
		rec := urlRecord{url: u.String(), from: page.Key(), order: t.state.Order, label: p.Label}
		rec.signals.Depth = uint16(p.Depth + 1)
		rec.score = t.s.priority.Score(rec.signals)
		t.enqueue(u.Key(), &rec)
		r.relinked++
	}
	return nil
}

// reckon tells what became of the addresses, when entries of the table were lost.
func (r *repair) reckon() error {
	if !r.torn {
		return nil
	}
	var state jobState
	if err := r.s.db.View(func(tx *bbolt.Tx) error { return unmarshalState(tx, &state) }); err != nil {
		return err
	}
	n := state.Totals
	was := "it is not known how many there were"
	if r.seen > 0 {
		was = fmt.Sprintf("%d were known, so %d are lost", r.seen, max(0, r.seen-n.Seen))
	}
	return r.tell("the addresses", "%d are known, %d of which wait in the queue, and %d of these were found again where kept pages link to them; %s; no document is lost by it",
		n.Seen, n.Queued, r.relinked, was)
}
