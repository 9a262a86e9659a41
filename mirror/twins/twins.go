package twins

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"sync"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A Job is what a Learner needs of the rest of a crawl's state.
type Job interface {
	// URL returns what is known of a URL; ok is false if it is not known. Within a transaction it
	// sees the transaction's changes.
	URL(r kv.Reader, k weburl.Key) (u URL, ok bool, err error)

	// Readmit undoes the refusal of a URL by mirror.RefusalRule and queues it; a trial is fetched
	// whatever is known of its site. The URL must have been deferred.
	Readmit(tx kv.Tx, k weburl.Key, trial bool) error

	// Advance makes a URL that waits for its first visit come before the others of its host. It reports false if it
	// did not. A trial is fetched whatever is known of its site.
	Advance(tx kv.Tx, k weburl.Key, trial bool) (bool, error)

	// Presume raises the URLs that a kept page links to, as the votes of copies would that were
	// deferred. It need not consider all of them.
	Presume(tx kv.Tx, kept uint64, copies iter.Seq2[weburl.URL, error]) error

	// Copies returns the keys of the URLs that have copies of a kept page.
	Copies(r kv.Reader, kept uint64) iter.Seq2[weburl.Key, error]

	// SayTheSame reports whether two kept pages say the same, see dedup.SayTheSame; false if the text of one is not there.
	SayTheSame(a, b uint64) (bool, error)

	// Totals returns the totals as of a transaction, which the caller may change.
	Totals(tx kv.Tx) *page.Totals
}

// A URL is what a Learner needs to know of a URL.
type URL struct {
	Text     string // the URL
	Page     uint64 // the sequence number of its page; 0: it was not fetched yet
	Waits    bool   // in the queue, or for a retry
	Settled  bool   // it was visited, and does not wait for another visit
	Deferred bool   // it is refused by mirror.RefusalRule
	Trial    bool   // it is fetched whatever is known of its site
	Place    uint64 // its place among all URLs in the order of discovery, from 1
	Named    bool   // a user named it as a seed, or a seed redirected to it
}

const (
	// maxSample is how many documents of a host are sampled: 8 KB on disk.
	maxSample = 200

	// reopenAtOnce is how many URLs one commit queues again.
	reopenAtOnce = 2000

	// mostTwins is how long a chain of twins may be: http by https by another host.
	mostTwins = 3
)

// A Learner has what a crawl knows of mirrored sites: samples of the hosts, the twins of those that
// were found to be copies, and the URLs that were deferred for these. Methods that take a
// transaction are for the one goroutine that writes; the others may be called from many.
type Learner struct {
	mode mirror.Mode
	job  Job

	mu    sync.RWMutex
	twins map[weburl.HostKey][]*mirror.Twin // trusted twins; they are never changed, only replaced

	// The following fields belong to the writer.
	batch     *twinBatch
	reopening map[weburl.HostKey]weburl.Key // hosts whose deferred URLs are being queued again, and the key up to which that is done
	due       map[weburl.HostKey]uint64     // hosts that are compared with others again, in addition to the regular tests: with how many documents
	audited   int                           // URLs that Idle has queued, minus the calls since
}

// A twinBatch has the changes of one commit that are not written yet: many visits share a commit,
// and those of one host share its record.
type twinBatch struct {
	tx        kv.Tx
	hosts     map[weburl.HostKey]*hostRecord
	reopening map[weburl.HostKey]weburl.Key
}

// Load reads what earlier runs have learned. A job that is opened only for reading does not need
// the twins in memory.
func Load(r kv.Reader, mode mirror.Mode, job Job, readOnly bool) (*Learner, error) {
	m := &Learner{
		mode: mode, job: job,
		twins: make(map[weburl.HostKey][]*mirror.Twin), reopening: make(map[weburl.HostKey]weburl.Key),
		due: make(map[weburl.HostKey]uint64),
	}
	if readOnly {
		return m, nil
	}
	return m, kv.Each(r, hostRows.Large, func(k, b []byte) error {
		rec, err := decodeHost(b)
		if err != nil {
			return fmt.Errorf("host %x: %w", k, err)
		}
		h := weburl.HostKey(k)
		m.publish(h, rec)
		if rec.deferred > 0 && (mode != mirror.ModeOn || len(m.twins[h]) < len(rec.Twins)) {
			m.reopening[h] = weburl.Key{}
		}
		return nil
	})
}

// Reopening reports whether there are URLs to be queued again because of another mode or a twin
// that was given up. Every commit queues some.
func (m *Learner) Reopening() bool { return len(m.reopening) > 0 }

// Omits reports whether URLs are deferred at all.
func (m *Learner) Omits() bool { return m.mode == mirror.ModeOn }

// publish makes the twins of a host visible to readers.
func (m *Learner) publish(h weburl.HostKey, r *hostRecord) {
	var trusted []*mirror.Twin
	for _, t := range r.Twins {
		if t.IsTrusted() {
			trusted = append(trusted, t)
		}
	}
	if trusted == nil {
		delete(m.twins, h)
		return
	}
	m.twins[h] = trusted
}

