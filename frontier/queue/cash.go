package queue

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"gatecrawl.example/gatecrawl/frontier/queue/internal/recent"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

const (
	// mostSpilled is how many URLs may be owed cash in addition to those in Queue.known, at some
	// 100 bytes of memory each. If there are more, the oldest debts are written to records.
	mostSpilled = 1 << 16

	// oldestOwed is for how many pages cash may be owed: when a killed job is opened, the links of
	// that many pages are read.
	oldestOwed = 1 << 14

	// settledAtOnce is how many records are written together: written in the order of their keys,
	// adjacent ones share blocks.
	settledAtOnce = 1 << 12

	// movesShare is roughly how many times waiting URLs are raised while the number of pages
	// doubles: a URL that many pages link to is raised once for all of them.
	movesShare = 64
)

// TableCash is the journal of payments that some waiting URL's record lacks. It has a row for each
// commit: by the sequence number of its first page, the number and the payment of each page.
var TableCash = &kv.Table{Name: "cash", Fill: .95}

// A ledger has what kept pages have paid to waiting URLs since the URLs' records were written.
//
// Writing a record for each payment would cost as much as all the rest of a link's processing, and
// most payments change no order. So they are added up in memory, in Queue.known, and the journal
// says which pages have paid how much to each of their links. A record says up to which page its
// cash is complete (Record.CashAt). Therefore, when a killed job is opened, the ledger can be
// rebuilt from the journal and the pages' links, and nothing is lost or counted twice.
//
// A URL whose cash has doubled is also raised in memory: see raised. Only the writer uses the
// ledger.
type ledger struct {
	on      bool
	till    uint64                    // the sequence number of the page that paid last
	spilled map[weburl.Key]recent.URL // URLs that are owed something and are no longer in Queue.known
	due     []weburl.Key              // URLs whose cash has doubled; some are no longer owed anything
	moved   uint64                    // value of till when URLs in due were last raised
	rows    []journalRow              // of TableCash, oldest first

	listed uint64       // value of till when old debts were last listed
	old    []weburl.Key // URLs whose debts are to be written next, by key; some are settled already
	oldest uint64       // every record has all payments of earlier pages
	next   uint64       // value of oldest once the debts in old are settled
}

// A journalRow is a row of TableCash.
type journalRow struct{ first, last uint64 }

// A payment is what a page pays to each of its links.
type payment struct {
	page  uint64
	share float32
}

// Outlinks reads the keys of a kept page's distinct links, one after the other; nil if they are
// lost.
type Outlinks func(r kv.Reader, page uint64) ([]byte, error)

// LoadCash rebuilds the ledger from the journal. Without it no payments are made. Call it after
// Load and before the first Begin.
func (q *Queue) LoadCash(r kv.Reader, outlinks Outlinks) error {
	l := &q.ledger
	l.on, l.spilled = true, make(map[weburl.Key]recent.URL)
	var all []payment
	for e, err := range kv.All(r, TableCash) {
		if err != nil {
			return err
		}
		paid, err := decodePayments(e.Value)
		if err != nil {
			return err
		}
		all = append(all, paid...)
		l.rows = append(l.rows, journalRow{binary.BigEndian.Uint64(e.Key), paid[len(paid)-1].page})
		l.till = paid[len(paid)-1].page
	}
	l.moved = l.till
	if len(all) == 0 {
		return nil
	}
	type found struct {
		key weburl.Key
		payment
	}
	var fs []found
	for _, p := range all {
		out, err := outlinks(r, p.page)
		if err != nil {
			return err
		}
		for ; len(out) >= len(weburl.Key{}); out = out[len(weburl.Key{}):] {
			fs = append(fs, found{weburl.Key(out), p})
		}
	}
	slices.SortStableFunc(fs, func(a, b found) int { return bytes.Compare(a.key[:], b.key[:]) })
	for len(fs) > 0 {
		k, n := fs[0].key, 1
		for n < len(fs) && fs[n].key == k {
			n++
		}
		rec, ok, err := Get(r, k)
		if err != nil {
			return err
		}
		if ok && rec.mayBePaid() {
			q.remember(k, &rec)
			for _, f := range fs[:n] {
				if f.page > rec.CashAt {
					q.owe(k, q.known.Get(k), f.payment)
				}
			}
		}
		fs = fs[n:]
	}
	l.oldest = all[0].page
	q.sched.mu.Lock()
	defer q.sched.mu.Unlock()
	for _, r := range q.raiseDue() {
		q.sched.raise(r) // hosts get their places in see
	}
	return nil
}

