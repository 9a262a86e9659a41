package dust

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
	"maps"
)

const (
	// maxAudited bounds how many of the URLs that a rule left out Idle reads.
	maxAudited = 50_000

	// reopenAtOnce bounds the URLs that one commit queues again.
	reopenAtOnce = 2_000
)

// reopen queues again what a rule left out, in this commit and the next ones.
func (l *Rules) reopen(rec *ruleRecord) {
	if rec.kept() == 0 {
		return
	}
	rec.reopening = true
	l.mu.Lock()
	l.open[rec.ID()] = true
	l.mu.Unlock()
}

// reopenSome queues some of the URLs that are to be queued again.
func (l *Rules) reopenSome(tx kv.Tx) error {
	left := reopenAtOnce
	for _, id := range l.reopening() {
		rec, err := l.known(tx, id)
		if err != nil || rec == nil {
			return errors.Join(err, fmt.Errorf("rule %s is not there", id))
		}
		keys, err := leftOutBy(tx, id, left)
		if err != nil {
			return err
		}
		if err := l.requeue(tx, rec, keys, false); err != nil {
			return fmt.Errorf("queue again what url rule %s left out: %w", id, err)
		}
		n := len(keys)
		if left -= n; n == 0 && left > 0 {
			rec.reopening = false
			l.mu.Lock()
			delete(l.open, id)
			l.mu.Unlock()
		}
		if left <= 0 {
			return nil
		}
	}
	return nil
}

// reopening returns the rules whose URLs are being queued again, in a stable order.
func (l *Rules) reopening() []ID {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.Sorted(maps.Keys(l.open))
}

// leftOutBy returns at most limit of the URLs that a rule left out.
func leftOutBy(r kv.Reader, id ID, limit int) (keys []weburl.Key, err error) {
	for e, err := range kv.Prefix(r, tableLeft, idKey(id)) {
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

// requeue queues URLs that a rule left out.
func (l *Rules) requeue(tx kv.Tx, rec *ruleRecord, keys []weburl.Key, trial bool) error {
	for _, k := range keys {
		tx.Delete(tableLeft, leftKey(rec.ID(), k))
		rec.Reopened++
		l.book.Put(rec.Rule, rec.Stats)
		if out, err := kv.Has(tx, tableLeftOut, k[:]); err != nil {
			return err
		} else if !out {
			continue // another rule queued it again
		}
		if err := l.TakeBack(tx, k); err != nil {
			return err
		}
		if err := l.job.Readmit(tx, k, trial); err != nil {
			return err
		}
	}
	return nil
}

// Idle is called when the queue is empty. For each rule that too few pages have confirmed it queues
// as many of the URLs that the rule left out as are missing. It reports whether the caller may find
// something to visit: if many workers call it at once, each may find one URL. If a host's budget is
// used up they find nothing, and the crawl ends.
func (l *Rules) Idle(tx kv.Tx) (bool, error) {
	if !l.book.Learns() {
		return false, nil
	}
	n := l.job.Totals(tx)
	if len(l.reopening()) > 0 {
		before := n.Reopened
		if err := l.reopenSome(tx); err != nil || n.Reopened > before || len(l.reopening()) > 0 {
			return err == nil, err
		}
	}
	settled := n.Pages + n.Retries + n.Revisits
	if l.audited == settled {
		l.found--
		return l.found > 0, nil
	}
	var wanting []ID
	err := eachRule(tx, func(rec *ruleRecord) error {
		if rec.kept() > 0 && int(rec.Distinct) < l.o.Trials && rec.Kind != Endless && rec.Kind != Query && rec.mayTry() > 0 {
			wanting = append(wanting, rec.ID())
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	l.audited, l.found = settled, 0
	for _, id := range wanting {
		rec, err := l.known(tx, id)
		if err != nil {
			return false, err
		}
		keys, err := l.untried(tx, rec)
		if err != nil {
			return false, err
		}
		if err := l.requeue(tx, rec, keys, true); err != nil {
			return false, fmt.Errorf("try what url rule %s left out: %w", id, err)
		}
		l.found += len(keys)
	}
	return l.found > 0, nil
}

// untried returns the URLs that a rule left out and that have to be fetched before the rule is
// certain: one URL each of pages that have not confirmed it yet, as many as are missing. The keys
// of URLs are hashes, so the first ones are a random sample.
func (l *Rules) untried(tx kv.Tx, rec *ruleRecord) ([]weburl.Key, error) {
	id := rec.ID()
	agreed := make(map[uint64]bool)
	for e, err := range kv.Prefix(tx, tableAgreed, idKey(id)) {
		if err != nil {
			return nil, err
		}
		agreed[numberOf(e.Key[8:])] = true
	}
	var keys []weburl.Key
	met := make(map[uint64]bool)
	read := 0
	for e, err := range kv.Prefix(tx, tableLeft, idKey(id)) {
		if err != nil {
			return nil, err
		}
		if kept := numberOf(e.Value); !agreed[kept] && !met[kept] {
			keys = append(keys, weburl.Key(e.Key[8:]))
			met[kept] = true
		}
		if read++; read == maxAudited {
			break
		}
	}
	known := int(rec.Distinct) // the pages of an imported rule are not stored
	wanted := l.o.Wanted(max(known, len(agreed)+len(keys))) - known
	return keys[:max(0, min(len(keys), wanted, rec.mayTry()))], nil
}

// Recrawl is called when a re-crawl starts. It queues a share, 0 to 1, of the URLs that each rule
// left out, and all URLs of rules that had no evidence for Options.Recheck: these must be proven
// again.
func (l *Rules) Recrawl(tx kv.Tx, share float64) error {
	if !l.book.Learns() {
		return nil
	}
	var old, current []ID
	now := time.Now()
	err := eachRule(tx, func(rec *ruleRecord) error {
		switch {
		case rec.kept() == 0:
		case !rec.tried.IsZero() && now.Sub(rec.tried) > l.o.Recheck:
			old = append(old, rec.ID())
		default:
			current = append(current, rec.ID())
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range old {
		if err := l.demote(tx, id, now); err != nil {
			return err
		}
	}
	for _, id := range current {
		rec, err := l.known(tx, id)
		if err != nil {
			return err
		}
		n := int(math.Ceil(share * float64(rec.kept())))
		keys, err := leftOutBy(tx, id, min(n, reopenAtOnce))
		if err != nil {
			return err
		}
		if err := l.requeue(tx, rec, keys, true); err != nil {
			return fmt.Errorf("try what url rule %s left out: %w", id, err)
		}
	}
	return nil
}

// demote makes a rule be proven again, and queues what it left out.
func (l *Rules) demote(tx kv.Tx, id ID, now time.Time) error {
	rec, err := l.known(tx, id)
	if err != nil {
		return err
	}
	rec.Demote()
	for e, err := range kv.Prefix(tx, tableAgreed, idKey(id)) {
		if err != nil {
			return err
		}
		tx.Delete(tableAgreed, e.Key)
	}
	rec.tried = now
	l.book.Put(rec.Rule, rec.Stats)
	l.reopen(rec)
	return nil
}
