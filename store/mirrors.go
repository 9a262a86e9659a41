package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"go.etcd.io/bbolt"

	"gatecrawl"
	"gatecrawl/frontier"
	"gatecrawl/mirror"
)

// What a crawl knows of mirrored sites, level 2 of the gate. All of it is written
// by the transaction of the visit that brought it to light.
var (
	bucketMirrors  = []byte("mirrors")  // of a host: what was met of it, and its twin
	bucketSamples  = []byte("samples")  // a host and mirror.Order: the rest of a URL's key
	bucketDeferred = []byte("deferred") // a URL that was not asked for: its twin's key
	bucketTwins    = []byte("twins")    // the key of a twin and that of the URL that it is asked for
)

const (
	mirrorForm = 1

	// ruleMirror is the rule of a URL that is not asked for.
	ruleMirror = "mirror"

	// maxSample is how many documents of a host are sampled: 8 KB on disk.
	maxSample = 200

	// firstTest is how many documents a host has when it is first held against
	// others; then at each number that is one and a half times, or twice, this
	// doubled: 20, 30, 40, 60, 80, 120 and so on.
	firstTest = 20

	// leastShared is how many of a host's sample are to be copies of another's
	// pages for a test. While both are crawled most of a sample was met on one
	// of them only.
	leastShared = 8

	// reopenChunk is how many URLs one commit puts back into the queue.
	reopenChunk = 2000
)

// A mirrorRecord is what the mirrors bucket has of a host.
type mirrorRecord struct {
	documents uint64
	sampled   uint64
	twin      *mirror.Twin
	deferred  uint64 // URLs that are not asked for now
}

func (r *mirrorRecord) encode() ([]byte, error) {
	e := encoder{make([]byte, 0, 24)}
	e.byte(mirrorForm)
	e.uint(r.documents)
	e.uint(r.sampled)
	e.uint(r.deferred)
	if r.twin == nil {
		return e.b, nil
	}
	b, err := json.Marshal(r.twin)
	e.bytes(b)
	return e.b, err
}

func decodeMirror(b []byte) (*mirrorRecord, error) {
	d := decoder{b: b}
	if f := d.byte(); f != mirrorForm {
		return nil, fmt.Errorf("mirror record of form %d; this version reads %d", f, mirrorForm)
	}
	r := &mirrorRecord{documents: d.uint(), sampled: d.uint(), deferred: d.uint()}
	if d.err != nil {
		return nil, fmt.Errorf("mirror record: %w", d.err)
	}
	if len(d.b) == 0 {
		return r, nil
	}
	r.twin = new(mirror.Twin)
	if err := json.Unmarshal(d.b, r.twin); err != nil {
		return nil, fmt.Errorf("mirror record: %w", err)
	}
	return r, nil
}

// mirrors are the twins of a job's hosts, for whoever asks. A twin in the map is
// never changed, but replaced.
type mirrors struct {
	mode mirror.Mode

	mu    sync.RWMutex
	twins map[frontier.HostKey]*mirror.Twin // none that was given up

	reopening map[frontier.HostKey]bool // hosts whose deferred URLs go back; the writer's
}

// loadMirrors makes the buckets of a job that was begun without them, and takes
// up the twins.
func (s *Store) loadMirrors(mode mirror.Mode) error {
	s.mirrors.mode = mode
	s.mirrors.twins = make(map[frontier.HostKey]*mirror.Twin)
	s.mirrors.reopening = make(map[frontier.HostKey]bool)
	if s.readOnly {
		return nil
	}
	return s.db.Update(func(tx *bbolt.Tx) error {
		for _, b := range [][]byte{bucketMirrors, bucketSamples, bucketDeferred, bucketTwins} {
			if _, err := tx.CreateBucketIfNotExists(b); err != nil {
				return fmt.Errorf("bucket %s: %w", b, err)
			}
		}
		return tx.Bucket(bucketMirrors).ForEach(func(k, b []byte) error {
			r, err := decodeMirror(b)
			if err != nil {
				return fmt.Errorf("host %x: %w", k, err)
			}
			h := frontier.HostKey(k)
			if r.twin != nil && !r.twin.GivenUp {
				s.mirrors.twins[h] = r.twin
			}
			if r.deferred > 0 && (mode != mirror.ModeOn || r.twin == nil || r.twin.GivenUp) {
				s.mirrors.reopening[h] = true
			}
			return nil
		})
	})
}

