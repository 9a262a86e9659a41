package twins

import (
	"fmt"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/store/kv"
)

// Idle is called when nothing else is left to fetch. For each host with a twin it queues as many
// deferred URLs as have to be checked, and all of them if too many checks found a different
// document. It reports whether the caller may find something to visit; when many workers call it at
// once, each may find one URL.
func (m *Learner) Idle(tx kv.Tx) (bool, error) {
	if m.mode != mirror.ModeOn {
		return false, nil
	}
	if len(m.in(tx).reopening) > 0 {
		return true, nil // the commit queues some again
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
		n, err := m.tryHost(tx, h, now)
		if err != nil {
			return false, fmt.Errorf("try what mirrors left out: %w", err)
		}
		if m.audited += n; m.audited >= reopenAtOnce {
			break
		}
	}
	return m.audited > 0 || len(m.in(tx).reopening) > 0, nil
}

// tryHost checks the twins of one host, and returns how many URLs it queued.
func (m *Learner) tryHost(tx kv.Tx, h weburl.HostKey, now time.Time) (queued int, err error) {
	host, err := m.host(tx, h)
	if err != nil || host.deferred == 0 {
		return 0, err
	}
	left := int(host.deferred)
	for _, tw := range host.Twins {
		if !tw.IsTrusted() {
			continue
		}
		late := 0
		if tw.Tried == 0 {
			if late, err = m.review(tx, h, tw, host); err != nil {
				return queued, err
			}
		}
		if tw.GivenUp {
			continue
		}
		if tw.Doubtful() {
			m.giveUp(tx, tw, host, h)
			continue
		}
		n, err := m.tryDeferred(tx, h, tw, tw.Audit(now, left, late)+tw.Retry(left))
		if err != nil {
			return queued, err
		}
		queued += n
	}
	return queued, nil
}

// Recrawl, called when a re-crawl starts, makes a share, 0 to 1, of each twin's deferred URLs be
// checked at its end, since a site that was a copy may have become a different one. The check is at
// the end because the twin has been fetched again by then.
func (m *Learner) Recrawl(tx kv.Tx, share float64) error {
	if share == 0 {
		return nil
	}
	for h := range m.twins {
		host, err := m.host(tx, h)
		if err != nil {
			return err
		}
		for _, tw := range host.Twins {
			tw.RetryShare = share
		}
	}
	return nil
}

// tryDeferred queues n of the URLs that are deferred for a twin. Their keys are hashes, so the
// first ones are a random sample.
func (m *Learner) tryDeferred(tx kv.Tx, h weburl.HostKey, tw *mirror.Twin, n int) (int, error) {
	var back [][2]weburl.Key
	for e, err := range kv.Prefix(tx, tableDeferred, h[:]) {
		if err != nil {
			return 0, err
		}
		if len(back) >= n {
			break
		}
		u := weburl.Key(e.Key)
		if by, err := m.deferredFor(tx, u); err != nil {
			return 0, err
		} else if by == tw {
			back = append(back, [2]weburl.Key{u, weburl.Key(e.Value)})
		}
	}
	for _, pair := range back {
		if err := m.reopen(tx, pair[0], pair[1], true); err != nil {
			return 0, err
		}
	}
	return len(back), nil
}