// in returns the changes of a commit.
func (m *Learner) in(tx kv.Tx) *twinBatch {
	if m.batch != nil && m.batch.tx == tx {
		return m.batch
	}
	b := &twinBatch{tx: tx, hosts: make(map[weburl.HostKey]*hostRecord), reopening: m.reopening}
	m.batch = b
	tx.OnCommit(func() {
		m.batch, m.reopening = nil, b.reopening
		m.mu.Lock()
		defer m.mu.Unlock()
		for h, r := range b.hosts {
			if len(r.Twins) > 0 {
				m.publish(h, r)
			}
		}
	})
	return b
}

// host returns the record of a host, which the caller may change.
func (m *Learner) host(tx kv.Tx, h weburl.HostKey) (*hostRecord, error) {
	b := m.in(tx)
	if r := b.hosts[h]; r != nil {
		return r, nil
	}
	r, err := hostAt(tx, h)
	if err != nil {
		return nil, err
	}
	if r == nil {
		r = &hostRecord{}
	}
	b.hosts[h] = r
	return r, nil
}

// Finish queues some of the URLs that are to be queued again, and writes what the transactions of a
// commit have changed. It is called once a commit, after all Learn calls in it.
func (m *Learner) Finish(tx kv.Tx) error {
	b := m.in(tx)
	if err := m.reopenSome(tx, b); err != nil {
		return err
	}
	for h, r := range b.hosts {
		v, err := r.encode()
		if err != nil {
			return fmt.Errorf("mirror record: %w", err)
		}
		if err := hostRows.Put(tx, h[:], v); err != nil {
			return fmt.Errorf("mirror record: %w", err)
		}
	}
	return nil
}

