package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// What is learned of URL rules.
var (
	tableForms  = &kv.Table{Name: "forms", ID: 'f', Filter: 8}  // by a form of URLs, 8 bytes: the pages that have it
	tableLeft   = &kv.Table{Name: "left", ID: 'l', Filter: 8}   // by a rule's id and a URL's key: the URL was left out, of which kept page
	tableRules  = &kv.Table{Name: "rules", ID: 'r', Filter: 8}  // by a rule's id: its record
	tableAgreed = &kv.Table{Name: "agreed", ID: 'a', Filter: 8} // by a rule's id and the seq of a kept page: URLs of it agreed
	tableMade   = &kv.Table{Name: "made", ID: 'm', Filter: 8}   // by a path template's hash: documents and how many were new
	tableWide   = &kv.Table{Name: "wide", ID: 'w', Filter: 8}   // by the seq of a kept page: copies that no rule explains
)

const (
	ruleForm = 1

	// maxExact and maxDropped bound the pages that one form names: those that
	// have it themselves, and those that have it without a parameter.
	maxExact, maxDropped = 4, 3

	// maxCompared bounds the pages that one page is compared with.
	maxCompared = 12

	// maxWide is how many URLs may carry a page that no rule takes for one,
	// before it is taken for an error page, a log-in or an empty list, which say
	// nothing of URLs.
	maxWide = 4

	// maxAudited bounds what an audit reads of what one rule left out.
	maxAudited = 50_000

	// reopenAtOnce bounds what one commit brings back.
	reopenAtOnce = 2_000

	// deferral is what being put off costs in score: behind all that is no copy,
	// before all that was only found on one (see priority.Options.Score).
	deferral = 1_024

	// fetchedAs stands before the other URL in the refusal of a URL.
	fetchedAs = "; fetched as "

	// trapPages and trapShare are when a template is taken for a trap: so many
	// documents, and so few new ones among the last.
	trapPages, trapShare = 50, .05
)

// What of a URL's record is the rules' (see tailDust).
const (
	isDeferred = 1 << iota // it was put off once
	isTrial                // it is fetched, whatever rules say
	isTold                 // a sitemap told that it changed: see noteListed
)

func leftKey(id dust.ID, k weburl.Key) []byte {
	return append(seqKey(uint64(id)), k[:]...)
}

func agreeKey(id dust.ID, doc uint64) []byte {
	return binary.BigEndian.AppendUint64(seqKey(uint64(id)), doc)
}

// learning is what a job knows of its addresses, in memory.
type learning struct {
	o    dust.Options
	book *dust.Book

	mu    sync.RWMutex
	traps map[uint64]bool // templates, by hash
	open  map[dust.ID]bool
	lent  map[weburl.Key]bool // URLs that are fetched to see whether a rule still holds; a crash forgets them

	// The writer's: what was settled when audit last queued something again, and
	// how much that was.
	audited int64
	found   int
}

// maxTraps bounds the templates that are known as traps, in memory. What comes after
// them is fetched in its turn.
const maxTraps = 100_000

// maxLent bounds the URLs of trials under way. Those that never bring a document stay.
const maxLent = 100_000

// setTrap takes note of whether a template is a trap.
func (l *learning) setTrap(hash uint64, is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !is:
		delete(l.traps, hash)
	case len(l.traps) < maxTraps:
		l.traps[hash] = true
	}
}