// reopenAll puts all back into the queue that another mode or a twin that was
// given up leaves behind.
func (s *Store) reopenAll() error {
	for more := len(s.mirrors.reopening) > 0; more; {
		err := s.write(func(t *txn) error {
			err := t.reopenSome()
			more = len(t.reopening) > 0
			return err
		})
		if err != nil {
			return fmt.Errorf("reopen urls of mirrors: %w", err)
		}
	}
	return nil
}

// Twin is gatecrawl.Store's.
func (s *Store) Twin(u frontier.URL) (frontier.URL, bool) {
	if s.mirrors.mode != mirror.ModeOn {
		return frontier.URL{}, false
	}
	return s.twin(u)
}

func (s *Store) twin(u frontier.URL) (frontier.URL, bool) {
	s.mirrors.mu.RLock()
	if len(s.mirrors.twins) == 0 {
		s.mirrors.mu.RUnlock()
		return frontier.URL{}, false
	}
	t := s.mirrors.twins[u.Key().Host()]
	s.mirrors.mu.RUnlock()
	return twinOf(t, u)
}

func twinOf(t *mirror.Twin, u frontier.URL) (frontier.URL, bool) {
	if t == nil || u.Origin() != t.Origin {
		return frontier.URL{}, false
	}
	address, ok := t.Address(u.RequestURI())
	if !ok {
		return frontier.URL{}, false
	}
	to, err := frontier.Parse(address)
	return to, err == nil && to.Host() != u.Host()
}

// Defer is gatecrawl.Store's.
func (s *Store) Defer(_ context.Context, l frontier.Lease, twin frontier.Candidate) (bool, error) {
	if ok, err := s.mayDefer(twin.URL.Key()); err != nil || !ok {
		return false, err
	}
	held, err := s.sched.settling(l.Token, answer{addr: l.Addr})
	if errors.Is(err, frontier.ErrLeaseLost) {
		return true, nil // someone else has the URL now
	}
	if err != nil {
		return false, fmt.Errorf("defer %s: %w", l.URL, err)
	}
	links := s.links([]frontier.Candidate{twin})
	err = s.write(func(t *txn) error { return t.putOff(held, l.URL, links) })
	if err != nil {
		return false, fmt.Errorf("defer %s: %w", l.URL, err)
	}
	return true, nil
}

// mayDefer reports whether a twin's address may bring its document, or has.
func (s *Store) mayDefer(k frontier.Key) (ok bool, err error) {
	err = s.look(func(in glance) error {
		rec, met, err := in.url(k)
		if err != nil || !met {
			ok = !met
			return err
		}
		ok, err = brings(in.Tx, &rec)
		return err
	})
	return ok, err
}

// brings reports whether an address waits, or had a document.
func brings(tx *bbolt.Tx, rec *urlRecord) (bool, error) {
	switch rec.state {
	case queued, later:
		return true, nil
	case refused:
		return false, nil
	}
	b := tx.Bucket(bucketPages).Get(seqKey(rec.seq))
	if b == nil {
		return false, fmt.Errorf("page %d: there is no such record", rec.seq)
	}
	p, _, err := decodePage(b)
	return p.Document(), err
}

// putOff takes a URL out of the queue, and puts its twin in. Where the twin was
// lost in the meantime the URL comes back at once.
func (t *txn) putOff(l *lent, u frontier.URL, twin []link) error {
	rec, err := t.lent(l)
	if err != nil {
		return err
	}
	t.unqueue(l.key, rec)
	t.settled = append(t.settled, l)
	m, err := t.mirror(l.key.Host())
	if err != nil {
		return err
	}
	other, err := t.url(twin[0].key)
	if err != nil {
		return err
	}
	ok := m.twin != nil && !m.twin.GivenUp
	if ok && other != nil {
		if ok, err = brings(t.tx, other); err != nil {
			return err
		}
		if ok && other.state == done {
			m.change().There++
		}
	}
	if !ok {
		t.enqueue(l.key, rec)
		return nil
	}
	to := twin[0].cand.URL.String()
	rec.state, rec.refusal = refused, frontier.Refusal{Rule: ruleMirror, Detail: m.twin.To + " has what this site has; asked instead: " + to}
	t.put(l.key, rec)
	t.s.known.put(l.key, float32(math.Inf(-1)))
	t.state.Totals.Rules[ruleMirror]++
	t.state.Totals.Mirrors["deferred"]++
	m.deferred++
	if err := t.tx.Bucket(bucketDeferred).Put(l.key[:], twin[0].key[:]); err != nil {
		return fmt.Errorf("defer %s: %w", u, err)
	}
	if err := t.tx.Bucket(bucketTwins).Put(twinKey(twin[0].key, l.key), present); err != nil {
		return fmt.Errorf("defer %s: %w", u, err)
	}
	return t.add(twin)
}