// mayBePaid reports whether the URL takes part in payments: it waits for its first visit.
func (r *Record) mayBePaid() bool {
	return r.Page == 0 && (r.State == Queued || r.State == Later)
}

// met returns what is remembered of a URL; nil if nothing is. The caller may change it until the
// next call. If the URL was forgotten, the debt to it is included.
func (q *Queue) met(k weburl.Key) *recent.URL {
	m := q.known.Get(k)
	if m == nil && len(q.ledger.spilled) > 0 {
		if spilled, there := q.ledger.spilled[k]; there {
			delete(q.ledger.spilled, k)
			q.know(k, spilled)
			m = q.known.Get(k)
		}
	}
	return m
}

// know remembers a URL.
func (q *Queue) know(k weburl.Key, m recent.URL) {
	switch other, known := q.known.Put(k, m); {
	case known.Owed != 0:
		q.ledger.spilled[other] = known
	case known.More:
		q.linked[other] = known.Links
	}
}

// owe records what a page pays to a URL that is remembered as m.
func (q *Queue) owe(k weburl.Key, m *recent.URL, p payment) {
	if m.Owed == 0 {
		m.First = p.page
	}
	m.Owed += p.share
	if !m.Due && priority.Doubled(m.Placed, m.Cash+m.Owed) {
		m.Due = true
		q.ledger.due = append(q.ledger.due, k)
	}
}

// collect returns what is owed to the URL of a record, and marks it as paid in the record. The
// caller adds it to the record's cash.
func (t *Tx) collect(k weburl.Key, rec *Record) float32 {
	l := &t.q.ledger
	if !l.on {
		return 0
	}
	rec.CashAt = max(rec.CashAt, l.till)
	m := t.q.met(k)
	if m == nil || m.Owed == 0 {
		return 0
	}
	owed := m.Owed
	m.Owed = 0
	if rec.Page != 0 {
		return 0
	}
	return owed
}

// Pay gives each of the links, which are the distinct ones of a kept page, an equal share of what a
// page with this cash pays. Call it before Add, once for each page, in the order of their sequence
// numbers.
func (t *Tx) Pay(page uint64, links []*Link, cash float32) {
	l := &t.q.ledger
	if !l.on || len(links) == 0 {
		return
	}
	p := payment{page, priority.Pay(cash, len(links))}
	l.till = p.page
	t.paid = append(t.paid, p)
	for _, link := range links {
		link.owed = true
		link.Candidate.Signals.Cash = p.share
	}
}

// SettleCash writes debts to the records of their URLs, some thousands at a time. It reports
// whether there are more.
func (t *Tx) SettleCash() (more bool, err error) {
	l := &t.q.ledger
	if len(l.old) == 0 {
		t.q.listOld(l.till)
	}
	err = t.settleOld()
	return len(l.old) > 0 || l.next <= l.till, err
}

// finishCash raises the URLs whose cash has doubled, limits the ledger, and writes the journal.
func (t *Tx) finishCash() error {
	l := &t.q.ledger
	if !l.on {
		return nil
	}
	if len(l.due) > 0 && l.till-l.moved >= l.till/movesShare {
		l.moved = l.till
		t.raised = t.q.raiseDue()
	}
	half := oldestOwed / 2 * max(1, t.q.o.Spread)
	if len(l.old) == 0 && l.till-l.listed >= half {
		t.q.listOld(l.till - half)
	}
	if len(l.old) == 0 && len(l.spilled) > mostSpilled {
		t.q.listSpilled()
	}
	if len(l.old) > 0 {
		if err := t.settleOld(); err != nil {
			return err
		}
	}
	if len(t.paid) > 0 {
		t.kv.Put(TableCash, seqKey(t.paid[0].page), encodePayments(t.paid))
		l.rows = append(l.rows, journalRow{t.paid[0].page, l.till})
	}
	for len(l.rows) > 0 && l.rows[0].last < l.oldest {
		t.kv.Delete(TableCash, seqKey(l.rows[0].first))
		l.rows = l.rows[1:]
	}
	return nil
}

