package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// What a crawl knows of mirrored sites, level 2 of the gate. All of it is written
// by the transaction of the visit that brought it to light.
var (
	tableMirrors  = &kv.Table{Name: "mirrors", Fill: manyHosts} // of a host: what was met of it, and its twin
	tableSamples  = &kv.Table{Name: "samples", Fill: manyHosts} // a host and mirror.Order: the rest of a URL's key
	tableDeferred = &kv.Table{Name: "deferred"}                 // a URL that was not asked for: its twin's key
	tableTwins    = &kv.Table{Name: "twins"}                    // the key of a twin and that of the URL that it is asked for
)

const (
	mirrorForm = 2 // 1 lacks named and met

	// maxSample is how many documents of a host are sampled: 8 KB on disk.
	maxSample = 200

	// firstTest is how many documents a host has when it is first compared with
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

// A mirrorRecord is what the table mirrors has of a host.
type mirrorRecord struct {
	documents uint64
	sampled   uint64
	deferred  uint64 // URLs that are not asked for now
	named     uint64 // place of the first of its URLs, of those that answered, that a user named; 0: none
	met       uint64 // place of the first of its URLs that answered; 0: not known
	hostFacts
}

// hostFacts are what few hosts have.
type hostFacts struct {
	Twins []*mirror.Twin `json:"twins,omitempty"` // of its sites, over http and over https; one of each, and those that were given up
	Moves []movedSite    `json:"moves,omitempty"`
}

// A movedSite counts where a site of the host redirects to.
type movedSite struct {
	From  string `json:"from"` // origins
	To    string `json:"to"`
	Same  int    `json:"same"`  // URLs that redirect to their own path there
	Other int    `json:"other"` // that brought a document, or redirect to elsewhere, since the first did
}

// maxTwins is how many twins a host may have had; most were given up then.
const maxTwins = 6

// believed returns the twin of the site with the given origin; nil: it has none
// that was not given up.
func (r *mirrorRecord) believed(origin string) *mirror.Twin {
	for _, t := range r.Twins {
		if t.Origin == origin && t.IsTrusted() {
			return t
		}
	}
	return nil
}

// takes reports whether a twin may become that of its site, which has none now, and
// has not given this one up.
func (r *mirrorRecord) takes(tw *mirror.Twin) bool {
	for _, t := range r.Twins {
		if t.Origin == tw.Origin && (t.IsTrusted() || t.GivenUp && t.To == tw.To) {
			return false
		}
	}
	return len(r.Twins) < maxTwins
}

func (r *mirrorRecord) encode() ([]byte, error) {
	e := row.Encoder{B: make([]byte, 0, 24)}
	e.Byte(mirrorForm)
	e.Uint(r.documents)
	e.Uint(r.sampled)
	e.Uint(r.deferred)
	e.Uint(r.named)
	e.Uint(r.met)
	if len(r.Twins) == 0 && len(r.Moves) == 0 {
		return e.B, nil
	}
	b, err := json.Marshal(r.hostFacts)
	e.Bytes(b)
	return e.B, err
}

// decodeMirror reads a record. Jobs of earlier versions have one twin in the place of hostFacts.
func decodeMirror(b []byte) (*mirrorRecord, error) {
	d := row.Decoder{B: b}
	f := d.Byte()
	if f < 1 || f > mirrorForm {
		return nil, fmt.Errorf("mirror record of form %d; this version reads 1 to %d", f, mirrorForm)
	}
	r := &mirrorRecord{documents: d.Uint(), sampled: d.Uint(), deferred: d.Uint()}
	if f > 1 {
		r.named, r.met = d.Uint(), d.Uint()
	}
	if d.Err != nil {
		return nil, fmt.Errorf("mirror record: %w", d.Err)
	}
	if len(d.B) == 0 {
		return r, nil
	}
	var facts struct {
		hostFacts
		mirror.Twin
	}
	if err := json.Unmarshal(d.B, &facts); err != nil {
		return nil, fmt.Errorf("mirror record: %w", err)
	}
	r.hostFacts = facts.hostFacts
	if facts.Twin.Origin != "" {
		r.Twins = []*mirror.Twin{&facts.Twin}
	}
	return r, nil
}

// mirrors are the twins of a job's hosts, for whoever asks. Twins in the map are
// never changed, but replaced.
type mirrors struct {
	mode mirror.Mode

	mu    sync.RWMutex
	twins map[weburl.HostKey][]*mirror.Twin // none that was given up

	// The writer's.
	reopening map[weburl.HostKey]weburl.Key // hosts whose deferred URLs go back, and up to which that is done
	audited   int                           // URLs that the last audit queued, less the calls since
}

// loadMirrors takes up the twins.
func (s *Store) loadMirrors(mode mirror.Mode) error {
	s.mirrors.mode = mode
	s.mirrors.twins = make(map[weburl.HostKey][]*mirror.Twin)
	s.mirrors.reopening = make(map[weburl.HostKey]weburl.Key)
	if s.readOnly {
		return nil
	}
	return s.look(func(in snapshot) error {
		return each(in, tableMirrors, func(k, b []byte) error {
			r, err := decodeMirror(b)
			if err != nil {
				return fmt.Errorf("host %x: %w", k, err)
			}
			h := weburl.HostKey(k)
			s.mirrors.take(h, r)
			if r.deferred > 0 && (mode != mirror.ModeOn || len(s.mirrors.twins[h]) < len(r.Twins)) {
				s.mirrors.reopening[h] = weburl.Key{}
			}
			return nil
		})
	})
}

// take makes known the twins of a host.
func (m *mirrors) take(h weburl.HostKey, r *mirrorRecord) {
	var believed []*mirror.Twin
	for _, t := range r.Twins {
		if t.IsTrusted() {
			believed = append(believed, t)
		}
	}
	if believed == nil {
		delete(m.twins, h)
		return
	}
	m.twins[h] = believed
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
func (s *Store) Twin(u weburl.URL) (weburl.URL, bool) {
	if s.mirrors.mode != mirror.ModeOn {
		return weburl.URL{}, false
	}
	return s.twin(u)
}

// mostTwins is how many sites one after the other may stand for one: of http for
// https for another host's.
const mostTwins = 3

func (s *Store) twin(u weburl.URL) (to weburl.URL, ok bool) {
	s.mirrors.mu.RLock()
	defer s.mirrors.mu.RUnlock()
	if len(s.mirrors.twins) == 0 {
		return weburl.URL{}, false
	}
	to = u
	for range mostTwins {
		next, more := twinIn(s.mirrors.twins[to.Key().Host()], to)
		if !more {
			break
		}
		to, ok = next, true
	}
	return to, ok && to != u
}

// twinIn returns the URL that stands for one by its host's twins.
func twinIn(ts []*mirror.Twin, u weburl.URL) (weburl.URL, bool) {
	for _, t := range ts {
		if t.Origin == u.Origin() {
			return twinOf(t, u)
		}
	}
	return weburl.URL{}, false
}

func twinOf(t *mirror.Twin, u weburl.URL) (weburl.URL, bool) {
	address, ok := t.URL(u.RequestURI())
	if !ok {
		return weburl.URL{}, false
	}
	to, err := weburl.Parse(address)
	return to, err == nil && to != u
}

// Defer is gatecrawl.Store's.
func (s *Store) Defer(_ context.Context, l frontier.Lease, twin frontier.Candidate) (bool, error) {
	if ok, err := s.mayDefer(l.URL.Key(), twin.URL.Key()); err != nil || !ok {
		return false, err
	}
	held, err := s.queue.Hold(l, queue.Answer{Addr: l.Addr})
	if errors.Is(err, frontier.ErrLeaseLost) {
		return true, nil // someone else has the URL now
	}
	if err != nil {
		return false, fmt.Errorf("defer %s: %w", l.URL, err)
	}
	links := s.queue.Links([]frontier.Candidate{twin})
	err = s.write(func(t *txn) error { return t.putOff(held, l.URL, links) })
	if err != nil {
		return false, fmt.Errorf("defer %s: %w", l.URL, err)
	}
	return true, nil
}

// mayDefer reports whether a twin's address may bring its document, or has, and
// the URL is not to be fetched all the same.
func (s *Store) mayDefer(u, twin weburl.Key) (ok bool, err error) {
	err = s.look(func(in snapshot) error {
		rec, met, err := in.url(u)
		if err != nil || met && rec.Flags&queue.Trial != 0 {
			return err
		}
		rec, met, err = in.url(twin)
		if err != nil || !met {
			ok = !met
			return err
		}
		ok, err = in.brings(&rec)
		return err
	})
	return ok, err
}

// brings reports whether an address waits, or had a document.
func (in snapshot) brings(rec *queue.Record) (bool, error) {
	switch rec.State {
	case queue.Queued, queue.Later:
		return true, nil
	case queue.Refused:
		return rec.Refusal.Rule == gatecrawl.RuleMirror, nil // its own twin will, or it comes back
	}
	p, _, err := in.page(rec.Page)
	return p.Document(), err
}

// putOff takes a URL out of the queue, and puts its twin in. Where the twin was
// lost in the meantime the URL comes back at once.
func (t *txn) putOff(l *queue.Held, u weburl.URL, twin []queue.Link) error {
	rec, err := t.queue.Take(l)
	if err != nil {
		return err
	}
	m, err := t.mirror(l.Key.Host())
	if err != nil {
		return err
	}
	other, err := t.queue.Get(twin[0].Key)
	if err != nil {
		return err
	}
	tw := m.believed(u.Origin())
	ok := tw != nil
	if ok && other != nil {
		if ok, err = t.in().brings(other); err != nil {
			return err
		}
		if ok && other.State == queue.Done {
			tw.There++
		}
	}
	if !ok {
		t.queue.Enqueue(l.Key, rec)
		return nil
	}
	to := twin[0].Candidate.URL.String()
	t.queue.Refuse(l.Key, rec, frontier.Refusal{Rule: gatecrawl.RuleMirror, Detail: tw.To + " has what this site has; asked instead: " + to})
	t.state.Totals.Mirrors["deferred"]++
	m.deferred++
	t.tx.Put(tableDeferred, l.Key[:], twin[0].Key[:])
	t.tx.Put(tableTwins, twinKey(twin[0].Key, l.Key), present)
	if err := t.queue.Add(twin); err != nil || other == nil || other.State != queue.Done {
		return err
	}
	return t.presume(twin[0].Key, other)
}

func twinKey(twin, k weburl.Key) []byte { return append(twin[:], k[:]...) }

// mirror returns what is known of a host, to be changed.
func (t *txn) mirror(h weburl.HostKey) (*mirrorRecord, error) {
	if r := t.mirrored[h]; r != nil {
		return r, nil
	}
	r, err := t.in().mirror(h)
	if err != nil {
		return nil, err
	}
	if r == nil {
		r = &mirrorRecord{}
	}
	t.mirrored[h] = r
	return r, nil
}

// mirror returns what is known of a host; nil: nothing.
func (in snapshot) mirror(h weburl.HostKey) (*mirrorRecord, error) {
	b, err := in.Get(tableMirrors, h[:])
	if err != nil || b == nil {
		return nil, err
	}
	r, err := decodeMirror(b)
	if err != nil {
		return nil, fmt.Errorf("host %x: %w", h, err)
	}
	return r, nil
}

// finishMirrors writes what the batch learned of mirrors.
func (t *txn) finishMirrors() error {
	if err := t.reopenSome(); err != nil {
		return err
	}
	for h, r := range t.mirrored {
		b, err := r.encode()
		if err != nil {
			return fmt.Errorf("mirror record: %w", err)
		}
		t.tx.Put(tableMirrors, h[:], b)
	}
	return nil
}

// committed makes known what a batch learned.
func (m *mirrors) committed(t *txn) {
	m.reopening = t.reopening
	m.mu.Lock()
	defer m.mu.Unlock()
	for h, r := range t.mirrored {
		if len(r.Twins) > 0 {
			m.take(h, r)
		}
	}
}

// reflect takes from a settled visit what it says of mirrors.
func (t *txn) reflect(l *queue.Held, u weburl.URL, record *page.Record, document, first bool) error {
	if t.s.mirrors.mode == mirror.ModeOff || t.s.gateOff {
		return nil
	}
	if err := t.came(l.Key, document); err != nil || !first {
		return err
	}
	redirects := record.Rule == "redirect"
	if !document && !redirects {
		return nil
	}
	h := l.Key.Host()
	m, err := t.mirror(h)
	if err != nil {
		return err
	}
	m.placed(l.Record())
	if err := t.moved(h, m, u, record.Location); err != nil {
		return err
	}
	if redirects {
		return t.exploreRedirect(m, u, record.Location)
	}
	m.documents++
	if err := t.sample(m, u, l.Key); err != nil {
		return fmt.Errorf("sample of %s: %w", u.Host(), err)
	}
	if tw := m.believed(u.Origin()); tw != nil {
		return t.explore(tw, m, u, record.Seq)
	}
	if isTest(m.documents) {
		return t.test(h)
	}
	return nil
}

// isEarly reports whether a host had so few documents that what its pages repeat was not
// known yet when the next one was read: with that in it a page differs from its equal.
func (t *txn) isEarly(h weburl.HostKey) (bool, error) {
	const few = 12
	m, err := t.mirror(h)
	if err != nil {
		return false, err
	}
	return t.s.mirrors.mode != mirror.ModeOff && !t.s.gateOff && m.documents < few, nil
}

// placed takes note of the place of a URL of the host that answered.
func (r *mirrorRecord) placed(rec *queue.Record) {
	first := func(place *uint64) {
		if *place == 0 || rec.Order < *place {
			*place = rec.Order
		}
	}
	first(&r.met)
	if rec.Signals.Depth == 0 {
		first(&r.named)
	}
}

// isTest reports whether a host with so many documents is compared with others.
func isTest(n uint64) bool {
	for at := uint64(firstTest); at <= n; at *= 2 {
		if n == at || n == at+at/2 {
			return true
		}
	}
	return false
}

func sampleKey(h weburl.HostKey, order uint64) []byte {
	return binary.BigEndian.AppendUint64(append([]byte(nil), h[:]...), order)
}

// sample draws a document into its host's sample. Of one path over http and over
// https both are drawn, or none: the places of the first are odd.
func (t *txn) sample(m *mirrorRecord, u weburl.URL, k weburl.Key) error {
	order := mirror.SampleOrder(u.RequestURI()) &^ 1
	if u.Scheme() == "http" {
		order |= 1
	}
	id := sampleKey(k.Host(), order)
	if drawn, err := kv.Has(t.tx, tableSamples, id); err != nil || drawn {
		return err // of two with one tail the first
	}
	if m.sampled < maxSample {
		m.sampled++
		t.tx.Put(tableSamples, id, k[6:])
		return nil
	}
	h := k.Host()
	last, ok, err := kv.First(t.tx.Falling(tableSamples, h[:], kv.After(h[:])))
	if err != nil || !ok || bytes.Compare(id, last.Key) > 0 {
		return err
	}
	t.tx.Delete(tableSamples, last.Key)
	t.tx.Put(tableSamples, id, k[6:])
	return nil
}

// counterpart returns what stands for a URL of a host by its twins, past
// those that are not asked for themselves. It reports false where nothing is
// known of that yet.
func (t *txn) counterpart(u weburl.URL) (to weburl.URL, rec *queue.Record, ok bool, err error) {
	to = u
	for range mostTwins {
		m, err := t.mirror(to.Key().Host())
		if err != nil {
			return to, nil, false, err
		}
		tw := m.believed(to.Origin())
		if tw == nil {
			break
		}
		if to, ok = twinOf(tw, to); !ok {
			break
		}
		if rec, err = t.queue.Get(to.Key()); err != nil || rec == nil {
			return to, nil, false, err
		}
		if rec.State == queue.Done {
			return to, rec, true, nil
		}
	}
	return to, nil, false, nil
}

// explore holds a page of a site that has a twin against what its twin has.
func (t *txn) explore(tw *mirror.Twin, m *mirrorRecord, u weburl.URL, seq uint64) error {
	to, rec, ok, err := t.counterpart(u)
	if err != nil || !ok || u.RequestURI() == "/" || to.RequestURI() == "/" {
		return err // a front page may greet
	}
	theirs, state, err := t.in().standing(to, rec)
	switch {
	case err != nil:
		return err
	case state == mirror.Absent && tw.CountLost():
		t.giveUp(tw, m, u.Key().Host())
	}
	if state != mirror.Present {
		return nil // what is not there comes back, and says nothing of the rest
	}
	b, err := t.in().record(seq)
	if err != nil {
		return err
	}
	mine, err := t.in().documentAt(u, seq, b)
	if err != nil {
		return err
	}
	agrees := tw.Agrees(mine, theirs)
	if !agrees && mirror.Agree(mine, theirs) && (mine.Early || theirs.Early) {
		return nil
	}
	t.checked(tw, m, u.Key().Host(), agrees)
	return nil
}

// exploreAgain holds a page that changed, of a site that has a twin, against what
// that has: a copy that is trusted may become another site.
func (t *txn) exploreAgain(u weburl.URL, seq uint64) error {
	if t.s.mirrors.mode == mirror.ModeOff || t.s.gateOff {
		return nil
	}
	m, err := t.mirror(u.Key().Host())
	if err != nil {
		return err
	}
	p, _, err := t.page(seq)
	if err != nil || !p.Document() {
		return err
	}
	if tw := m.believed(u.Origin()); tw != nil {
		return t.explore(tw, m, u, seq)
	}
	return nil
}

// exploreRedirect holds where a URL of a site that has a twin redirects to
// against its twin. What redirects to its own site says nothing, and nor does what
// leads to a third one: the twin may well lead there too.
func (t *txn) exploreRedirect(m *mirrorRecord, u weburl.URL, location string) error {
	tw := m.believed(u.Origin())
	at, err := weburl.Parse(location)
	if tw == nil || err != nil || at.Origin() == u.Origin() {
		return nil
	}
	if to, ok := twinOf(tw, u); ok && to.Origin() == at.Origin() {
		t.checked(tw, m, u.Key().Host(), to == at)
	}
	return nil
}

// checked counts a check of a twin.
func (t *txn) checked(tw *mirror.Twin, m *mirrorRecord, h weburl.HostKey, same bool) {
	t.state.Totals.Mirrors["explored"]++
	if !same {
		t.state.Totals.Mirrors["wrong"]++
	}
	if tw.RecordCheck(same) {
		t.giveUp(tw, m, h)
	}
}

// giveUp has all back that was put off for a twin.
func (t *txn) giveUp(tw *mirror.Twin, m *mirrorRecord, h weburl.HostKey) {
	tw.GivenUp = true
	t.state.Totals.Mirrors["given-up"]++
	if m.deferred > 0 {
		t.reopening = maps.Clone(t.reopening)
		t.reopening[h] = weburl.Key{}
	}
}

// came takes note of what the URL of a twin brought. Where that is no
// document the URLs that it was asked in place of go back into the queue.
func (t *txn) came(k weburl.Key, document bool) error {
	var waiting []weburl.Key
	for e, err := range kv.Prefix(t.tx, tableTwins, k[:]) {
		if err != nil {
			return err
		}
		waiting = append(waiting, weburl.Key(e.Key[len(k):]))
	}
	for _, u := range waiting {
		tw, _, err := t.waitsFor(u)
		switch {
		case err != nil:
			return err
		case document && tw != nil:
			tw.There++
		case document:
		default:
			// Most often the host has no document there either: a link that is
			// broken on one of two mirrors is so on both.
			if err := t.reopen(u, k); err != nil {
				return err
			}
		}
	}
	if !document || len(waiting) == 0 {
		return nil
	}
	rec, err := t.queue.Get(k)
	if err != nil {
		return err
	}
	return t.presume(k, rec)
}

// waitsFor returns the twin of the site of a URL that was put off; nil: it was
// given up since.
func (t *txn) waitsFor(k weburl.Key) (*mirror.Twin, *mirrorRecord, error) {
	rec, err := t.queue.Get(k)
	if err != nil || rec == nil {
		return nil, nil, errors.Join(err, fmt.Errorf("url %s: deferred, but not there", k))
	}
	u, err := weburl.Parse(rec.URL)
	if err != nil {
		return nil, nil, err
	}
	m, err := t.mirror(k.Host())
	if err != nil {
		return nil, nil, err
	}
	return m.believed(u.Origin()), m, nil
}

// reopen puts a URL back into the queue.
func (t *txn) reopen(u, twin weburl.Key) error {
	rec, err := t.forgetTwin(u, twin)
	if err != nil {
		return err
	}
	t.queue.Readmit(u, rec)
	t.state.Totals.Mirrors["reopened"]++
	return nil
}

// forgetTwin makes a deferred URL one that is not. Its refusal is still to be taken back.
func (t *txn) forgetTwin(u, twin weburl.Key) (*queue.Record, error) {
	t.tx.Delete(tableDeferred, u[:])
	t.tx.Delete(tableTwins, twinKey(twin, u))
	rec, err := t.queue.Get(u)
	switch {
	case err != nil:
		return nil, err
	case rec == nil || rec.State != queue.Refused || rec.Refusal.Rule != gatecrawl.RuleMirror:
		return nil, fmt.Errorf("url %s: deferred, but not refused as that of a mirror", u)
	}
	m, err := t.mirror(u.Host())
	if err != nil {
		return nil, err
	}
	m.deferred--
	return rec, nil
}

// asked takes back that a URL is not asked for, since a user wants it.
func (t *txn) asked(u weburl.Key) error {
	b, err := t.tx.Get(tableDeferred, u[:])
	if err != nil {
		return err
	}
	if b == nil {
		return fmt.Errorf("url %s: refused as that of a mirror, but not deferred", u)
	}
	if err := t.reopen(u, weburl.Key(b)); err != nil {
		return err
	}
	t.queue.Changed(u).From = weburl.Key{} // as that of a seed
	return nil
}

// reopenSome puts some URLs back of each host with a twin that is no longer
// believed. The next commit goes on: until all are back the queue is not empty.
func (t *txn) reopenSome() error {
	for h, from := range maps.Clone(t.reopening) {
		var back [][2]weburl.Key
		looked := 0
		for e, err := range kv.PrefixFrom(t.tx, tableDeferred, h[:], bytes.Join([][]byte{h[:], from[len(h):]}, nil)) {
			if err != nil {
				return err
			}
			looked++
			from = weburl.Key(e.Key)
			back = append(back, [2]weburl.Key{from, weburl.Key(e.Value)})
			if looked == reopenChunk {
				break
			}
		}
		for _, b := range back {
			tw, _, err := t.waitsFor(b[0])
			if err != nil {
				return err
			}
			if tw != nil && t.s.mirrors.mode == mirror.ModeOn {
				continue
			}
			if err := t.reopen(b[0], b[1]); err != nil {
				return err
			}
		}
		t.reopening = maps.Clone(t.reopening)
		if t.reopening[h] = from; looked < reopenChunk {
			delete(t.reopening, h)
		}
	}
	return nil
}

// mirrors checks that what was deferred is refused, and known by its twin.
func (v *verifier) mirrors() error {
	var n int64
	count := make(map[weburl.HostKey]uint64)
	err := each(v.in, tableDeferred, func(k, twin []byte) error {
		n++
		key := weburl.Key(k)
		count[key.Host()]++
		rec, ok, err := v.in.url(key)
		if err != nil {
			return err
		}
		back, err := kv.Has(v.in, tableTwins, append(bytes.Clone(twin), k...))
		switch {
		case err != nil:
			return err
		case !ok || rec.State != queue.Refused || rec.Refusal.Rule != gatecrawl.RuleMirror:
			return v.breach("what was deferred is refused as a mirror's", "key %s: %q", key, rec.URL)
		case !back:
			return v.breach("what was deferred is known by its twin", "%s", rec.URL)
		}
		return nil
	})
	if err != nil {
		return err
	}
	back, err := kv.Count(kv.All(v.in, tableTwins))
	if err != nil {
		return err
	}
	state, err := v.in.state()
	if err != nil {
		return err
	}
	if n != back || n != state.Totals.Rules[gatecrawl.RuleMirror] {
		return v.breach("the totals count what was deferred", "%d urls are deferred, %d have a twin, and %d are counted", n, back, state.Totals.Rules[gatecrawl.RuleMirror])
	}
	var found int64
	err = each(v.in, tableMirrors, func(k, b []byte) error {
		r, err := decodeMirror(b)
		switch {
		case err != nil:
			return v.breach("every mirror record can be read", "host %x: %v", k, err)
		case r.deferred != count[weburl.HostKey(k)]:
			return v.breach("a host counts what was deferred", "host %x counts %d, and has %d", k, r.deferred, count[weburl.HostKey(k)])
		case r.deferred > 0 && len(r.Twins) == 0:
			return v.breach("what was deferred has a twin", "host %x has none, and %d urls", k, r.deferred)
		}
		found += int64(len(r.Twins))
		return nil
	})
	if err != nil || found == state.Totals.Mirrors["found"] {
		return err
	}
	return v.breach("the totals count the mirrors", "%d are found, and %d are counted", found, state.Totals.Mirrors["found"])
}