func twinKey(twin, k frontier.Key) []byte { return append(twin[:], k[:]...) }

// mirror returns what is known of a host, to be changed.
func (t *txn) mirror(h frontier.HostKey) (*mirrorRecord, error) {
	if r := t.mirrored[h]; r != nil {
		return r, nil
	}
	r := &mirrorRecord{}
	if b := t.tx.Bucket(bucketMirrors).Get(h[:]); b != nil {
		var err error
		if r, err = decodeMirror(b); err != nil {
			return nil, fmt.Errorf("host %x: %w", h, err)
		}
	}
	t.mirrored[h] = r
	return r, nil
}

// finishMirrors writes what the batch learned of mirrors.
func (t *txn) finishMirrors() error {
	if err := t.reopenSome(); err != nil {
		return err
	}
	for h, r := range t.mirrored {
		b, err := r.encode()
		if err == nil {
			err = t.tx.Bucket(bucketMirrors).Put(h[:], b)
		}
		if err != nil {
			return fmt.Errorf("mirror record: %w", err)
		}
	}
	return nil
}

// committed makes known what a batch learned.
func (m *mirrors) committed(t *txn) {
	m.reopening = t.reopening
	m.mu.Lock()
	defer m.mu.Unlock()
	for h, r := range t.mirrored {
		switch {
		case r.twin == nil:
		case r.twin.GivenUp:
			delete(m.twins, h)
		default:
			m.twins[h] = r.twin
		}
	}
}

// reflect takes from a settled visit what it says of mirrors.
func (t *txn) reflect(l *lent, u frontier.URL, page *gatecrawl.Page, document, first bool) error {
	if t.s.mirrors.mode == mirror.ModeOff || t.s.gateOff {
		return nil
	}
	if err := t.came(l.key, document); err != nil || !document {
		return err
	}
	if !first {
		return nil
	}
	h := l.key.Host()
	m, err := t.mirror(h)
	if err != nil {
		return err
	}
	m.documents++
	if err := t.sample(m, u, l.key); err != nil {
		return fmt.Errorf("sample of %s: %w", u.Host(), err)
	}
	if m.twin != nil && !m.twin.GivenUp {
		return t.explore(m, u, page.Seq)
	}
	if isTest(m.documents) && m.twin == nil {
		return t.test(h)
	}
	return nil
}

// isTest reports whether a host with so many documents is held against others.
func isTest(n uint64) bool {
	for at := uint64(firstTest); at <= n; at *= 2 {
		if n == at || n == at+at/2 {
			return true
		}
	}
	return false
}

func sampleKey(h frontier.HostKey, order uint64) []byte {
	return binary.BigEndian.AppendUint64(append([]byte(nil), h[:]...), order)
}

// sample draws a document into its host's sample.
func (t *txn) sample(m *mirrorRecord, u frontier.URL, k frontier.Key) error {
	b := t.tx.Bucket(bucketSamples)
	id := sampleKey(k.Host(), mirror.Order(u.RequestURI()))
	if b.Get(id) != nil {
		return nil // of two with one tail the first
	}
	if m.sampled < maxSample {
		m.sampled++
		return b.Put(id, k[6:])
	}
	c := b.Cursor()
	h := k.Host()
	last, _ := c.Seek(sampleKey(h, ^uint64(0)))
	if last == nil || frontier.HostKey(last) != h {
		if last == nil {
			last, _ = c.Last()
		} else {
			last, _ = c.Prev()
		}
	}
	if last == nil || frontier.HostKey(last) != h || bytes.Compare(id, last) > 0 {
		return nil
	}
	if err := b.Delete(bytes.Clone(last)); err != nil {
		return err
	}
	return b.Put(id, k[6:])
}

