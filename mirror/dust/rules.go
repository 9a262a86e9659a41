package dust

import (
	"sync"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// RefusalRule is the name of the rule that refuses the URLs that Rules leave out.
const RefusalRule = "dust"

// A Job is what Rules need from the rest of a crawl's state.
type Job interface {
	// URL returns what is known about a URL; ok is false if it is not known. Within a transaction
	// it sees the transaction's changes.
	URL(r kv.Reader, k weburl.Key) (u URL, ok bool, err error)

	// Readmit takes back the refusal of a URL by RefusalRule and queues it; a trial is fetched
	// whatever the rules say. The URL must have been left out.
	Readmit(tx kv.Tx, k weburl.Key, trial bool) error

	// Totals returns the counts of a transaction, to be changed.
	Totals(tx kv.Tx) *page.Totals
}

// A URL is what Rules have to know about a URL.
type URL struct {
	Text    string // the URL
	Page    uint64 // the number of its page; 0: it was not fetched yet
	LeftOut bool   // it is refused by RefusalRule
	Trial   bool   // it is fetched whatever the rules say
}

// Rules are what a job has learned about its URLs: the rules with their evidence, the URLs that
// they left out, and the templates that no longer lead to anything new. Learn, Idle, and everything
// else that takes a transaction is for the one goroutine that writes; the other methods may be
// called from many.
type Rules struct {
	o    Options
	job  Job
	book *Book

	mu     sync.RWMutex
	traps  map[uint64]bool     // templates, by hash
	open   map[ID]bool         // rules whose URLs are being queued again
	trials map[weburl.Key]bool // URLs that are fetched to test whether a rule is still valid; lost in a crash

	// The following fields belong to the writer.
	batch   batch
	audited int64 // visits settled when Idle last queued something
	found   int   // URLs that Idle has queued, minus the calls since
}

// A batch is the rules that one commit has changed and not written yet: many visits share a commit,
// and each may change some.
type batch struct {
	tx      kv.Tx
	changed map[ID]*ruleRecord
}

const (
	// maxTraps bounds the templates in memory that are known as traps. URLs of further ones are
	// fetched in their turn.
	maxTraps = 100_000

	// maxTrials bounds the trials in progress. Those that never lead to a document stay.
	maxTrials = 100_000
)

// Load reads what earlier runs have learned.
func Load(r kv.Reader, o Options, job Job) (*Rules, error) {
	l := &Rules{
		o: o, job: job, book: NewBook(o),
		traps: make(map[uint64]bool), open: make(map[ID]bool), trials: make(map[weburl.Key]bool),
	}
	err := eachRule(r, func(rec *ruleRecord) error {
		l.book.Put(rec.Rule, rec.Stats)
		if rec.reopening {
			l.open[rec.ID()] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l, kv.Each(r, tableTemplates, func(k, v []byte) error {
		l.setTrap(numberOf(k), decodeTemplateStats(v).trap())
		return nil
	})
}

// Finish writes what the transactions of a commit have changed, and queues some of the URLs that
// are to be queued again. It is called once a commit, after all Learn calls in it.
func (l *Rules) Finish(tx kv.Tx) error {
	if err := l.reopenSome(tx); err != nil {
		return err
	}
	for id, rec := range l.in(tx) {
		tx.Put(tableRules, idKey(id), rec.encode())
	}
	l.batch = batch{}
	return nil
}

// in returns the records that a commit has changed.
func (l *Rules) in(tx kv.Tx) map[ID]*ruleRecord {
	if l.batch.tx != tx {
		l.batch = batch{tx, make(map[ID]*ruleRecord)}
	}
	return l.batch.changed
}

// rule returns the record of a rule, to be changed; a new one if there is none, or nil if the book
// is full.
func (l *Rules) rule(tx kv.Tx, r Rule) (*ruleRecord, error) {
	rec, err := l.known(tx, r.ID())
	if err != nil || rec != nil {
		return rec, err
	}
	if l.book.Len() >= l.o.MaxRules {
		return nil, nil
	}
	rec = &ruleRecord{Rule: r}
	l.in(tx)[r.ID()] = rec
	return rec, nil
}

// known returns the record of an existing rule, to be changed; nil if there is none.
func (l *Rules) known(tx kv.Tx, id ID) (*ruleRecord, error) {
	if rec := l.in(tx)[id]; rec != nil {
		return rec, nil
	}
	rec, err := ruleAt(tx, id)
	if err == nil && rec != nil {
		l.in(tx)[id] = rec
	}
	return rec, err
}

// Omits reports whether URLs are left out or postponed at all.
func (l *Rules) Omits() bool { return l.book.Learns() }

// SameByName reports whether URLs of a host are left out because the same site has them with or
// without www., or over the other one of http and https.
func (l *Rules) SameByName(u weburl.URL) bool {
	return l.leavesOut(Rule{Kind: WWW, Scope: Host(u)}) || l.leavesOut(Rule{Kind: Scheme, Scope: Host(u)})
}

// setTrap stores whether a template is a trap.
func (l *Rules) setTrap(hash uint64, is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !is:
		delete(l.traps, hash)
	case len(l.traps) < maxTraps:
		l.traps[hash] = true
	}
}

func templateHash(template string) uint64 { return uint64(Rule{Scope: template}.ID()) }
