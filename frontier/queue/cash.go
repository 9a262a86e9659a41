package queue

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

const (
	// mostOwed is how many URLs may be owed cash at once, some 80 bytes of memory each. What
	// is beyond is written to the records of those that have been owed for longest.
	mostOwed = 1 << 17

	// oldestOwed is for how many pages cash is owed at most: so many pages' links are read
	// when a job is opened that was killed.
	oldestOwed = 1 << 14

	// settledAtOnce is of how many URLs the records are written together: in the order of
	// their keys neighbours share blocks.
	settledAtOnce = 1 << 12

	// movesShare is how many times waiting URLs are moved while the number of pages doubles,
	// at most and roughly: a URL that many pages link to moves once for all of them.
	movesShare = 64
)

// TableCash is the journal of what kept pages have paid that some waiting URL's record lacks,
// a row for each commit: by the number of its first page, the number and the share of each.
var TableCash = &kv.Table{Name: "cash", Fill: .95}

// A ledger is what the kept pages have paid to waiting URLs since their records were
// written. To write a record for each payment costs as much as all else that a link costs, and
// most payments move nothing: so they are added up in memory, and the journal says
// which pages have paid how much to each of their links. A record says up to which page its cash
// is complete (Record.CashAt), so that the ledger of a job that was killed is made anew from
// the journal and the pages' links, and nothing is lost or counted twice. It belongs to
// the writer.
type ledger struct {
	on    bool
	till  uint64              // the number of the page that paid last
	owed  map[weburl.Key]debt // what records lack
	turns []debtTurn          // by when each was owed first; some no longer are
	due   []weburl.Key        // whose cash has doubled; some no longer are owed
	moved uint64              // till, when those that were due were moved last
	rows  []journalRow        // of TableCash, oldest first
}

// A debt is what one URL is owed.
type debt struct {
	sum   float32
	base  float32 // what its record says
	first uint64  // the number of the first page whose payment its record lacks
	due   bool    // it is in ledger.due
}

// A debtTurn says since when a URL is owed.
type debtTurn struct {
	key   weburl.Key
	first uint64
}

// A journalRow is a row of TableCash.
type journalRow struct{ first, last uint64 }

// A payment is what a page has paid to each of its links.
type payment struct {
	page  uint64
	share float32
}

// Outlinks reads the keys of a kept page's distinct links, one after the other; none where
// they are lost.
type Outlinks func(r kv.Reader, page uint64) ([]byte, error)

// LoadCash makes the ledger anew from the journal. Without it nothing is paid. It comes after
// Load and before the first Begin.
func (q *Queue) LoadCash(r kv.Reader, outlinks Outlinks) error {
	l := &q.ledger
	l.on, l.owed = true, make(map[weburl.Key]debt)
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
			for _, f := range fs[:n] {
				if f.page > rec.CashAt {
					q.owe(k, rec.Signals.Cash, f.payment)
				}
			}
		}
		fs = fs[n:]
	}
	slices.SortFunc(l.turns, func(a, b debtTurn) int { return cmp.Compare(a.first, b.first) })
	return nil
}

// mayBePaid reports whether payments to the URL count: it waits for its first visit.
func (r *Record) mayBePaid() bool {
	return r.Page == 0 && (r.State == Queued || r.State == Later)
}

// owe notes what a page has paid to a URL whose record says base.
func (q *Queue) owe(k weburl.Key, base float32, p payment) {
	l := &q.ledger
	d, there := l.owed[k]
	if !there {
		d = debt{base: base, first: p.page}
		l.turns = append(l.turns, debtTurn{k, p.page})
	}
	d.sum += p.share
	if !d.due && priority.Doubled(d.base, d.base+d.sum) {
		d.due = true
		l.due = append(l.due, k)
	}
	l.owed[k] = d
}

// collect returns what the URL of a record is owed, which is the caller's to add to it, and
// says in the record that it has been.
func (t *Tx) collect(k weburl.Key, rec *Record) float32 {
	l := &t.q.ledger
	if !l.on {
		return 0
	}
	rec.CashAt = max(rec.CashAt, l.till)
	d, there := l.owed[k]
	if !there {
		return 0
	}
	delete(l.owed, k)
	if rec.Page != 0 {
		return 0
	}
	return d.sum
}

// Pay gives each of the links, which are the distinct ones of a kept page, an equal part of what
// a page with so much cash pays. It comes before Add, once for each page, by rising numbers.
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

// SettleCash writes what URLs are owed to their records, some thousands at once. It reports
// whether more are owed.
func (t *Tx) SettleCash() (more bool, err error) {
	err = t.settleOldest(settledAtOnce)
	return len(t.q.ledger.owed) > 0, err
}

// finishCash moves the URLs whose cash has doubled, bounds the ledger, and writes the journal.
func (t *Tx) finishCash() error {
	l := &t.q.ledger
	if !l.on {
		return nil
	}
	if len(l.due) > 0 && l.till-l.moved >= l.till/movesShare {
		due := l.due
		l.due, l.moved = nil, l.till
		if err := t.settleCash(due); err != nil {
			return err
		}
	}
	for len(l.owed) > mostOwed || len(l.owed) > 0 && l.till-l.oldest() > oldestOwed*max(1, t.q.o.Spread) {
		if err := t.settleOldest(settledAtOnce); err != nil {
			return err
		}
	}
	if len(t.paid) > 0 && len(l.owed) > 0 {
		t.kv.Put(TableCash, seqKey(t.paid[0].page), encodePayments(t.paid))
		l.rows = append(l.rows, journalRow{t.paid[0].page, l.till})
	}
	oldest := l.oldest()
	for len(l.rows) > 0 && l.rows[0].last < oldest {
		t.kv.Delete(TableCash, seqKey(l.rows[0].first))
		l.rows = l.rows[1:]
	}
	return nil
}

// oldest returns the number of the first page whose payments some record lacks: more than that
// of all pages where none does.
func (l *ledger) oldest() uint64 {
	for len(l.turns) > 0 {
		if d, there := l.owed[l.turns[0].key]; there && d.first == l.turns[0].first {
			return d.first
		}
		l.turns = l.turns[1:]
	}
	return l.till + 1
}

// settleOldest writes what the n URLs are owed that have been owed for longest.
func (t *Tx) settleOldest(n int) error {
	l := &t.q.ledger
	keys := make(map[weburl.Key]bool, min(n, len(l.owed)))
	for i := 0; i < len(l.turns) && len(keys) < n; i++ {
		if d, there := l.owed[l.turns[i].key]; there && d.first == l.turns[i].first {
			keys[l.turns[i].key] = true
		}
	}
	return t.settleCash(slices.Collect(maps.Keys(keys)))
}

// settleCash writes what URLs are owed to their records, and moves their entries where they
// stand too low by it.
func (t *Tx) settleCash(keys []weburl.Key) error {
	l := &t.q.ledger
	slices.SortFunc(keys, func(a, b weburl.Key) int { return bytes.Compare(a[:], b[:]) })
	for _, k := range keys {
		if _, there := l.owed[k]; !there {
			continue
		}
		rec, err := t.Get(k)
		if err != nil {
			return err
		}
		if rec == nil || !rec.mayBePaid() {
			delete(l.owed, k) // what is done or refused is owed nothing
			continue
		}
		t.Rescore(k, rec, rec.Signals)
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

// BadPayments reports whether a row of TableCash cannot be read or stands at a wrong key.
func BadPayments(key, value []byte) bool {
	paid, err := decodePayments(value)
	return err != nil || !bytes.Equal(key, seqKey(paid[0].page))
}