// sampled reads a host's sample: its site is that of most documents, if a host
// has one over http and one over https. keepers counts the other hosts that
// documents are copies of pages of.
func (t *txn) sampled(h frontier.HostKey) (s *mirror.Sampled, keepers map[frontier.HostKey]int, err error) {
	type one struct {
		origin, canonical string
		d                 mirror.Document
	}
	var all []one
	keepers = make(map[frontier.HostKey]int)
	count := make(map[string]int)
	c := t.tx.Bucket(bucketSamples).Cursor()
	for k, v := c.Seek(h[:]); k != nil && frontier.HostKey(k) == h; k, v = c.Next() {
		var key frontier.Key
		copy(key[:], h[:])
		copy(key[6:], v)
		rec, err := t.url(key)
		if err != nil {
			return nil, nil, err
		}
		if rec == nil || rec.state != done {
			continue // it is being visited again
		}
		u, err := frontier.Parse(rec.url)
		if err != nil {
			return nil, nil, err
		}
		d, state, err := standing(t.tx, u, rec)
		if err != nil {
			return nil, nil, err
		}
		if state != mirror.Present {
			continue
		}
		p, _, err := t.page(rec.seq)
		if err != nil {
			return nil, nil, err
		}
		if d.Group != rec.seq {
			kept, err := urlAt(t.tx, d.Group)
			if err != nil {
				return nil, nil, err
			}
			keepers[frontier.HostKeyOf(hostOf(kept))]++
		}
		all = append(all, one{u.Origin(), p.Canonical, d})
		count[u.Origin()]++
	}
	delete(keepers, h)
	if len(all) == 0 {
		return nil, nil, nil
	}
	m, err := t.mirror(h)
	if err != nil {
		return nil, nil, err
	}
	s = &mirror.Sampled{Documents: int(m.documents)}
	s.Origin = slices.MaxFunc(slices.Sorted(maps.Keys(count)), func(a, b string) int { return count[a] - count[b] })
	for _, o := range all {
		if o.origin != s.Origin {
			continue
		}
		s.Sample = append(s.Sample, o.d)
		if to, err := frontier.Parse(o.canonical); err == nil && o.canonical != "" {
			s.Canonicals = append(s.Canonicals, to.Origin())
		}
	}
	return s, keepers, nil
}

// test holds a host against those that have most of the kept pages which its
// sample has copies of, at most two.
func (t *txn) test(h frontier.HostKey) error {
	mine, keepers, err := t.sampled(h)
	if err != nil || mine == nil {
		return err
	}
	others := slices.Collect(maps.Keys(keepers))
	slices.SortFunc(others, func(a, b frontier.HostKey) int {
		return cmp.Or(keepers[b]-keepers[a], bytes.Compare(a[:], b[:]))
	})
	for _, other := range others[:min(len(others), 2)] {
		if keepers[other] < leastShared {
			return nil
		}
		if found, err := t.hold(h, mine, other); err != nil || found {
			return err
		}
	}
	return nil
}

// hold compares two hosts, and reports whether one became the twin of the other.
// What is a twin itself is never asked in place of another.
func (t *txn) hold(h frontier.HostKey, mine *mirror.Sampled, other frontier.HostKey) (bool, error) {
	m, err := t.mirror(other)
	if err != nil {
		return false, err
	}
	if m.twin != nil && !m.twin.GivenUp {
		to, err := frontier.Parse(m.twin.To)
		if err != nil {
			return false, fmt.Errorf("twin of %s: %w", m.twin.Origin, err)
		}
		if other = to.Key().Host(); other == h {
			return false, nil
		}
	}
	theirs, _, err := t.sampled(other)
	if err != nil || theirs == nil {
		return false, err
	}
	rel, err := mirror.Hold(context.Background(), mirror.DefaultOptions(), inTxn{t}, mine, theirs)
	if err != nil {
		return false, err
	}
	twin, ok := mirror.TwinOf(&rel)
	if !ok {
		return false, nil
	}
	member := h
	if twin.Origin == theirs.Origin {
		member = other
	}
	if m, err = t.mirror(member); err != nil || m.twin != nil || t.isAsked(twin.Origin) {
		return false, err
	}
	m.twin = &twin
	t.state.Totals.Mirrors["found"]++
	return true, nil
}