// raiseDue returns the new places of URLs whose cash has doubled since they were placed.
func (q *Queue) raiseDue() (all []raise) {
	due := q.ledger.due
	q.ledger.due = nil
	for _, k := range due {
		m := q.known.Get(k)
		spilled, there := q.ledger.spilled[k]
		if m == nil && there {
			m = &spilled
		}
		if m == nil || m.Owed == 0 || !m.Due {
			continue // its record was written since
		}
		m.Due, m.Placed = false, m.Cash+m.Owed
		if there {
			q.ledger.spilled[k] = spilled
		}
		all = append(all, raise{k, positionOf(m.Plain+q.priority.CashTerm(m.Placed), m.Order), m.Placed})
	}
	return all
}

// listOld lists the debts whose first page is at most till.
func (q *Queue) listOld(till uint64) {
	l := &q.ledger
	l.listed, l.next = l.till, till+1
	for k, m := range q.known.All() {
		if m.Owed != 0 && m.First <= till {
			l.old = append(l.old, k)
		}
	}
	for k, m := range l.spilled {
		if m.First <= till {
			l.old = append(l.old, k)
		}
	}
	slices.SortFunc(l.old, func(a, b weburl.Key) int { return bytes.Compare(a[:], b[:]) })
	if len(l.old) == 0 {
		l.oldest = max(l.oldest, l.next)
	}
}

// listSpilled lists the oldest eighth of the debts to URLs in spilled.
func (q *Queue) listSpilled() {
	l := &q.ledger
	l.old = slices.SortedFunc(maps.Keys(l.spilled), func(a, b weburl.Key) int {
		return cmp.Or(cmp.Compare(l.spilled[a].First, l.spilled[b].First), bytes.Compare(a[:], b[:]))
	})[:len(l.spilled)/8]
	l.next = l.oldest
	slices.SortFunc(l.old, func(a, b weburl.Key) int { return bytes.Compare(a[:], b[:]) })
}

// settleOld writes some thousands of the listed debts to the records of their URLs, and moves the
// URLs' entries if these are too low now.
func (t *Tx) settleOld() error {
	l := &t.q.ledger
	n := min(len(l.old), settledAtOnce)
	for _, k := range l.old[:n] {
		if m := t.q.met(k); m == nil || m.Owed == 0 {
			delete(l.spilled, k)
			continue
		}
		rec, err := t.Get(k)
		if err != nil {
			return err
		}
		if rec == nil || !rec.mayBePaid() {
			t.q.met(k).Owed = 0 // nothing is owed to a URL that is done or refused
			continue
		}
		t.Rescore(k, rec, rec.Signals)
	}
	if l.old = l.old[n:]; len(l.old) == 0 {
		l.old, l.oldest = nil, max(l.oldest, l.next)
	}
	return nil
}

func seqKey(page uint64) []byte { return binary.BigEndian.AppendUint64(nil, page) }

func encodePayments(ps []payment) []byte {
	var e row.Encoder
	for _, p := range ps {
		e.Uint(p.page)
		e.Float32(p.share)
	}
	return e.B
}

func decodePayments(b []byte) (ps []payment, err error) {
	d := row.Decoder{B: b}
	for len(d.B) > 0 && d.Err == nil {
		ps = append(ps, payment{d.Uint(), d.Float32()})
	}
	if d.Err == nil && len(ps) == 0 {
		return nil, fmt.Errorf("journal of cash: a row without pages: run crawl check")
	}
	if d.Err != nil {
		return nil, fmt.Errorf("journal of cash: %w: run crawl check", d.Err)
	}
	return ps, nil
}

// BadPayments reports whether a row of TableCash can't be read or has a wrong key.
func BadPayments(key, value []byte) bool {
	paid, err := decodePayments(value)
	return err != nil || !bytes.Equal(key, seqKey(paid[0].page))
}
