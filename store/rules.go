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

	"gatecrawl"
	"gatecrawl/dedup"
	"gatecrawl/frontier"
	"gatecrawl/mirror/rules"
	"gatecrawl/store/runs"
)

// Keys of the table that belong to learned URL rules.
const (
	kindForm  = 'f' // then a form of addresses, 8 bytes: the pages that have it
	kindLeft  = 'l' // then a rule's id and a URL's key: the URL was left out, of which kept page
	kindRule  = 'r' // then a rule's id: its record
	kindAgree = 'a' // then a rule's id and the seq of a kept page: addresses of it agreed
	kindMade  = 'm' // then a path template's hash: documents and how many were new
	kindWide  = 'w' // then the seq of a kept page: copies that no rule explains
)

const (
	ruleForm = 1

	// maxExact and maxDropped bound the pages that one form names: those that
	// have it themselves, and those that have it without a parameter.
	maxExact, maxDropped = 4, 3

	// maxCompared bounds the pages that one page is compared with.
	maxCompared = 12

	// maxWide is how many addresses may carry a page that no rule takes for one,
	// before it is taken for an error page, a log-in or an empty list, which say
	// nothing of addresses.
	maxWide = 4

	// maxAudited bounds what an audit reads of what one rule left out.
	maxAudited = 50_000

	// reopenAtOnce bounds what one commit brings back.
	reopenAtOnce = 2_000

	// deferral is what being put off costs in score: behind all that is no copy,
	// before all that was only found on one (see priority.Options.Score).
	deferral = 1_024

	// fetchedAs stands before the other address in the refusal of a URL.
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

func wordKey(kind byte, n uint64) []byte { return binary.BigEndian.AppendUint64([]byte{kind}, n) }

func leftKey(id rules.ID, k frontier.Key) []byte {
	return append(wordKey(kindLeft, uint64(id)), k[:]...)
}

func agreeKey(id rules.ID, page uint64) []byte {
	return binary.BigEndian.AppendUint64(wordKey(kindAgree, uint64(id)), page)
}

// learning is what a job knows of its addresses, in memory.
type learning struct {
	o    rules.Options
	book *rules.Book

	mu    sync.RWMutex
	traps map[uint64]bool // templates, by hash
	open  map[rules.ID]bool

	// The writer's: what was settled when audit last queued something again, and
	// how much that was.
	audited int64
	found   int
}

// maxTraps bounds the templates that are known as traps, in memory. What comes after
// them is fetched in its turn.
const maxTraps = 100_000

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
func (s *Store) loadRules(o rules.Options) error {
	s.rules = learning{o: o, book: rules.NewBook(o), traps: make(map[uint64]bool), open: make(map[rules.ID]bool)}
	return s.look(func(in glance) error {
		err := eachRule(in.table, func(r *ruleRecord) error {
			s.rules.book.Put(r.Rule, r.Stats)
			if r.reopening {
				s.rules.open[r.ID()] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
		return in.table.Range([]byte{kindMade}, nil, func(k, v []byte) bool {
			s.rules.setTrap(binary.BigEndian.Uint64(k[1:]), decodeMade(v).trap())
			return true
		})
	})
}

// A ruleRecord is what the table has of one rule.
type ruleRecord struct {
	rules.Rule
	rules.Stats
	reopening bool      // what it left out is being queued again
	same      [2]uint64 // seqs of two pages that it takes for one rightly
	differ    [2]uint64 // and wrongly
	tried     time.Time // when a page last spoke for or against it; zero in jobs of old
}

func (r *ruleRecord) encode() []byte {
	e := encoder{make([]byte, 0, 64)}
	e.byte(ruleForm)
	e.string(string(r.Kind))
	e.string(r.Scope)
	e.string(r.Arg)
	for _, n := range []uint32{r.OK, r.Bad, r.Distinct, r.Skipped, r.Reopened} {
		e.uint(uint64(n))
	}
	e.bool(r.Revoked)
	e.bool(r.reopening)
	for _, n := range []uint64{r.same[0], r.same[1], r.differ[0], r.differ[1]} {
		e.uint(n)
	}
	e.time(r.tried)
	return e.b
}

func decodeRule(b []byte) (*ruleRecord, error) {
	d := decoder{b: b}
	if f := d.byte(); f != ruleForm {
		return nil, fmt.Errorf("url rule of form %d; this version reads %d", f, ruleForm)
	}
	r := &ruleRecord{Rule: rules.Rule{Kind: rules.Kind(d.string()), Scope: d.string(), Arg: d.string()}}
	for _, n := range []*uint32{&r.OK, &r.Bad, &r.Distinct, &r.Skipped, &r.Reopened} {
		*n = uint32(d.uint())
	}
	r.Revoked, r.reopening = d.bool(), d.bool()
	for _, n := range []*uint64{&r.same[0], &r.same[1], &r.differ[0], &r.differ[1]} {
		*n = d.uint()
	}
	if len(d.b) > 0 {
		r.tried = d.time()
	}
	if d.err != nil {
		return nil, fmt.Errorf("url rule: %w", d.err)
	}
	return r, nil
}

func eachRule(t *runs.Reader, fn func(*ruleRecord) error) error {
	var fault error
	err := t.Range([]byte{kindRule}, nil, func(_, v []byte) bool {
		var r *ruleRecord
		if r, fault = decodeRule(v); fault == nil {
			fault = fn(r)
		}
		return fault == nil
	})
	return errors.Join(err, fault)
}

// A made is what is known of the addresses that are made alike.
type made struct {
	pages uint64
	fresh float32 // moving average of the share of new documents, from 1
	dry   uint64  // documents since the last new one
}

func (m made) trap() bool { return m.pages >= trapPages && m.fresh < trapShare }

func decodeMade(b []byte) made {
	if len(b) == 0 {
		return made{fresh: 1}
	}
	d := decoder{b: b}
	m := made{pages: d.uint(), fresh: d.float32()}
	if len(d.b) > 0 {
		m.dry = d.uint()
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

// written is what a batch does to the rules' part of the table.
type written struct {
	values map[string][]byte
	rules  map[rules.ID]*ruleRecord
}

// word reads a value of the rules' part, the batch's own writes too.
func (t *txn) word(key []byte) ([]byte, error) {
	if v, ok := t.dust.values[string(key)]; ok {
		return v, nil
	}
	v, _, err := t.table.Get(key)
	return v, err
}

func (t *txn) putWord(key, value []byte) {
	if t.dust.values == nil {
		t.dust.values = make(map[string][]byte)
	}
	t.dust.values[string(key)] = value
}

// rule returns the record of a rule, a new one where there is none; nil: there
// is no room for it.
func (t *txn) rule(r rules.Rule) (*ruleRecord, error) {
	rec, err := t.ruleAt(r.ID())
	if err != nil || rec != nil {
		return rec, err
	}
	if t.s.rules.book.Len() >= t.s.rules.o.MaxRules {
		return nil, nil
	}
	rec = &ruleRecord{Rule: r}
	t.dust.rules[r.ID()] = rec
	return rec, nil
}

// ruleAt returns the record of a rule that is there, to be changed; nil: none.
func (t *txn) ruleAt(id rules.ID) (*ruleRecord, error) {
	if rec := t.dust.rules[id]; rec != nil {
		return rec, nil
	}
	if t.dust.rules == nil {
		t.dust.rules = make(map[rules.ID]*ruleRecord)
	}
	b, ok, err := t.table.Get(wordKey(kindRule, uint64(id)))
	if err != nil || !ok {
		return nil, err
	}
	rec, err := decodeRule(b)
	if err == nil {
		t.dust.rules[id] = rec
	}
	return rec, err
}

// A fetched is a document that addresses are compared by.
type fetched struct {
	seq     uint64
	url     frontier.URL
	cluster uint64 // the kept page
}

// fetchedAt reads a document's record; ok is false where it is no longer one.
func fetchedAt(pages interface{ Get([]byte) []byte }, seq uint64) (f fetched, ok bool, err error) {
	b := pages.Get(seqKey(seq))
	if b == nil {
		return f, false, nil
	}
	p, verdict, err := decodePage(b)
	if err != nil || !p.Document() || p.ReplacedBy != 0 {
		return f, false, err
	}
	u, err := frontier.Parse(p.URL)
	f = fetched{seq, u, seq}
	if verdict.Copy() {
		f.cluster = uint64(verdict.Of)
	}
	return f, err == nil, err
}

// weigh takes a document as evidence for and against rules.
func (t *txn) weigh(u frontier.URL, page *gatecrawl.Page, verdict dedup.Verdict) error {
	if !t.s.rules.book.Learns() || t.s.gateOff || !page.Document() {
		return nil
	}
	if err := t.weighTemplate(u, verdict); err != nil {
		return err
	}
	now := fetched{page.Seq, u, page.Seq}
	tokens, forms := page.BodyTokens, rules.FormsOf(u)
	if verdict.Copy() {
		now.cluster = uint64(verdict.Of)
		kept, _, err := t.page(now.cluster)
		if err != nil {
			return err
		}
		tokens = kept.BodyTokens
		if wide, err := t.wide(now, forms, kept.URL); err != nil || wide {
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

// wide counts the addresses of a page that rules can't take for one, and reports
// whether there are too many.
func (t *txn) wide(now fetched, forms rules.Forms, keptURL string) (bool, error) {
	key := wordKey(kindWide, now.cluster)
	b, err := t.word(key)
	if err != nil {
		return false, err
	}
	kept, err := frontier.Parse(keptURL)
	if err != nil {
		return false, err
	}
	n := byte(0)
	if len(b) > 0 {
		n = b[0]
	}
	if n < maxWide && rules.Host(kept) == rules.Host(now.url) && rules.FormsOf(kept).Page != forms.Page && !t.isOne(now.url, kept) {
		n++
		t.putWord(key, []byte{n})
	}
	return n >= maxWide, nil
}

// isOne reports whether rules take two addresses for one.
func (t *txn) isOne(u, v frontier.URL) bool {
	ds, ok := rules.Compare(u, v)
	if !ok {
		return false
	}
	tier, _, _ := t.s.rules.book.Judge(ds, rules.Template(u))
	return tier > rules.Watch
}

// weighTemplate counts how many of the documents under addresses that are made
// alike were new.
func (t *txn) weighTemplate(u frontier.URL, verdict dedup.Verdict) error {
	template := rules.Template(u)
	hash := templateHash(template)
	b, err := t.word(wordKey(kindMade, hash))
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
	var e encoder
	e.uint(m.pages)
	e.float32(m.fresh)
	e.uint(m.dry)
	t.putWord(wordKey(kindMade, hash), e.b)
	t.s.rules.setTrap(hash, m.trap())
	return t.weighEndless(template, m)
}

// weighEndless keeps the rule of a template of which nothing is new any more. A new
// document brings back what was left out.
func (t *txn) weighEndless(template string, m made) error {
	r := rules.Rule{Kind: rules.Endless, Scope: template}
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

func templateHash(template string) uint64 { return uint64(rules.Rule{Scope: template}.ID()) }

// A ballot is what one page says of one rule.
type ballot struct {
	rule rules.Rule
	same bool
	with uint64
}

// evidence compares a document with those that rules take for it.
func (t *txn) evidence(now fetched, forms rules.Forms) error {
	ballots := make(map[rules.ID]ballot)
	template := rules.Template(now.url)
	compared := []uint32{uint32(now.seq)}
	if now.cluster != now.seq { // its prefix is told by the page that it is a copy of
		kept, ok, err := fetchedAt(t.pages, now.cluster)
		if err != nil {
			return err
		}
		if ok {
			compared = append(compared, uint32(kept.seq))
			t.vouch(ballots, now, kept, template)
		}
	}
	names := append([]uint64{forms.Exact}, forms.Dropped...)
	for _, u := range t.s.rules.book.Swapped(now.url, true) {
		names = append(names, rules.ExactForm(u))
	}
	for i, form := range names {
		b, err := t.word(wordKey(kindForm, form))
		if err != nil {
			return err
		}
		f := decodeForm(b)
		for _, seq := range append(f.exact, f.dropped...) {
			if i > 0 && len(compared) > maxCompared || slices.Contains(compared, seq) {
				continue
			}
			compared = append(compared, seq)
			other, ok, err := fetchedAt(t.pages, uint64(seq))
			if err != nil {
				return err
			}
			if ok {
				t.vouch(ballots, now, other, template)
			}
		}
	}
	explored, wrong := false, false
	for _, v := range ballots {
		for _, scope := range []string{v.rule.Scope, template} {
			r := v.rule
			r.Scope = scope
			used, err := t.tally(r, v, now)
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
func (t *txn) vouch(ballots map[rules.ID]ballot, now, other fetched, template string) {
	ds, ok := rules.Compare(now.url, other.url)
	if !ok || len(ds) == 0 || len(ds) > 3 {
		return
	}
	same := now.cluster == other.cluster
	if !same && len(ds) > 1 {
		doubtful := slices.DeleteFunc(slices.Clone(ds), func(d rules.Difference) bool {
			tier, _, _ := t.s.rules.book.Judge([]rules.Difference{d}, template)
			return tier == rules.Skip
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
				ballots[r.ID()] = ballot{r, same, other.seq}
			}
		}
	}
}

// tally counts a ballot for a rule. It reports whether the rule left addresses
// out until now; if it was wrong, those are queued again.
func (t *txn) tally(r rules.Rule, v ballot, now fetched) (used bool, err error) {
	rec, err := t.rule(r)
	if err != nil || rec == nil {
		return false, err
	}
	used = rec.Tier(r.Kind) == rules.Skip
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
func (t *txn) agrees(rec *ruleRecord, page uint64) (bool, error) {
	if int(rec.Distinct) >= t.s.rules.o.Trials {
		return false, nil
	}
	key := agreeKey(rec.ID(), page)
	v, err := t.word(key)
	if err != nil || v != nil {
		return false, err
	}
	t.putWord(key, present)
	return true, nil
}

// agreed reports whether a page has agreed to each of some rules, or enough pages have.
func (s *Store) agreed(in glance, why []rules.Rule, page uint64) (bool, error) {
	for _, r := range why {
		id := r.ID()
		if known, _ := s.rules.book.Get(id); int(known.Distinct) >= s.rules.o.Trials {
			continue
		}
		if _, ok, err := in.table.Get(agreeKey(id, page)); err != nil || !ok {
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
	t.s.rules.open[rec.ID()] = false // what this batch itself left out can't be read yet
	t.s.rules.mu.Unlock()
}

// remember names a document under its forms.
func (t *txn) remember(now fetched, forms rules.Forms) error {
	put := func(form uint64, exact bool) error {
		key := wordKey(kindForm, form)
		b, err := t.word(key)
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
		t.putWord(key, f.encode())
		return nil
	}
	if err := put(forms.Exact, true); err != nil {
		return err
	}
	if plain, ok := t.s.rules.book.Without(now.url, rules.Defer); ok {
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
	for k, v := range t.dust.values {
		t.batch.Put([]byte(k), v)
	}
	for id, rec := range t.dust.rules {
		t.batch.Put(wordKey(kindRule, uint64(id)), rec.encode())
	}
	return nil
}

// drain brings back some of what is to be queued again.
func (t *txn) drain() error {
	t.s.rules.mu.Lock()
	open := make([]rules.ID, 0, len(t.s.rules.open))
	ripe := make(map[rules.ID]bool)
	for id, old := range t.s.rules.open {
		open = append(open, id)
		ripe[id] = old
		t.s.rules.open[id] = true
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
		if left -= n; n == 0 && left > 0 && ripe[id] {
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
func (t *txn) leftOut(id rules.ID, limit int) (keys []frontier.Key, err error) {
	err = t.table.Range(wordKey(kindLeft, uint64(id)), nil, func(k, _ []byte) bool {
		if len(keys) == limit {
			return false
		}
		keys = append(keys, frontier.Key(k[9:]))
		return true
	})
	return keys, err
}

// bringBack queues URLs that a rule left out.
func (t *txn) bringBack(rec *ruleRecord, keys []frontier.Key, flags byte) error {
	id := rec.ID()
	for _, k := range keys {
		u, err := t.url(k)
		if err != nil || u == nil {
			return errors.Join(err, fmt.Errorf("url %s was left out, and is not there", k))
		}
		t.batch.Delete(leftKey(id, k))
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
func leftBy(u *urlRecord) (rules.ID, error) {
	text, _, _ := strings.Cut(u.refusal.Detail, ":")
	id, err := rules.ParseID(strings.TrimPrefix(text, "rule "))
	if err != nil {
		return id, fmt.Errorf("url %s: left out by %q: %w", u.url, u.refusal.Detail, err)
	}
	return id, nil
}

// A decision is what rules make of an address.
type decision struct {
	tier    rules.Tier
	explore bool
	trap    bool
	why     []rules.Rule
	same    frontier.URL
	page    uint64 // the kept page of same
}

// decide looks for a page that was fetched under another address.
func (s *Store) decide(in glance, u frontier.URL) (d decision, err error) {
	template := rules.Template(u)
	s.rules.mu.RLock()
	d.trap = s.rules.traps[templateHash(template)]
	s.rules.mu.RUnlock()
	if !s.rules.book.Concerns(u) {
		return d, nil
	}
	pages := in.Bucket(bucketPages)
	for _, form := range s.rules.book.Names(u, rules.Defer) {
		b, _, err := in.table.Get(wordKey(kindForm, form))
		if err != nil {
			return d, err
		}
		f := decodeForm(b)
		for _, seq := range append(f.exact, f.dropped...) {
			other, ok, err := fetchedAt(pages, uint64(seq))
			if err != nil {
				return d, err
			}
			if !ok || other.url == u {
				continue
			}
			ds, ok := rules.Compare(u, other.url)
			if !ok {
				continue
			}
			tier, why, weakest := s.rules.book.Judge(ds, template)
			if tier <= d.tier {
				continue
			}
			if w, _, err := in.table.Get(wordKey(kindWide, other.cluster)); err != nil || len(w) > 0 && w[0] >= maxWide {
				if err != nil {
					return d, err
				}
				continue
			}
			agreed, err := s.agreed(in, why, other.cluster)
			if err != nil {
				return d, err
			}
			d.tier, d.why, d.same, d.page, d.explore = tier, why, other.url, other.cluster, rules.Explore(u, weakest, agreed)
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
	if traps == 0 && !s.rules.book.Concerns(l.URL) {
		return false, nil
	}
	var d decision
	var flags byte
	err := s.look(func(in glance) (err error) {
		rec, ok, err := in.url(l.URL.Key())
		if err != nil || !ok || rec.dust&isTrial != 0 {
			return err
		}
		flags = rec.dust
		if d, err = s.decide(in, l.URL); err != nil || d.tier == rules.Skip || !d.trap {
			return err
		}
		return s.cutEndless(in, l, &d)
	})
	if err != nil {
		return false, fmt.Errorf("url rules for %s: %w", l.URL, err)
	}
	skip := d.tier == rules.Skip && !d.explore
	if !skip && (flags&isDeferred != 0 || d.tier < rules.Defer && !d.trap || d.explore) {
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

// cutEndless leaves an address out that only a copy leads to, where both are of
// templates of which nothing is new any more.
func (s *Store) cutEndless(in glance, l frontier.Lease, d *decision) error {
	r := rules.Rule{Kind: rules.Endless, Scope: rules.Template(l.URL)}
	if s.rules.o.Learn != rules.LearnSkip || l.From.IsZero() || !s.endless(r) {
		return nil
	}
	from, ok, err := in.url(l.From)
	if err != nil || !ok || from.seq == 0 {
		return err
	}
	p, ok, err := fetchedAt(in.Bucket(bucketPages), from.seq)
	if err != nil || !ok || p.cluster == p.seq || !s.endless(rules.Rule{Kind: rules.Endless, Scope: rules.Template(p.url)}) {
		return err
	}
	d.tier, d.explore, d.why, d.same, d.page = rules.Skip, false, []rules.Rule{r}, frontier.URL{}, 0
	return nil
}

// isEndless reports whether an address was left out for no other address of its page.
func isEndless(u *urlRecord) bool {
	return u.refusal.Rule == gatecrawl.RuleDust && !strings.Contains(u.refusal.Detail, fetchedAs)
}

func (s *Store) endless(r rules.Rule) bool {
	known, _ := s.rules.book.Get(r.ID())
	return known.Tier(r.Kind) == rules.Skip
}

// setAside leaves a lent URL out, or puts it off.
func (t *txn) setAside(l *lent, d decision, skip bool) error {
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
		if rec == nil || rec.Tier(r.Kind) < rules.Skip || rec.reopening {
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
		t.batch.Put(leftKey(rec.ID(), l.key), seqKey(d.page))
	}
	u.state = refused
	u.refusal = frontier.Refusal{Rule: gatecrawl.RuleDust, Detail: fmt.Sprintf("rule %s: %s", by[0].ID(), by[0].Rule)}
	if d.same != (frontier.URL{}) {
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
	var wanting []rules.ID
	err := eachRule(t.table, func(rec *ruleRecord) error {
		if rec.Skipped > rec.Reopened && int(rec.Distinct) < r.o.Trials && rec.Kind != rules.Endless {
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
// one address each of pages that did not agree to it yet, as many as are wanting. The
// keys of URLs are hashes, so that the first are as good a sample as any.
func (t *txn) untried(rec *ruleRecord) ([]frontier.Key, error) {
	id := rec.ID()
	agreed := make(map[uint64]bool)
	err := t.table.Range(wordKey(kindAgree, uint64(id)), nil, func(k, _ []byte) bool {
		agreed[seqOf(k[9:])] = true
		return true
	})
	if err != nil {
		return nil, err
	}
	var keys []frontier.Key
	met := make(map[uint64]bool)
	read := 0
	err = t.table.Range(wordKey(kindLeft, uint64(id)), nil, func(k, v []byte) bool {
		page := uint64(0)
		if len(v) == 8 {
			page = seqOf(v)
		}
		if page == 0 || !agreed[page] && !met[page] { // 0: in jobs of old no page is named
			keys = append(keys, frontier.Key(k[9:]))
			met[page] = true
		}
		read++
		return read < maxAudited
	})
	if err != nil {
		return nil, err
	}
	known := int(rec.Distinct) // an imported rule's pages are not noted
	wanting := t.s.rules.o.Wanted(max(known, len(agreed)+len(keys))) - known
	return keys[:max(0, min(len(keys), wanting))], nil
}

// tryAgain queues a share of what each rule left out, when a re-crawl begins; and all
// that a rule left out of which nothing was heard for so long that it is to be proven
// again.
func (t *txn) tryAgain(share float64) error {
	if !t.s.rules.book.Learns() {
		return nil
	}
	var old, all []rules.ID
	now := time.Now()
	err := eachRule(t.table, func(rec *ruleRecord) error {
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
		rec.Doubt()
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
func (t *txn) forgetAgreed(id rules.ID) error {
	return t.table.Range(wordKey(kindAgree, uint64(id)), nil, func(k, _ []byte) bool {
		t.batch.Delete(slices.Clone(k))
		return true
	})
}

// Rules is gatecrawl.URLRules's.
func (s *Store) Rules(ctx context.Context, fn func(gatecrawl.URLRule) error) error {
	return s.look(func(in glance) error {
		return eachRule(in.table, func(r *ruleRecord) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return fn(in.urlRule(r))
		})
	})
}

func (in glance) urlRule(r *ruleRecord) gatecrawl.URLRule {
	v := gatecrawl.URLRule{
		ID: r.ID().String(), Rule: r.Rule, Stats: r.Stats,
		Tier: r.Tier(r.Kind).String(), Lower: r.Lower(), Words: r.Rule.String(),
	}
	for i := range 2 {
		// What is not there stays empty: an imported rule has no pages here.
		v.Same[i], _ = urlAt(in.Tx, r.same[i])
		v.Differ[i], _ = urlAt(in.Tx, r.differ[i])
	}
	return v
}

// Explain is gatecrawl.URLRules's.
func (s *Store) Explain(_ context.Context, u frontier.URL) (gatecrawl.Explained, error) {
	e := gatecrawl.Explained{URL: u.String(), Template: rules.Template(u), Decision: "fetch", Rules: []gatecrawl.URLRule{}}
	err := s.look(func(in glance) error {
		d, err := s.decide(in, u)
		if err != nil {
			return err
		}
		switch {
		case d.tier == rules.Skip && d.explore:
			e.Decision = "explore"
		case d.tier > rules.Watch:
			e.Decision = d.tier.String()
		case d.trap:
			e.Decision = "defer"
		}
		if d.same != (frontier.URL{}) {
			e.Same = d.same.String()
		}
		for _, r := range d.why {
			b, ok, err := in.table.Get(wordKey(kindRule, uint64(r.ID())))
			if err != nil || !ok {
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

// Left calls fn for every URL that rules leave out, and the address under which
// its page was fetched.
func (s *Store) Left(ctx context.Context, fn func(url, as string) error) error {
	return s.look(func(in glance) error {
		var fault error
		err := in.table.Range([]byte{kindLeft}, nil, func(k, _ []byte) bool {
			rec, ok, err := in.url(frontier.Key(k[9:]))
			if err != nil || !ok {
				fault = errors.Join(err, fmt.Errorf("url %x was left out, and is not there", k[9:]))
				return false
			}
			_, as, found := strings.Cut(rec.refusal.Detail, fetchedAs)
			if rec.state == refused && found {
				fault = errors.Join(fn(rec.url, as), ctx.Err())
			}
			return fault == nil
		})
		return errors.Join(err, fault)
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
			rec.Stats = rules.Stats{OK: r.OK, Bad: r.Bad, Distinct: r.Distinct, Revoked: r.Revoked}
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
func (s *Store) RevokeRule(_ context.Context, id rules.ID) error {
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