// isAsked reports whether a site is asked in place of another.
func (t *txn) isAsked(origin string) bool {
	for h, tw := range t.s.mirrors.twins { // the writer is the only one who changes it
		if t.mirrored[h] == nil && tw.To == origin {
			return true
		}
	}
	for _, m := range t.mirrored {
		if m.twin != nil && !m.twin.GivenUp && m.twin.To == origin {
			return true
		}
	}
	return false
}

// inTxn is a batch as mirror.Library.
type inTxn struct{ t *txn }

// Document is mirror.Library's.
func (l inTxn) Document(_ context.Context, url string) (mirror.Document, mirror.State, error) {
	u, err := frontier.Parse(url)
	if err != nil {
		return mirror.Document{}, mirror.Unknown, nil
	}
	rec, err := l.t.url(u.Key())
	switch {
	case err != nil:
		return mirror.Document{}, mirror.Unknown, err
	case rec == nil || rec.state == queued || rec.state == later || rec.state == refused:
		return mirror.Document{}, mirror.Unknown, nil
	}
	return standing(l.t.tx, u, rec)
}

// explore holds a page of a host that has a twin against what its twin has.
func (t *txn) explore(m *mirrorRecord, u frontier.URL, seq uint64) error {
	to, ok := twinOf(m.twin, u)
	if !ok {
		return nil
	}
	rec, err := t.url(to.Key())
	if err != nil || rec == nil || rec.state != done {
		return err
	}
	theirs, state, err := standing(t.tx, to, rec)
	if err != nil {
		return err
	}
	b := t.pages.Get(seqKey(seq))
	mine, err := documentAt(t.tx, u, seq, b)
	if err != nil {
		return err
	}
	t.state.Totals.Mirrors["explored"]++
	t.checked(m, u.Key().Host(), state == mirror.Present && mirror.Agree(mine, theirs))
	return nil
}

// checked counts a check of a host's twin.
func (t *txn) checked(m *mirrorRecord, h frontier.HostKey, same bool) {
	if m.twin == nil || m.twin.GivenUp {
		return
	}
	if !same {
		t.state.Totals.Mirrors["wrong"]++
	}
	if m.change().Check(same) {
		t.giveUp(m, h)
	}
}

// change returns the host's twin, to be changed: others read the one before.
func (m *mirrorRecord) change() *mirror.Twin {
	now := *m.twin
	m.twin = &now
	return m.twin
}

// giveUp has all back that was put off for a twin.
func (t *txn) giveUp(m *mirrorRecord, h frontier.HostKey) {
	m.twin.GivenUp = true
	t.state.Totals.Mirrors["given-up"]++
	if m.deferred > 0 {
		t.reopening = maps.Clone(t.reopening)
		t.reopening[h] = true
	}
}

// came takes note of what the address of a twin brought. Where that is no
// document the URLs that it was asked in place of go back into the queue.
func (t *txn) came(k frontier.Key, document bool) error {
	var waiting []frontier.Key
	c := t.tx.Bucket(bucketTwins).Cursor()
	for id, _ := c.Seek(k[:]); id != nil && frontier.Key(id) == k; id, _ = c.Next() {
		waiting = append(waiting, frontier.Key(id[len(k):]))
	}
	for _, u := range waiting {
		m, err := t.mirror(u.Host())
		if err != nil {
			return err
		}
		active := m.twin != nil && !m.twin.GivenUp
		switch {
		case document && active:
			m.change().There++
		case document:
		default:
			if err := t.reopen(u, k); err != nil {
				return err
			}
			if active && m.change().Lose() {
				t.giveUp(m, u.Host())
			}
		}
	}
	return nil
}

// reopen puts a URL back into the queue.
func (t *txn) reopen(u, twin frontier.Key) error {
	rec, err := t.forgetTwin(u, twin)
	if err != nil {
		return err
	}
	t.s.known.put(u, rec.score)
	t.enqueue(u, rec)
	t.state.Totals.Mirrors["reopened"]++
	return nil
}

