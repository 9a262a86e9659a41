package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/store/kv"
)

// When nothing else is left to do, a crawl tries what it put off for twins.

// Audit is gatecrawl.Store's.
func (s *Store) Audit(ctx context.Context) (bool, error) {
	more, err := s.auditRules()
	if err == nil && !more {
		more, err = s.auditCopies(ctx)
	}
	if err != nil || more || s.mirrors.mode != mirror.ModeOn {
		return more, err
	}
	err = s.write(func(t *txn) error {
		var err error
		more, err = t.auditTwins()
		return err
	})
	if err != nil {
		return false, fmt.Errorf("try what mirrors left out: %w", err)
	}
	return more, nil
}

// auditRules is Audit as far as it is about learned rules.
func (s *Store) auditRules() (more bool, err error) {
	if !s.rules.Learns() {
		return false, nil
	}
	err = s.write(func(t *txn) (err error) {
		more, err = s.rules.Idle(t.tx)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("try what url rules left out: %w", err)
	}
	return more, nil
}

// auditTwins queues of each host with a twin as much of what was put off as has to
// be looked at, and all of a host of which that showed too much to be another
// document. It reports whether the caller may find something to visit: of many
// workers that call at once each may find one URL.
func (t *txn) auditTwins() (bool, error) {
	m := &t.s.mirrors
	if len(t.reopening) > 0 {
		return true, nil // the commit brings some back
	}
	if m.audited > 0 {
		m.audited--
		return m.audited > 0, nil
	}
	now := time.Now().UTC()
	hosts := make([]weburl.HostKey, 0, len(m.twins))
	for h := range m.twins {
		hosts = append(hosts, h)
	}
	slices.SortFunc(hosts, func(a, b weburl.HostKey) int { return slices.Compare(a[:], b[:]) })
	for _, h := range hosts {
		if err := t.auditHost(h, now, &m.audited); err != nil {
			return false, err
		}
		if m.audited >= reopenChunk {
			break
		}
	}
	return m.audited > 0 || len(t.reopening) > 0, nil
}

// auditHost looks at the twins of one host, and adds to queued what it queued.
func (t *txn) auditHost(h weburl.HostKey, now time.Time, queued *int) error {
	r, err := t.mirror(h)
	if err != nil || r.deferred == 0 {
		return err
	}
	left := int(r.deferred)
	for _, tw := range r.Twins {
		if !tw.IsTrusted() {
			continue
		}
		if tw.Doubtful() {
			t.giveUp(tw, r, h)
			continue
		}
		n, err := t.tryDeferred(h, tw, tw.Audit(now, left)+tw.Retry(left))
		if err != nil {
			return err
		}
		*queued += n
	}
	return nil
}

// doubtTwins takes note, when a re-crawl begins, that at its end a share is tried of
// what was put off for each twin: a site that was a copy may have become another one
// since. At the end, since by then what is asked in its place was asked for again.
func (t *txn) doubtTwins(share float64) error {
	if share == 0 {
		return nil
	}
	for h := range t.s.mirrors.twins {
		r, err := t.mirror(h)
		if err != nil {
			return err
		}
		for _, tw := range r.Twins {
			tw.RetryShare = share
		}
	}
	return nil
}

// tryDeferred queues so many of the URLs that were put off for a twin. Their keys
// are hashes, so that the first are as good a sample as any.
func (t *txn) tryDeferred(h weburl.HostKey, tw *mirror.Twin, n int) (int, error) {
	var back [][2]weburl.Key
	for e, err := range kv.Prefix(t.tx, tableDeferred, h[:]) {
		if err != nil {
			return 0, err
		}
		if len(back) >= n {
			break
		}
		u := weburl.Key(e.Key)
		if by, _, err := t.waitsFor(u); err != nil {
			return 0, err
		} else if by == tw {
			back = append(back, [2]weburl.Key{u, weburl.Key(e.Value)})
		}
	}
	for _, b := range back {
		if err := t.reopen(b[0], b[1]); err != nil {
			return 0, err
		}
		t.urls[b[0]].dust |= isTrial
	}
	return len(back), nil
}

// presume raises what the document at the URL of a twin links to, as the
// copies would that were not asked for: by the domains that they are on.
func (t *txn) presume(twin weburl.Key, rec *urlRecord) error {
	of := rec.seq
	p, v, err := t.page(of)
	if err != nil || !p.Document() {
		return err
	}
	if v.Copy() {
		of = uint64(v.Of)
	}
	return t.s.groups.Presume(t.tx, of, func(yield func(weburl.URL, error) bool) {
		for e, err := range kv.Prefix(t.tx, tableTwins, twin[:]) {
			if err == nil {
				rec, err = t.url(weburl.Key(e.Key[len(twin):]))
			}
			if err == nil && rec == nil {
				return
			}
			u := weburl.URL{}
			if err == nil {
				u, err = weburl.Parse(rec.url)
			}
			if !yield(u, err) || err != nil {
				return
			}
		}
	})
}