// loadRules takes the rules' counts into memory.
func (s *Store) loadRules(o dust.Options) error {
	s.rules = learning{o: o, book: dust.NewBook(o), traps: make(map[uint64]bool), open: make(map[dust.ID]bool), lent: make(map[weburl.Key]bool)}
	return s.look(func(in snapshot) error {
		err := eachRule(in, func(r *ruleRecord) error {
			s.rules.book.Put(r.Rule, r.Stats)
			if r.reopening {
				s.rules.open[r.ID()] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
		return each(in, tableMade, func(k, v []byte) error {
			s.rules.setTrap(seqOf(k), decodeMade(v).trap())
			return nil
		})
	})
}

// A ruleRecord is what the table has of one rule.
type ruleRecord struct {
	dust.Rule
	dust.Stats
	reopening bool      // what it left out is being queued again
	same      [2]uint64 // seqs of two pages that it takes for one rightly
	differ    [2]uint64 // and wrongly
	tried     time.Time // when a page last spoke for or against it
}

func (r *ruleRecord) encode() []byte {
	e := row.Encoder{B: make([]byte, 0, 64)}
	e.Byte(ruleForm)
	e.Text(string(r.Kind))
	e.Text(r.Scope)
	e.Text(r.Arg)
	for _, n := range []uint32{r.OK, r.Bad, r.Distinct, r.Skipped, r.Reopened} {
		e.Uint(uint64(n))
	}
	e.Bool(r.Revoked)
	e.Bool(r.reopening)
	for _, n := range []uint64{r.same[0], r.same[1], r.differ[0], r.differ[1]} {
		e.Uint(n)
	}
	e.Time(r.tried)
	e.Uint(uint64(r.Tried))
	return e.B
}

func decodeRule(b []byte) (*ruleRecord, error) {
	d := row.Decoder{B: b}
	if f := d.Byte(); f != ruleForm {
		return nil, fmt.Errorf("url rule of form %d; this version reads %d", f, ruleForm)
	}
	r := &ruleRecord{Rule: dust.Rule{Kind: dust.Kind(d.Text()), Scope: d.Text(), Arg: d.Text()}}
	for _, n := range []*uint32{&r.OK, &r.Bad, &r.Distinct, &r.Skipped, &r.Reopened} {
		*n = uint32(d.Uint())
	}
	r.Revoked, r.reopening = d.Bool(), d.Bool()
	for _, n := range []*uint64{&r.same[0], &r.same[1], &r.differ[0], &r.differ[1]} {
		*n = d.Uint()
	}
	if len(d.B) > 0 {
		r.tried = d.Time()
	}
	if len(d.B) > 0 {
		r.Tried = uint32(d.Uint())
	}
	if d.Err != nil {
		return nil, fmt.Errorf("url rule: %w", d.Err)
	}
	return r, nil
}

func eachRule(in kv.Reader, fn func(*ruleRecord) error) error {
	return each(in, tableRules, func(_, v []byte) error {
		r, err := decodeRule(v)
		if err != nil {
			return err
		}
		return fn(r)
	})
}

// templateStats are what is known of the URLs that are made alike.
type templateStats struct {
	pages uint64
	fresh float32 // moving average of the share of new documents, from 1
	dry   uint64  // documents since the last new one
}

func (m templateStats) trap() bool { return m.pages >= trapPages && m.fresh < trapShare }

func decodeMade(b []byte) templateStats {
	if len(b) == 0 {
		return templateStats{fresh: 1}
	}
	d := row.Decoder{B: b}
	m := templateStats{pages: d.Uint(), fresh: d.Float32()}
	if len(d.B) > 0 {
		m.dry = d.Uint()
	}
	return m
}

// A formRecord names the pages that have a form.
type formRecord struct{ exact, dropped []uint32 }

func (f *formRecord) encode() []byte {
	b := []byte{byte(len(f.exact))}
	for _, n := range append(f.exact[:len(f.exact):len(f.exact)], f.dropped...) {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

func decodeForm(b []byte) (f formRecord) {
	if len(b) == 0 {
		return f
	}
	n := int(b[0])
	for i, b := 0, b[1:]; len(b) >= 4; i, b = i+1, b[4:] {
		if seq := binary.BigEndian.Uint32(b); i < n {
			f.exact = append(f.exact, seq)
		} else {
			f.dropped = append(f.dropped, seq)
		}
	}
	return f
}

// rule returns the record of a rule, a new one where there is none; nil: there
// is no room for it.
func (t *txn) rule(r dust.Rule) (*ruleRecord, error) {
	rec, err := t.ruleAt(r.ID())
	if err != nil || rec != nil {
		return rec, err
	}
	if t.s.rules.book.Len() >= t.s.rules.o.MaxRules {
		return nil, nil
	}
	rec = &ruleRecord{Rule: r}
	t.rules[r.ID()] = rec
	return rec, nil
}

// ruleAt returns the record of a rule that is there, to be changed; nil: none.
func (t *txn) ruleAt(id dust.ID) (*ruleRecord, error) {
	if rec := t.rules[id]; rec != nil {
		return rec, nil
	}
	b, err := t.tx.Get(tableRules, seqKey(uint64(id)))
	if err != nil || b == nil {
		return nil, err
	}
	rec, err := decodeRule(b)
	if err == nil {
		t.rules[id] = rec
	}
	return rec, err
}

// A comparedPage is a document that URLs are compared by.
type comparedPage struct {
	seq     uint64
	url     weburl.URL
	cluster uint64 // the kept page
	trial   bool   // it was fetched to see whether a rule still holds
}

// fetched reads a document's record; ok is false where it is no longer one.
func (in snapshot) fetched(seq uint64) (f comparedPage, ok bool, err error) {
	b, err := in.Get(tablePages, seqKey(seq))
	if err != nil || b == nil {
		return f, false, err
	}
	p, verdict, err := decodePage(b)
	if err != nil || !p.Document() || p.ReplacedBy != 0 {
		return f, false, err
	}
	u, err := weburl.Parse(p.URL)
	f = comparedPage{seq: seq, url: u, cluster: seq}
	if verdict.Copy() {
		f.cluster = uint64(verdict.Of)
	}
	return f, err == nil, err
}

// learnRules takes a document as evidence for and against rules.
func (t *txn) learnRules(u weburl.URL, rec *page.Record, verdict dedup.Verdict) error {
	if !t.s.rules.book.Learns() || t.s.gateOff || !rec.Document() {
		return nil
	}
	if err := t.weighTemplate(u, verdict); err != nil {
		return err
	}
	now := comparedPage{seq: rec.Seq, url: u, cluster: rec.Seq, trial: t.isTrial(u.Key())}
	tokens, forms := rec.BodyTokens, dust.FormsOf(u)
	if verdict.Copy() {
		now.cluster = uint64(verdict.Of)
		kept, _, err := t.page(now.cluster)
		if err != nil {
			return err
		}
		tokens = kept.BodyTokens
		if wide, err := t.tooManyURLs(now, forms, kept.URL); err != nil || wide {
			return err
		}
	}
	if tokens < t.s.rules.o.MinTokens {
		return nil
	}
	if err := t.evidence(now, forms); err != nil {
		return fmt.Errorf("url rules for %s: %w", u, err)
	}
	return t.remember(now, forms)
}

// tooManyURLs counts the URLs of a page that rules can't take for one, and reports
// whether there are too many.
func (t *txn) tooManyURLs(now comparedPage, forms dust.Forms, keptURL string) (bool, error) {
	key := seqKey(now.cluster)
	b, err := t.tx.Get(tableWide, key)
	if err != nil {
		return false, err
	}
	kept, err := weburl.Parse(keptURL)
	if err != nil {
		return false, err
	}
	n := byte(0)
	if len(b) > 0 {
		n = b[0]
	}
	if n < maxWide && dust.Host(kept) == dust.Host(now.url) && dust.FormsOf(kept).Page != forms.Page && !mayBeOne(now.url, kept) {
		n++
		t.tx.Put(tableWide, key, []byte{n})
	}
	return n >= maxWide, nil
}

// isTrial reports whether a URL that was fetched could have been left out, and was not to
// see whether a rule still holds.
func (t *txn) isTrial(k weburl.Key) bool {
	r := &t.s.rules
	r.mu.Lock()
	was := r.lent[k]
	delete(r.lent, k)
	r.mu.Unlock()
	rec := t.urls[k]
	return was || rec != nil && rec.dust&isTrial != 0
}

// mayBeOne reports whether some rule could take two URLs for one: in a manual what
// is not translated stands in the folder of each language.
func mayBeOne(u, v weburl.URL) bool {
	ds, ok := dust.Compare(u, v)
	return ok && len(ds) > 0 && len(ds) <= 3
}

// weighTemplate counts how many of the documents under URLs that are made
// alike were new.
func (t *txn) weighTemplate(u weburl.URL, verdict dedup.Verdict) error {
	template := dust.Template(u)
	hash := templateHash(template)
	b, err := t.tx.Get(tableMade, seqKey(hash))
	if err != nil {
		return err
	}
	m := decodeMade(b)
	m.pages++
	m.dry++
	m.fresh *= .95
	if !verdict.Copy() {
		m.fresh += .05
		m.dry = 0
	}
	var e row.Encoder
	e.Uint(m.pages)
	e.Float32(m.fresh)
	e.Uint(m.dry)
	t.tx.Put(tableMade, seqKey(hash), e.B)
	t.s.rules.setTrap(hash, m.trap())
	return t.weighEndless(template, m)
}

// weighEndless keeps the rule of a template of which nothing is new any more. A new
// document brings back what was left out.
func (t *txn) weighEndless(template string, m templateStats) error {
	r := dust.Rule{Kind: dust.Endless, Scope: template}
	_, there := t.s.rules.book.Get(r.ID())
	if !there && !m.trap() {
		return nil
	}
	rec, err := t.rule(r)
	if err != nil || rec == nil {
		return err
	}
	if rec.OK, rec.tried = uint32(min(m.dry, math.MaxUint32)), time.Now(); m.dry == 0 {
		t.takeBack(rec)
	}
	t.s.rules.book.Put(r, rec.Stats)
	return nil
}

func templateHash(template string) uint64 { return uint64(dust.Rule{Scope: template}.ID()) }

// An evidenceFor is what one page says of one rule.
type evidenceFor struct {
	rule dust.Rule
	same bool
	with uint64
}

// evidence compares a document with those that rules take for it.
func (t *txn) evidence(now comparedPage, forms dust.Forms) error {
	ballots := make(map[dust.ID]evidenceFor)
	template := dust.Template(now.url)
	compared := []uint32{uint32(now.seq)}
	if now.cluster != now.seq { // its prefix is told by the page that it is a copy of
		kept, ok, err := t.in().fetched(now.cluster)
		if err != nil {
			return err
		}
		if ok {
			compared = append(compared, uint32(kept.seq))
			t.compareWith(ballots, now, kept, template)
		}
	}
	names := append([]uint64{forms.Exact}, forms.Dropped...)
	for _, u := range t.s.rules.book.Swapped(now.url, true) {
		names = append(names, dust.ExactForm(u))
	}
	for i, form := range names {
		b, err := t.tx.Get(tableForms, seqKey(form))
		if err != nil {
			return err
		}
		f := decodeForm(b)
		for _, seq := range append(f.exact, f.dropped...) {
			if i > 0 && len(compared) > maxCompared || slices.Contains(compared, seq) {
				continue
			}
			compared = append(compared, seq)
			other, ok, err := t.in().fetched(uint64(seq))
			if err != nil {
				return err
			}
			if ok {
				t.compareWith(ballots, now, other, template)
			}
		}
	}
	explored, wrong := false, false
	for _, v := range ballots {
		for _, scope := range []string{v.rule.Scope, template} {
			r := v.rule
			r.Scope = scope
			used, err := t.countEvidence(r, v, now)
			if err != nil {
				return err
			}
			explored, wrong = explored || used, wrong || used && !v.same
		}
	}
	if explored {
		t.state.Totals.Explored++
	}
	if wrong {
		t.state.Totals.Wrong++
	}
	return nil
}

// vouch casts what two documents say of the rules by which they are one. Where
// they are not, and differ in several things, only the one that is not trusted
// is to blame; where all are trusted all are.
func (t *txn) compareWith(ballots map[dust.ID]evidenceFor, now, other comparedPage, template string) {
	ds, ok := dust.Compare(now.url, other.url)
	if !ok || len(ds) == 0 || len(ds) > 3 {
		return
	}
	same := now.cluster == other.cluster
	if !same && len(ds) > 1 {
		doubtful := slices.DeleteFunc(slices.Clone(ds), func(d dust.Difference) bool {
			tier, _, _ := t.s.rules.book.Judge([]dust.Difference{d}, template)
			return tier == dust.Skip
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
			if b, ok := ballots[r.ID()]; !ok || b.same && !same {
				ballots[r.ID()] = evidenceFor{r, same, other.seq}
			}
		}
	}
}

// countEvidence counts what one page says for a rule. It reports whether the rule left URLs
// out until now; if it was wrong, those are queued again.
func (t *txn) countEvidence(r dust.Rule, v evidenceFor, now comparedPage) (used bool, err error) {
	rec, err := t.rule(r)
	if err != nil || rec == nil {
		return false, err
	}
	if used = rec.Tier(r.Kind) == dust.Skip; used && now.trial {
		rec.Tried++
	}
	rec.tried = time.Now()
	first := false
	if v.same {
		if first, err = t.agrees(rec, now.cluster); err != nil {
			return false, err
		}
	}
	rec.Count(v.same, first)
	if v.same {
		rec.same = [2]uint64{v.with, now.seq}
	} else {
		rec.differ = [2]uint64{v.with, now.seq}
		t.takeBack(rec)
	}
	t.s.rules.book.Put(r, rec.Stats)
	return used, nil
}

// agrees takes note of a page that agreed to a rule, and reports whether it is the
// first time. Of a rule that enough pages agreed to no more are noted.
func (t *txn) agrees(rec *ruleRecord, doc uint64) (bool, error) {
	if int(rec.Distinct) >= t.s.rules.o.Trials {
		return false, nil
	}
	key := agreeKey(rec.ID(), doc)
	if agreed, err := kv.Has(t.tx, tableAgreed, key); err != nil || agreed {
		return false, err
	}
	t.tx.Put(tableAgreed, key, present)
	return true, nil
}

// agreed reports whether a page has agreed to each of some rules, or enough pages have.
func (s *Store) agreed(in snapshot, why []dust.Rule, doc uint64) (bool, error) {
	for _, r := range why {
		id := r.ID()
		if known, _ := s.rules.book.Get(id); int(known.Distinct) >= s.rules.o.Trials {
			continue
		}
		if ok, err := kv.Has(in, tableAgreed, agreeKey(id, doc)); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// takeBack has what a rule left out queued again, in this commit and the next.
func (t *txn) takeBack(rec *ruleRecord) {
	if rec.Skipped == rec.Reopened {
		return
	}
	rec.reopening = true
	t.s.rules.mu.Lock()
	t.s.rules.open[rec.ID()] = true
	t.s.rules.mu.Unlock()
}

// remember names a document under its forms.
func (t *txn) remember(now comparedPage, forms dust.Forms) error {
	put := func(form uint64, exact bool) error {
		b, err := t.tx.Get(tableForms, seqKey(form))
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
		t.tx.Put(tableForms, seqKey(form), f.encode())
		return nil
	}
	if err := put(forms.Exact, true); err != nil {
		return err
	}
	if plain, ok := t.s.rules.book.StrippedForm(now.url, dust.Defer); ok {
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

// finishRules writes what the batch changed of rules, and brings back what rules
// that were wrong had left out.
func (t *txn) finishRules() error {
	if err := t.drain(); err != nil {
		return fmt.Errorf("queue again what a url rule left out: %w", err)
	}
	for id, rec := range t.rules {
		t.tx.Put(tableRules, seqKey(uint64(id)), rec.encode())
	}
	return nil
}

// drain brings back some of what is to be queued again.
func (t *txn) drain() error {
	t.s.rules.mu.Lock()
	open := make([]dust.ID, 0, len(t.s.rules.open))
	for id := range t.s.rules.open {
		open = append(open, id)
	}
	t.s.rules.mu.Unlock()
	slices.Sort(open)
	left := reopenAtOnce
	for _, id := range open {
		rec, err := t.ruleAt(id)
		if err != nil || rec == nil {
			return errors.Join(err, fmt.Errorf("rule %s is not there", id))
		}
		keys, err := t.leftOut(id, left)
		if err != nil {
			return err
		}
		if err := t.bringBack(rec, keys, 0); err != nil {
			return err
		}
		n := len(keys)
		if left -= n; n == 0 && left > 0 {
			rec.reopening = false
			t.s.rules.mu.Lock()
			delete(t.s.rules.open, id)
			t.s.rules.mu.Unlock()
		}
		if left <= 0 {
			return nil
		}
	}
	return nil
}

// leftOut returns at most limit of the URLs that a rule left out.
func (t *txn) leftOut(id dust.ID, limit int) (keys []weburl.Key, err error) {
	for e, err := range kv.Prefix(t.tx, tableLeft, seqKey(uint64(id))) {
		if err != nil {
			return nil, err
		}
		if len(keys) == limit {
			break
		}
		keys = append(keys, weburl.Key(e.Key[8:]))
	}
	return keys, nil
}

// bringBack queues URLs that a rule left out.
func (t *txn) bringBack(rec *ruleRecord, keys []weburl.Key, flags byte) error {
	id := rec.ID()
	for _, k := range keys {
		u, err := t.url(k)
		if err != nil || u == nil {
			return errors.Join(err, fmt.Errorf("url %s was left out, and is not there", k))
		}
		t.tx.Delete(tableLeft, leftKey(id, k))
		rec.Reopened++
		t.s.rules.book.Put(rec.Rule, rec.Stats)
		if u.state != refused || u.refusal.Rule != gatecrawl.RuleDust {
			continue // brought back by another rule
		}
		if err := t.readmit(u); err != nil {
			return err
		}
		u.dust |= flags
		t.s.known.put(k, u.score)
		t.enqueue(k, u)
	}
	return nil
}

// readmit takes back the refusal of a URL that was left out.
func (t *txn) readmit(u *urlRecord) error {
	kind, err := t.kindOf(u)
	if err != nil {
		return err
	}
	lower(t.state.Totals.Avoided, kind)
	lower(t.state.Totals.Rules, gatecrawl.RuleDust)
	t.state.Totals.Reopened++
	u.refusal = frontier.Refusal{}
	return nil
}

// kindOf returns the kind of the rule that a URL was left out by, which its
// refusal names first.
func (t *txn) kindOf(u *urlRecord) (string, error) {
	id, err := leftBy(u)
	if err != nil {
		return "", err
	}
	rec, err := t.ruleAt(id)
	if err != nil || rec == nil {
		return "", errors.Join(err, fmt.Errorf("url %s: left out by rule %s, which is not there", u.url, id))
	}
	return string(rec.Kind), nil
}

// leftBy returns the rule that the refusal of a URL names first.
func leftBy(u *urlRecord) (dust.ID, error) {
	text, _, _ := strings.Cut(u.refusal.Detail, ":")
	id, err := dust.ParseID(strings.TrimPrefix(text, "rule "))
	if err != nil {
		return id, fmt.Errorf("url %s: left out by %q: %w", u.url, u.refusal.Detail, err)
	}
	return id, nil
}

// A decision is what rules make of a URL.
type decision struct {
	tier    dust.Tier
	explore bool
	trap    bool
	why     []dust.Rule
	same    weburl.URL
	page    uint64 // the kept page of same
}

// decide looks for a page that was fetched under another URL.
func (s *Store) decide(in snapshot, u weburl.URL) (d decision, err error) {
	template := dust.Template(u)
	s.rules.mu.RLock()
	d.trap = s.rules.traps[templateHash(template)]
	s.rules.mu.RUnlock()
	if !s.rules.book.Affects(u) {
		return d, nil
	}
	for _, form := range s.rules.book.Forms(u, dust.Defer) {
		b, err := in.Get(tableForms, seqKey(form))
		if err != nil {
			return d, err
		}
		f := decodeForm(b)
		for _, seq := range append(f.exact, f.dropped...) {
			other, ok, err := in.fetched(uint64(seq))
			if err != nil {
				return d, err
			}
			if !ok || other.url == u {
				continue
			}
			ds, ok := dust.Compare(u, other.url)
			if !ok {
				continue
			}
			tier, why, weakest := s.rules.book.Judge(ds, template)
			if tier <= d.tier {
				continue
			}
			if w, err := in.Get(tableWide, seqKey(other.cluster)); err != nil || len(w) > 0 && w[0] >= maxWide {
				if err != nil {
					return d, err
				}
				continue
			}
			agreed, err := s.agreed(in, why, other.cluster)
			if err != nil {
				return d, err
			}
			d.tier, d.why, d.same, d.page, d.explore = tier, why, other.url, other.cluster, dust.Explore(u, weakest, agreed)
		}
	}
	return d, nil
}

// Aside is gatecrawl.Store's.
func (s *Store) Aside(_ context.Context, l frontier.Lease) (bool, error) {
	if !s.rules.book.Learns() || l.Attempt > 0 {
		return false, nil
	}
	s.rules.mu.RLock()
	traps := len(s.rules.traps)
	s.rules.mu.RUnlock()
	if traps == 0 && !s.rules.book.Affects(l.URL) {
		return false, nil
	}
	var d decision
	var flags byte
	err := s.look(func(in snapshot) (err error) {
		rec, ok, err := in.url(l.URL.Key())
		if err != nil || !ok || rec.dust&isTrial != 0 {
			return err
		}
		flags = rec.dust
		if d, err = s.decide(in, l.URL); err != nil || d.tier == dust.Skip || !d.trap {
			return err
		}
		return s.cutEndless(in, l, &d)
	})
	if err != nil {
		return false, fmt.Errorf("url rules for %s: %w", l.URL, err)
	}
	if d.explore {
		s.rules.mu.Lock()
		if len(s.rules.lent) < maxLent {
			s.rules.lent[l.URL.Key()] = true
		}
		s.rules.mu.Unlock()
	}
	skip := d.tier == dust.Skip && !d.explore
	if !skip && (flags&isDeferred != 0 || d.tier < dust.Defer && !d.trap || d.explore) {
		return false, nil
	}
	lent, err := s.sched.settling(l.Token, answer{})
	if errors.Is(err, frontier.ErrLeaseLost) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	err = s.write(func(t *txn) error { return t.setAside(lent, d, skip) })
	if err != nil {
		return false, fmt.Errorf("url rules for %s: %w", l.URL, err)
	}
	return true, nil
}

// cutEndless leaves a URL out that only a copy leads to, where both are of
// templates of which nothing is new any more.
func (s *Store) cutEndless(in snapshot, l frontier.Lease, d *decision) error {
	r := dust.Rule{Kind: dust.Endless, Scope: dust.Template(l.URL)}
	if s.rules.o.Learn != dust.LearnSkip || l.From.IsZero() || !s.endless(r) {
		return nil
	}
	from, ok, err := in.url(l.From)
	if err != nil || !ok || from.seq == 0 {
		return err
	}
	p, ok, err := in.fetched(from.seq)
	if err != nil || !ok || p.cluster == p.seq || !s.endless(dust.Rule{Kind: dust.Endless, Scope: dust.Template(p.url)}) {
		return err
	}
	d.tier, d.explore, d.why, d.same, d.page = dust.Skip, false, []dust.Rule{r}, weburl.URL{}, 0
	return nil
}

// isEndless reports whether a URL was left out for no other URL of its page.
func isEndless(u *urlRecord) bool {
	return u.refusal.Rule == gatecrawl.RuleDust && !strings.Contains(u.refusal.Detail, fetchedAs)
}

func (s *Store) endless(r dust.Rule) bool {
	known, _ := s.rules.book.Get(r.ID())
	return known.Tier(r.Kind) == dust.Skip
}

// setAside leaves a lent URL out, or puts it off.
func (t *txn) setAside(l *activeLease, d decision, skip bool) error {
	u, err := t.lent(l)
	if err != nil {
		return err
	}
	t.unqueue(l.key, u)
	t.settled = append(t.settled, l)
	var by []*ruleRecord
	for _, r := range d.why {
		rec, err := t.ruleAt(r.ID())
		if err != nil {
			return err
		}
		// A page that was settled in the meantime may have spoken against it.
		if rec == nil || rec.Tier(r.Kind) < dust.Skip || rec.reopening {
			skip = false
			break
		}
		by = append(by, rec)
	}
	if !skip || len(by) == 0 {
		u.dust |= isDeferred
		u.score = t.s.priority.Score(u.signals) - deferral
		t.s.known.put(l.key, u.score)
		t.enqueue(l.key, u)
		return nil
	}
	for _, rec := range by {
		rec.Skipped++
		t.s.rules.book.Put(rec.Rule, rec.Stats)
		t.tx.Put(tableLeft, leftKey(rec.ID(), l.key), seqKey(d.page))
	}
	u.state = refused
	u.refusal = frontier.Refusal{Rule: gatecrawl.RuleDust, Detail: fmt.Sprintf("rule %s: %s", by[0].ID(), by[0].Rule)}
	if d.same != (weburl.URL{}) {
		u.refusal.Detail += fetchedAs + d.same.String()
	}
	t.state.Totals.Rules[gatecrawl.RuleDust]++
	t.state.Totals.Avoided[string(by[0].Kind)]++
	t.s.known.put(l.key, float32(math.Inf(-1)))
	t.put(l.key, u)
	return nil
}

// auditRules is Audit as far as it is about learned rules.
func (s *Store) auditRules(ctx context.Context) (bool, error) {
	if !s.rules.book.Learns() {
		return false, nil
	}
	before := s.Totals().Reopened
	for ctx.Err() == nil {
		more, open := false, 0
		err := s.write(func(t *txn) error {
			s.rules.mu.RLock()
			open = len(s.rules.open)
			s.rules.mu.RUnlock()
			var err error
			if open == 0 {
				more, err = t.audit()
			}
			return err
		})
		if err != nil {
			return false, fmt.Errorf("try what url rules left out: %w", err)
		}
		if open == 0 {
			return more || s.Totals().Reopened > before, nil
		}
	}
	return false, nil
}

// audit queues again, of each rule that too few pages agreed to, as much of what
// it left out as is wanting. It reports whether the caller may find something
// to visit: of many workers that call it at once each may find one URL. Where a
// host's budget is used up they find nothing, and the crawl ends.
func (t *txn) audit() (bool, error) {
	r := &t.s.rules
	settled := t.state.Totals.Pages + t.state.Totals.Retries + t.state.Totals.Revisits
	if r.audited == settled {
		r.found--
		return r.found > 0, nil
	}
	var wanting []dust.ID
	err := eachRule(t.tx, func(rec *ruleRecord) error {
		if rec.Skipped > rec.Reopened && int(rec.Distinct) < r.o.Trials && rec.Kind != dust.Endless && rec.MayTry() > 0 {
			wanting = append(wanting, rec.ID())
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	r.audited, r.found = settled, 0
	for _, id := range wanting {
		rec, err := t.ruleAt(id)
		if err != nil {
			return false, err
		}
		keys, err := t.untried(rec)
		if err != nil {
			return false, err
		}
		if err := t.bringBack(rec, keys, isTrial); err != nil {
			return false, err
		}
		r.found += len(keys)
	}
	return r.found > 0, nil
}

// untried returns what has to be fetched of what a rule left out before it is sure:
// one URL each of pages that did not agree to it yet, as many as are wanting. The
// keys of URLs are hashes, so that the first are as good a sample as any.
func (t *txn) untried(rec *ruleRecord) ([]weburl.Key, error) {
	id := rec.ID()
	agreed := make(map[uint64]bool)
	for e, err := range kv.Prefix(t.tx, tableAgreed, seqKey(uint64(id))) {
		if err != nil {
			return nil, err
		}
		agreed[seqOf(e.Key[8:])] = true
	}
	var keys []weburl.Key
	met := make(map[uint64]bool)
	read := 0
	for e, err := range kv.Prefix(t.tx, tableLeft, seqKey(uint64(id))) {
		if err != nil {
			return nil, err
		}
		if doc := seqOf(e.Value); !agreed[doc] && !met[doc] {
			keys = append(keys, weburl.Key(e.Key[8:]))
			met[doc] = true
		}
		if read++; read == maxAudited {
			break
		}
	}
	known := int(rec.Distinct) // an imported rule's pages are not noted
	wanting := t.s.rules.o.Wanted(max(known, len(agreed)+len(keys))) - known
	return keys[:max(0, min(len(keys), wanting, rec.MayTry()))], nil
}

// tryAgain queues a share of what each rule left out, when a re-crawl begins; and all
// that a rule left out of which nothing was heard for so long that it is to be proven
// again.
func (t *txn) tryAgain(share float64) error {
	if !t.s.rules.book.Learns() {
		return nil
	}
	var old, all []dust.ID
	now := time.Now()
	err := eachRule(t.tx, func(rec *ruleRecord) error {
		switch {
		case rec.Skipped == rec.Reopened:
		case !rec.tried.IsZero() && now.Sub(rec.tried) > t.s.rules.o.Recheck:
			old = append(old, rec.ID())
		default:
			all = append(all, rec.ID())
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range old {
		rec, err := t.ruleAt(id)
		if err != nil {
			return err
		}
		rec.Demote()
		if err := t.forgetAgreed(id); err != nil {
			return err
		}
		rec.tried = now
		t.s.rules.book.Put(rec.Rule, rec.Stats)
		t.takeBack(rec)
	}
	for _, id := range all {
		rec, err := t.ruleAt(id)
		if err != nil {
			return err
		}
		n := int(math.Ceil(share * float64(rec.Skipped-rec.Reopened)))
		keys, err := t.leftOut(id, min(n, reopenAtOnce))
		if err != nil {
			return err
		}
		if err := t.bringBack(rec, keys, isTrial); err != nil {
			return err
		}
	}
	return nil
}

// forgetAgreed forgets which pages agreed to a rule.
func (t *txn) forgetAgreed(id dust.ID) error {
	for e, err := range kv.Prefix(t.tx, tableAgreed, seqKey(uint64(id))) {
		if err != nil {
			return err
		}
		t.tx.Delete(tableAgreed, e.Key)
	}
	return nil
}

// Rules is gatecrawl.URLRules's.
func (s *Store) Rules(ctx context.Context, fn func(gatecrawl.URLRule) error) error {
	return s.look(func(in snapshot) error {
		return eachRule(in, func(r *ruleRecord) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return fn(in.urlRule(r))
		})
	})
}

func (in snapshot) urlRule(r *ruleRecord) gatecrawl.URLRule {
	v := gatecrawl.URLRule{
		ID: r.ID().String(), Rule: r.Rule, Stats: r.Stats,
		Tier: r.Tier(r.Kind).String(), Lower: r.LowerBound(), Words: r.Rule.String(),
	}
	for i := range 2 {
		// What is not there stays empty: an imported rule has no pages here.
		v.Same[i], _ = in.urlOf(r.same[i])
		v.Differ[i], _ = in.urlOf(r.differ[i])
	}
	return v
}

// Explain is gatecrawl.URLRules's.
func (s *Store) Explain(_ context.Context, u weburl.URL) (gatecrawl.Explained, error) {
	e := gatecrawl.Explained{URL: u.String(), Template: dust.Template(u), Decision: "fetch", Rules: []gatecrawl.URLRule{}}
	err := s.look(func(in snapshot) error {
		d, err := s.decide(in, u)
		if err != nil {
			return err
		}
		switch {
		case d.tier == dust.Skip && d.explore:
			e.Decision = "explore"
		case d.tier > dust.Watch:
			e.Decision = d.tier.String()
		case d.trap:
			e.Decision = "defer"
		}
		if d.same != (weburl.URL{}) {
			e.Same = d.same.String()
		}
		for _, r := range d.why {
			b, err := in.Get(tableRules, seqKey(uint64(r.ID())))
			if err != nil || b == nil {
				return err
			}
			rec, err := decodeRule(b)
			if err != nil {
				return err
			}
			e.Rules = append(e.Rules, in.urlRule(rec))
		}
		return nil
	})
	return e, err
}

// Left calls fn for every URL that rules leave out, and the URL under which
// its page was fetched.
func (s *Store) Left(ctx context.Context, fn func(url, as string) error) error {
	return s.look(func(in snapshot) error {
		return each(in, tableLeft, func(k, _ []byte) error {
			rec, ok, err := in.url(weburl.Key(k[8:]))
			if err != nil || !ok {
				return errors.Join(err, fmt.Errorf("url %x was left out, and is not there", k[8:]))
			}
			_, as, found := strings.Cut(rec.refusal.Detail, fetchedAs)
			if rec.state == refused && found {
				return errors.Join(fn(rec.url, as), ctx.Err())
			}
			return nil
		})
	})
}

// ImportRules is gatecrawl.URLRules's.
func (s *Store) ImportRules(_ context.Context, rs []gatecrawl.URLRule) (int, error) {
	n, full := 0, false
	err := s.write(func(t *txn) error {
		for _, r := range rs {
			if _, known := t.s.rules.book.Get(r.Rule.ID()); known {
				continue
			}
			rec, err := t.rule(r.Rule)
			if err != nil {
				return err
			}
			if full = rec == nil; full {
				return nil
			}
			rec.Stats = dust.Stats{OK: r.OK, Bad: r.Bad, Distinct: r.Distinct, Revoked: r.Revoked}
			t.s.rules.book.Put(rec.Rule, rec.Stats)
			n++
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("import url rules: %w", err)
	}
	if full {
		return n, fmt.Errorf("import url rules: a job holds at most %d, so %d were left out", s.rules.o.MaxRules, len(rs)-n)
	}
	return n, nil
}

// RevokeRule is gatecrawl.URLRules's.
func (s *Store) RevokeRule(_ context.Context, id dust.ID) error {
	unknown := fmt.Errorf("rule %s: %w", id, gatecrawl.ErrUnknown)
	found := true
	err := s.write(func(t *txn) error {
		rec, err := t.ruleAt(id)
		if err != nil {
			return err
		}
		if found = rec != nil; !found {
			return nil
		}
		rec.Revoked = true
		t.s.rules.book.Put(rec.Rule, rec.Stats)
		t.takeBack(rec)
		return nil
	})
	if err == nil && !found {
		return unknown
	}
	return err
}