// forgetTwin makes a deferred URL one that is not, in no state.
func (t *txn) forgetTwin(u, twin frontier.Key) (*urlRecord, error) {
	err := t.tx.Bucket(bucketDeferred).Delete(u[:])
	if err == nil {
		err = t.tx.Bucket(bucketTwins).Delete(twinKey(twin, u))
	}
	if err != nil {
		return nil, fmt.Errorf("reopen url %s: %w", u, err)
	}
	rec, err := t.url(u)
	switch {
	case err != nil:
		return nil, err
	case rec == nil || rec.state != refused || rec.refusal.Rule != ruleMirror:
		return nil, fmt.Errorf("url %s: deferred, but not refused as that of a mirror", u)
	}
	rec.refusal = frontier.Refusal{}
	lower(t.state.Totals.Rules, ruleMirror)
	m, err := t.mirror(u.Host())
	if err != nil {
		return nil, err
	}
	m.deferred--
	return rec, nil
}

// asked takes back that a URL is not asked for, since a user wants it.
func (t *txn) asked(u frontier.Key) error {
	b := t.tx.Bucket(bucketDeferred).Get(u[:])
	if b == nil {
		return fmt.Errorf("url %s: refused as that of a mirror, but not deferred", u)
	}
	if err := t.reopen(u, frontier.Key(b)); err != nil {
		return err
	}
	t.urls[u].from = frontier.Key{} // as that of a seed
	return nil
}

// reopenSome puts some URLs back of each host whose twin is no longer believed.
// The next commit goes on: until all are back the queue is not empty.
func (t *txn) reopenSome() error {
	for h := range maps.Clone(t.reopening) {
		var back [][2]frontier.Key
		c := t.tx.Bucket(bucketDeferred).Cursor()
		for k, v := c.Seek(h[:]); k != nil && frontier.HostKey(k) == h && len(back) < reopenChunk; k, v = c.Next() {
			back = append(back, [2]frontier.Key{frontier.Key(k), frontier.Key(v)})
		}
		for _, b := range back {
			if err := t.reopen(b[0], b[1]); err != nil {
				return err
			}
		}
		if len(back) < reopenChunk {
			t.reopening = maps.Clone(t.reopening)
			delete(t.reopening, h)
		}
	}
	return nil
}

// mirrors checks that what was deferred is refused, and known by its twin.
func (v *verifier) mirrors() error {
	deferred, twins := v.tx.Bucket(bucketDeferred), v.tx.Bucket(bucketTwins)
	if deferred == nil {
		return nil
	}
	var n, back int64
	count := make(map[frontier.HostKey]uint64)
	err := deferred.ForEach(func(k, twin []byte) error {
		n++
		key := frontier.Key(k)
		count[key.Host()]++
		rec, ok, err := v.in.url(key)
		switch {
		case err != nil:
			return err
		case !ok || rec.state != refused || rec.refusal.Rule != ruleMirror:
			return v.breach("what was deferred is refused as a mirror's", "key %s: %q", key, rec.url)
		case twins.Get(append(bytes.Clone(twin), k...)) == nil:
			return v.breach("what was deferred is known by its twin", "%s", rec.url)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := twins.ForEach(func(_, _ []byte) error { back++; return nil }); err != nil {
		return err
	}
	var state jobState
	if err := unmarshalState(v.tx, &state); err != nil {
		return err
	}
	if n != back || n != state.Totals.Rules[ruleMirror] {
		return v.breach("the totals count what was deferred", "%d urls are deferred, %d have a twin, and %d are counted", n, back, state.Totals.Rules[ruleMirror])
	}
	return v.tx.Bucket(bucketMirrors).ForEach(func(k, b []byte) error {
		r, err := decodeMirror(b)
		switch {
		case err != nil:
			return v.breach("every mirror record can be read", "host %x: %v", k, err)
		case r.deferred != count[frontier.HostKey(k)]:
			return v.breach("a host counts what was deferred", "host %x counts %d, and has %d", k, r.deferred, count[frontier.HostKey(k)])
		}
		return nil
	})
}
