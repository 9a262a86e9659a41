package dust

import (
	"fmt"
	"math"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// maxCompared bounds the pages that one page is compared with.
const maxCompared = 12

// A document is a page whose URL is compared with others.
type document struct {
	seq   uint64
	url   weburl.URL
	kept  uint64 // number of the kept page: this one, or the one that it is a copy of
	trial bool   // it was fetched to test whether a rule is still valid
}

// documentAt reads the record of a document; ok is false if the record is not a document, or is
// replaced by a later one.
func documentAt(r kv.Reader, seq uint64) (d document, ok bool, err error) {
	b, err := r.Get(page.TableRecords, page.Key(seq))
	if err != nil || b == nil {
		return d, false, err
	}
	p, verdict, err := page.DecodeRecord(b)
	if err != nil || !p.Document() || p.Earlier() || p.ReplacedBy != 0 {
		return d, false, err
	}
	u, err := weburl.Parse(p.URL)
	d = document{seq: seq, url: u, kept: seq}
	if verdict.Copy() {
		d.kept = uint64(verdict.Of)
	}
	return d, err == nil, err
}

// Learn uses the document of a visit as evidence for and against rules. Its record rec must be
// written already.
func (l *Rules) Learn(tx kv.Tx, v *page.Visit, rec *page.Record, verdict dedup.Verdict) error {
	if !l.book.Learns() || !rec.Document() || rec.Earlier() { // its kept page is in another crawl
		return nil
	}
	u := v.Lease.URL
	if err := l.learn(tx, u, rec, verdict); err != nil {
		return fmt.Errorf("url rules for %s: %w", u, err)
	}
	return nil
}

func (l *Rules) learn(tx kv.Tx, u weburl.URL, rec *page.Record, verdict dedup.Verdict) error {
	trial, err := l.isTrial(tx, u.Key())
	if err != nil {
		return err
	}
	if err := l.countTemplate(tx, u, verdict, trial); err != nil {
		return err
	}
	now := document{seq: rec.Seq, url: u, kept: rec.Seq, trial: trial}
	tokens, forms := rec.BodyTokens, FormsOf(u)
	if verdict.Copy() {
		now.kept = uint64(verdict.Of)
		kept, _, err := page.Get(tx, now.kept)
		if err != nil {
			return err
		}
		tokens = kept.BodyTokens
		if many, err := l.tooManyURLs(tx, now, forms, kept.URL); err != nil || many {
			return err
		}
	}
	if tokens < l.o.MinTokens {
		return nil
	}
	if err := l.evidence(tx, now, forms); err != nil {
		return err
	}
	return l.remember(tx, now, forms)
}

// tooManyURLs counts the URLs of a page that no rule can explain, and reports whether there are too
// many.
func (l *Rules) tooManyURLs(tx kv.Tx, now document, forms Forms, keptURL string) (bool, error) {
	n, err := unexplained(tx, now.kept)
	if err != nil {
		return false, err
	}
	kept, err := weburl.Parse(keptURL)
	if err != nil {
		return false, err
	}
	if n < maxUnexplained && Host(kept) == Host(now.url) && FormsOf(kept).Page != forms.Page && !mayBeOne(now.url, kept) {
		n++
		tx.Put(tableUnexplained, numberKey(now.kept), []byte{n})
	}
	return n >= maxUnexplained, nil
}

// isTrial reports whether a URL could have been left out and was fetched to test whether a rule is
// still valid.
func (l *Rules) isTrial(tx kv.Tx, k weburl.Key) (bool, error) {
	l.mu.Lock()
	was := l.trials[k]
	delete(l.trials, k)
	l.mu.Unlock()
	u, _, err := l.job.URL(tx, k)
	return was || u.Trial, err
}

// maxDifferences bounds the differences of two URLs that are compared.
const maxDifferences = 3

// differences returns the differences of two URLs; ok is false if they are too different, or equal.
func differences(u, v weburl.URL) (ds []Difference, ok bool) {
	ds, ok = Compare(u, v)
	return ds, ok && len(ds) > 0 && len(ds) <= maxDifferences
}

// mayBeOne reports whether some rule could make two URLs equivalent. In manuals, for example,
// untranslated pages are in the folder of each language.
func mayBeOne(u, v weburl.URL) bool {
	_, ok := differences(u, v)
	return ok
}

// countTemplate counts how many documents with URLs of one template were new, and how many with
// queries have the bytes of one page.
func (l *Rules) countTemplate(tx kv.Tx, u weburl.URL, verdict dedup.Verdict, trial bool) error {
	template := Template(u)
	hash := templateHash(template)
	b, err := tx.Get(tableTemplates, numberKey(hash))
	if err != nil {
		return err
	}
	m := decodeTemplateStats(b)
	m.pages++
	m.sinceNew++
	m.newShare *= .95
	if !verdict.Copy() {
		m.newShare += .05
		m.sinceNew = 0
	}
	if u.Query() != "" {
		m.count(verdict)
		if err := l.countQuery(tx, template, m, trial); err != nil {
			return err
		}
	}
	tx.Put(tableTemplates, numberKey(hash), m.encode())
	l.setTrap(hash, m.trap())
	return l.countEndless(tx, template, m)
}

// count counts the document of a URL with a query.
func (m *templateStats) count(verdict dedup.Verdict) {
	if !verdict.Copy() || verdict.Level != dedup.LevelBytes {
		m.kept, m.run = 0, 0
		return
	}
	if kept := uint64(verdict.Of); kept != m.kept {
		m.kept, m.run = kept, 0
	}
	m.run++
}

// countQuery updates the rule of a template whose queries lead to one page. Another document ends
// the rule and queues again what was left out: what follows may be like the pages before it.
func (l *Rules) countQuery(tx kv.Tx, template string, m templateStats, trial bool) error {
	r := Rule{Kind: Query, Scope: template}
	_, there := l.book.Get(r.ID())
	if !there && m.run < minSameQueries {
		return nil
	}
	rec, err := l.rule(tx, r)
	if err != nil || rec == nil {
		return err
	}
	if trial && rec.Tier(Query) == Skip {
		rec.Tried++
		n := l.job.Totals(tx)
		n.Explored++
		if m.run == 0 {
			n.Wrong++
		}
	}
	if rec.OK, rec.tried = uint32(min(m.run, math.MaxUint32)), time.Now(); m.run == 0 {
		rec.Bad++
		l.reopen(rec)
	}
	l.book.Put(r, rec.Stats)
	return nil
}

// countEndless updates the rule of a template that no longer leads to new documents. A new document
// queues again what was left out.
func (l *Rules) countEndless(tx kv.Tx, template string, m templateStats) error {
	r := Rule{Kind: Endless, Scope: template}
	_, there := l.book.Get(r.ID())
	if !there && !m.trap() {
		return nil
	}
	rec, err := l.rule(tx, r)
	if err != nil || rec == nil {
		return err
	}
	if rec.OK, rec.tried = uint32(min(m.sinceNew, math.MaxUint32)), time.Now(); m.sinceNew == 0 {
		l.reopen(rec)
	}
	l.book.Put(r, rec.Stats)
	return nil
}

// An evidenceFor is the evidence of one page for or against a rule.
type evidenceFor struct {
	rule Rule
	same bool
	with uint64 // the page that it was compared with
}

// evidence compares a document with those whose URLs may be equivalent by a rule.
func (l *Rules) evidence(tx kv.Tx, now document, forms Forms) error {
	found := make(map[ID]evidenceFor)
	template := Template(now.url)
	compared := []uint32{uint32(now.seq)}
	if now.kept != now.seq { // the two may differ in their first folders, which no form leaves out
		kept, ok, err := documentAt(tx, now.kept)
		if err != nil {
			return err
		}
		if ok {
			compared = append(compared, uint32(kept.seq))
			l.compareWith(found, now, kept, template)
		}
	}
	names := append([]uint64{forms.Exact}, forms.Dropped...)
	for _, u := range l.book.Swapped(now.url, true) {
		names = append(names, exactForm(u))
	}
	for i, form := range names {
		seqs, err := pagesWith(tx, form)
		if err != nil {
			return err
		}
		for _, seq := range seqs {
			if i > 0 && len(compared) > maxCompared || slices.Contains(compared, seq) {
				continue
			}
			compared = append(compared, seq)
			other, ok, err := documentAt(tx, uint64(seq))
			if err != nil {
				return err
			}
			if ok {
				l.compareWith(found, now, other, template)
			}
		}
	}
	return l.countEvidence(tx, found, now, template)
}

// compareWith collects the evidence of two documents for and against the rules by which their URLs
// are equivalent. If the documents differ and the URLs have several differences, the evidence is
// against the one whose rules are not proven yet; if all are proven, against all; if several are
// not, there is no evidence.
func (l *Rules) compareWith(found map[ID]evidenceFor, now, other document, template string) {
	ds, ok := differences(now.url, other.url)
	if !ok {
		return
	}
	same := now.kept == other.kept
	if !same && len(ds) > 1 {
		doubtful := slices.DeleteFunc(slices.Clone(ds), func(d Difference) bool {
			tier, _, _ := l.book.Judge([]Difference{d}, template)
			return tier == Skip
		})
		switch len(doubtful) {
		case 0:
		case 1:
			ds = doubtful
		default:
			return
		}
	}
	for _, d := range ds {
		for _, r := range d {
			if e, ok := found[r.ID()]; !ok || e.same && !same {
				found[r.ID()] = evidenceFor{r, same, other.seq}
			}
		}
	}
}

// countEvidence counts the evidence of a document for or against rules of the host and of its
// template.
func (l *Rules) countEvidence(tx kv.Tx, found map[ID]evidenceFor, now document, template string) error {
	explored, wrong := false, false
	for _, e := range found {
		for _, scope := range []string{e.rule.Scope, template} {
			r := e.rule
			r.Scope = scope
			used, err := l.count(tx, r, e, now)
			if err != nil {
				return err
			}
			// The page may have been asked for before its other URL was settled: that is no test, unless it shows that the rule is wrong.
			explored, wrong = explored || used && (now.trial || !e.same), wrong || used && !e.same
		}
	}
	n := l.job.Totals(tx)
	if explored {
		n.Explored++
	}
	if wrong {
		n.Wrong++
	}
	return nil
}

// count counts the evidence of one page for or against a rule. It reports whether the rule left
// URLs out until now; if it was wrong, those are queued again.
func (l *Rules) count(tx kv.Tx, r Rule, e evidenceFor, now document) (used bool, err error) {
	rec, err := l.rule(tx, r)
	if err != nil || rec == nil {
		return false, err
	}
	if used = rec.Tier(r.Kind) == Skip; used && now.trial {
		rec.Tried++
	}
	rec.tried = time.Now()
	first := false
	if e.same {
		if first, err = l.agrees(tx, rec, now.kept); err != nil {
			return false, err
		}
	}
	rec.Count(e.same, first)
	if e.same {
		rec.same = [2]uint64{e.with, now.seq}
	} else {
		rec.differ = [2]uint64{e.with, now.seq}
		l.reopen(rec)
	}
	l.book.Put(r, rec.Stats)
	return used, nil
}

// agrees stores a page that confirmed a rule, and reports whether it did so for the first time.
// When enough pages have confirmed a rule, no more are stored.
func (l *Rules) agrees(tx kv.Tx, rec *ruleRecord, kept uint64) (bool, error) {
	if int(rec.Distinct) >= l.o.Trials {
		return false, nil
	}
	key := agreedKey(rec.ID(), kept)
	if agreed, err := kv.Has(tx, tableAgreed, key); err != nil || agreed {
		return false, err
	}
	tx.Put(tableAgreed, key, present)
	return true, nil
}

// remember stores a document under its forms.
func (l *Rules) remember(tx kv.Tx, now document, forms Forms) error {
	put := func(form uint64, exact bool) error {
		b, err := tx.Get(tableForms, numberKey(form))
		if err != nil {
			return err
		}
		f := decodeForm(b)
		list, most := &f.dropped, maxDropped
		if exact {
			list, most = &f.exact, maxExact
		}
		if len(*list) >= most {
			return nil
		}
		*list = append(*list, uint32(now.seq))
		tx.Put(tableForms, numberKey(form), f.encode())
		return nil
	}
	if err := put(forms.Exact, true); err != nil {
		return err
	}
	if plain, ok := l.book.StrippedForm(now.url, Defer); ok {
		if err := put(plain, true); err != nil {
			return err
		}
	}
	for _, form := range forms.Dropped {
		if err := put(form, false); err != nil {
			return err
		}
	}
	return nil
}