// TwinOf returns the URL that is fetched instead of u; ok is false if u itself is fetched.
func (m *Learner) TwinOf(u weburl.URL) (to weburl.URL, ok bool) {
	if m.mode != mirror.ModeOn {
		return to, false
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if len(m.twins) == 0 {
		return to, false
	}
	to = u
	for range mostTwins {
		next, more := twinAmong(m.twins[to.Key().Host()], to)
		if !more {
			break
		}
		to, ok = next, true
	}
	return to, ok && to != u
}

// sampleEvery: of the URLs of a site that is a copy, one in this many is fetched from it, to check
// that the site still is a copy.
const sampleEvery = 50

// Instead returns the URL to fetch in place of a leased one whose site is a copy of another; ok is
// false if the leased URL itself is to be fetched: it has no twin, a user asked for it, or it is
// drawn as a check.
func (m *Learner) Instead(l frontier.Lease) (to weburl.URL, ok bool) {
	if l.From.IsZero() {
		return to, false
	}
	if to, ok = m.TwinOf(l.URL); !ok {
		return to, false
	}
	k := l.URL.Key()
	return to, binary.BigEndian.Uint32(k[12:])%sampleEvery != 0
}

// twinAmong returns the URL that corresponds to u by its host's twins.
func twinAmong(ts []*mirror.Twin, u weburl.URL) (weburl.URL, bool) {
	for _, t := range ts {
		if t.Origin == u.Origin() {
			return t.URLOf(u)
		}
	}
	return weburl.URL{}, false
}

// MayDefer reports whether a URL may be deferred for its twin: the twin has a document or may bring
// one, and the URL need not be fetched as a trial.
func (m *Learner) MayDefer(r kv.Reader, k, twin weburl.Key) (bool, error) {
	u, met, err := m.job.URL(r, k)
	if err != nil || met && u.Trial {
		return false, err
	}
	u, met, err = m.job.URL(r, twin)
	if err != nil || !met {
		return !met, err
	}
	return brings(r, u)
}

// brings reports whether a URL has a document, or may bring one.
func brings(r kv.Reader, u URL) (bool, error) {
	switch {
	case u.Waits:
		return true, nil
	case u.Page == 0:
		return u.Deferred, nil // its own twin will, or it comes back
	}
	p, _, err := page.Get(r, u.Page)
	return p.Document(), err
}

// Defer records that the twin of a URL is fetched in its place, and returns the refusal of the URL.
// It returns the zero Refusal if the twin was lost meanwhile: then the URL itself is to be fetched.
func (m *Learner) Defer(tx kv.Tx, u, twin weburl.URL) (frontier.Refusal, error) {
	k, to := u.Key(), twin.Key()
	host, err := m.host(tx, k.Host())
	if err != nil {
		return frontier.Refusal{}, err
	}
	tw := host.trusted(u.Origin())
	other, met, err := m.job.URL(tx, to)
	if err != nil || tw == nil {
		return frontier.Refusal{}, err
	}
	if met {
		if ok, err := brings(tx, other); err != nil || !ok {
			return frontier.Refusal{}, err
		}
		if other.Settled {
			tw.There++
		}
	}
	m.job.Totals(tx).Mirrors["deferred"]++
	host.deferred++
	tx.Put(tableDeferred, k[:], to[:])
	tx.Put(tableTwins, twinKey(to, k), present)
	if met && other.Settled {
		if err := m.presume(tx, to, other); err != nil {
			return frontier.Refusal{}, err
		}
	}
	return frontier.Refusal{Rule: mirror.RefusalRule, Detail: tw.To + " has what this site has; asked instead: " + twin.String()}, nil
}

// deferredFor returns the trusted twin of the site of a deferred URL; nil: it was given up since.
func (m *Learner) deferredFor(tx kv.Tx, k weburl.Key) (*mirror.Twin, error) {
	rec, ok, err := m.job.URL(tx, k)
	if err != nil || !ok {
		return nil, errors.Join(err, fmt.Errorf("url %s: deferred, but not there", k))
	}
	u, err := weburl.Parse(rec.Text)
	if err != nil {
		return nil, err
	}
	host, err := m.host(tx, k.Host())
	if err != nil {
		return nil, err
	}
	return host.trusted(u.Origin()), nil
}

// TakeBack queues a URL that is deferred.
func (m *Learner) TakeBack(tx kv.Tx, k weburl.Key) error { return m.takeBack(tx, k, false) }

func (m *Learner) takeBack(tx kv.Tx, k weburl.Key, trial bool) error {
	twin, ok, err := twinAt(tx, k)
	if err == nil && !ok {
		err = fmt.Errorf("url %s: refused as that of a mirror, but not deferred", k)
	}
	if err != nil {
		return err
	}
	return m.reopen(tx, k, twin, trial)
}

// reopen queues a deferred URL again.
func (m *Learner) reopen(tx kv.Tx, k, twin weburl.Key, trial bool) error {
	u, ok, err := m.job.URL(tx, k)
	if err == nil && (!ok || !u.Deferred) {
		err = fmt.Errorf("url %s: deferred, but not refused as that of a mirror", k)
	}
	if err != nil {
		return err
	}
	tx.Delete(tableDeferred, k[:])
	tx.Delete(tableTwins, twinKey(twin, k))
	host, err := m.host(tx, k.Host())
	if err != nil {
		return err
	}
	host.deferred--
	m.job.Totals(tx).Mirrors["reopened"]++
	return m.job.Readmit(tx, k, trial)
}

// giveUp makes all URLs be queued again that were deferred for a twin.
func (m *Learner) giveUp(tx kv.Tx, tw *mirror.Twin, host *hostRecord, h weburl.HostKey) {
	tw.GivenUp = true
	m.job.Totals(tx).Mirrors["given-up"]++
	m.due[h] = host.documents + 1 // it may be a copy of another site
	if host.deferred > 0 {
		b := m.in(tx)
		b.reopening = maps.Clone(b.reopening)
		b.reopening[h] = weburl.Key{}
	}
}

// reopenSome queues some deferred URLs of each host with a twin that is no longer trusted. The next
// commits go on with it; until all are queued, the queue is not empty.
func (m *Learner) reopenSome(tx kv.Tx, b *twinBatch) error {
	for h, from := range maps.Clone(b.reopening) {
		var back [][2]weburl.Key
		looked := 0
		for e, err := range kv.PrefixFrom(tx, tableDeferred, h[:], bytes.Join([][]byte{h[:], from[len(h):]}, nil)) {
			if err != nil {
				return err
			}
			looked++
			from = weburl.Key(e.Key)
			back = append(back, [2]weburl.Key{from, weburl.Key(e.Value)})
			if looked == reopenAtOnce {
				break
			}
		}
		for _, pair := range back {
			tw, err := m.deferredFor(tx, pair[0])
			if err != nil {
				return err
			}
			if tw != nil && m.mode == mirror.ModeOn {
				continue
			}
			if err := m.reopen(tx, pair[0], pair[1], false); err != nil {
				return err
			}
		}
		b.reopening = maps.Clone(b.reopening)
		if b.reopening[h] = from; looked < reopenAtOnce {
			delete(b.reopening, h)
		}
	}
	return nil
}

// presume raises the URLs that the document of a twin links to, as the votes of its deferred copies
// would.
func (m *Learner) presume(tx kv.Tx, twin weburl.Key, rec URL) error {
	kept := rec.Page
	p, v, err := page.Get(tx, kept)
	if err != nil || !p.Document() {
		return err
	}
	if v.Copy() {
		kept = uint64(v.Of)
	}
	return m.job.Presume(tx, kept, func(yield func(weburl.URL, error) bool) {
		for e, err := range kv.Prefix(tx, tableTwins, twin[:]) {
			var rec URL
			var u weburl.URL
			ok := false
			if err == nil {
				rec, ok, err = m.job.URL(tx, weburl.Key(e.Key[len(twin):]))
			}
			if err == nil && ok {
				u, err = weburl.Parse(rec.Text)
			}
			if err == nil && !ok {
				continue
			}
			if !yield(u, err) || err != nil {
				return
			}
		}
	})
}
