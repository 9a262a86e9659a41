package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/dedup/parts"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
	"gatecrawl.example/gatecrawl/store/letter"
	"gatecrawl.example/gatecrawl/store/mail"
)

// A Partition makes a store one of several that share a job. It has the hosts of its domains and no
// gate: a page that is not a copy according to Visit.Checked is settled as new, with a claim for
// the gate in its outbox, and the gate's answer may make it a copy later. Links to other domains,
// and votes that affect other partitions, are sent through the outbox too.
type Partition struct {
	Places frontier.Places
	Place  uint32 // index of the partition, from 0

	// Number returns the next place in the crawl order of the job, which rises. The sequence number
	// of a page is that times the number of partitions, plus Place, so that it is unique in the job
	// and tells the partition.
	Number func() uint64

	// Forget makes the gate read the texts of hosts again whose templates have changed.
	Forget func(hosts []weburl.HostKey)

	// Named returns the URL in another partition whose key has the prefix; "": there is none. It is
	// called while a snapshot of this store is read.
	Named func(prefix []byte) (string, error)

	// Posted is called after a commit that put messages into the outbox. It must neither block nor
	// call the store.
	Posted func()

	// Journal also gets what the store commits. Default nil: no journal.
	Journal disk.Journal
}

// GatePlace stands for the gate as a sender or receiver of messages.
const GatePlace = math.MaxUint32

// PlaceOf returns the partition of a page, given its sequence number.
func PlaceOf(p frontier.Places, seq uint64) uint32 { return uint32(seq % uint64(max(1, p.N))) }

// A partition is the state of a store that is one of several.
type partition struct {
	Partition
	box *mail.Box

	mu         sync.Mutex
	introduced map[uint64]*page.Likeness // pages of other partitions, to be written when a copy of one comes
	earlier    map[uint64]*page.Likeness // the previous introduced: see introduce

	resized map[uint64]bool // pages elsewhere whose votes here changed in the commit under way. Only the writer uses it
	posted  bool            // the commit under way has put messages into the outbox. Only the writer uses it
}

// openPartition loads the state of a partition.
func (s *Store) openPartition(o *Partition) error {
	if o == nil {
		return nil
	}
	s.partition = &partition{Partition: *o, introduced: make(map[uint64]*page.Likeness), resized: make(map[uint64]bool)}
	return s.look(func(in snapshot) (err error) {
		s.partition.box, err = mail.Load(in)
		return err
	})
}

// owns reports whether a page belongs to this store.
func (s *Store) owns(seq uint64) bool {
	return s.partition == nil || PlaceOf(s.partition.Places, seq) == s.partition.Place
}

// number is kv.Counter.Next of job.LastPage for a partition.
func (p *partition) number(tx kv.Tx) uint64 {
	seq := p.Number()*uint64(p.Places.N) + uint64(p.Place)
	job.LastPage.Set(tx, seq)
	return seq
}

// LastNumber returns the place in the crawl order of the job of the partition's last page.
func (s *Store) LastNumber() (n uint64, err error) {
	err = s.look(func(in snapshot) error {
		seq, err := job.LastPage.Get(in)
		n = seq / uint64(max(1, s.partition.Places.N))
		return err
	})
	return n, err
}

// Introduce passes on what is known of a page that another partition has kept. A copy of it is
// settled with that.
func (s *Store) Introduce(l *page.Likeness) {
	s.partition.introduce(l)
}

// maxIntroduced is how many likenesses are remembered at least: many times as many as there can be
// visits under way.
const maxIntroduced = 1 << 14

// introduce remembers a likeness until at least maxIntroduced others came after it. By then it was
// written, or another verdict came in between.
func (p *partition) introduce(l *page.Likeness) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.introduced) >= maxIntroduced {
		p.introduced, p.earlier = make(map[uint64]*page.Likeness), p.introduced
	}
	p.introduced[l.Record.Seq] = l
}

// likeness returns the likeness of a page that was introduced, nil if there is none.
func (p *partition) likeness(of uint64) *page.Likeness {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.introduced[of]; l != nil {
		return l
	}
	return p.earlier[of]
}

// Knows reports whether the store has a page or its likeness.
func (s *Store) Knows(seq uint64) (ok bool, err error) {
	if s.owns(seq) {
		return true, nil
	}
	err = s.look(func(in snapshot) error {
		ok, err = page.IsElsewhere(in, seq)
		return err
	})
	return ok, err
}

// Likeness returns what other partitions need to know of a kept page of this store.
func (s *Store) Likeness(seq uint64) (l *page.Likeness, err error) {
	l = new(page.Likeness)
	err = s.look(func(in snapshot) error {
		if l.Record, _, err = in.Page(seq); err != nil {
			return err
		}
		l.Signature, err = in.Signature(seq)
		return err
	})
	return l, err
}

// meet writes the likeness of a page that a copy refers to, unless it was written already.
func (t *txn) meet(of uint64) error {
	if t.s.owns(of) {
		return nil
	}
	there, err := page.IsElsewhere(t.tx, of)
	if err != nil || there {
		return err
	}
	l := t.s.partition.likeness(of)
	if l == nil {
		return fmt.Errorf("page %d of partition %d was never introduced", of, PlaceOf(t.s.partition.Places, of))
	}
	page.PutElsewhere(t.tx, l)
	return nil
}

// post puts a message into the outbox.
func (t *txn) post(to uint32, m *letter.Letter) error {
	t.s.partition.posted = true
	return t.s.partition.box.Post(t.tx, to, m.Encode())
}

// finishMail writes the messages of a commit to others, and deletes those that were applied.
func (t *txn) finishMail() error {
	p := t.s.partition
	if p == nil || t.s.readOnly {
		return nil
	}
	for of := range p.resized {
		size, _, err := group.SizeOf(t.tx, of)
		if err == nil {
			err = t.post(PlaceOf(p.Places, of), &letter.Letter{Kind: letter.Size, Page: of, Size: size})
		}
		if err != nil {
			return err
		}
	}
	clear(p.resized)
	p.box.Clean(t.tx)
	if p.posted {
		p.posted = false
		if p.Posted != nil {
			t.tx.OnCommit(p.Posted)
		}
	}
	return nil
}

// send puts the links to other partitions into the outbox, and returns the rest.
func (t *txn) send(links []queue.Link) (own []queue.Link, err error) {
	p := t.s.partition
	if p == nil {
		return links, nil
	}
	abroad := make(map[uint32][]*frontier.Candidate)
	own = make([]queue.Link, 0, len(links))
	for i := range links {
		c := links[i].Candidate
		if to := p.Places.Of(c.URL); to != p.Place {
			abroad[to] = append(abroad[to], c)
		} else {
			own = append(own, links[i])
		}
	}
	for to := range p.Places.N { // in a fixed order, so that the same visits post the same messages
		if len(abroad[to]) == 0 {
			continue
		}
		if err := t.post(to, &letter.Letter{Kind: letter.Links, Links: abroad[to]}); err != nil {
			return nil, err
		}
	}
	return own, nil
}

// keepRemoteLinks stores which of a kept page's outlinks are in other partitions.
func (t *txn) keepRemoteLinks(k []byte, followed []*queue.Link) {
	p := t.s.partition
	if p == nil {
		return
	}
	var b []byte
	for _, l := range followed {
		if to := p.Places.Of(l.Candidate.URL); to != p.Place {
			b = append(appendPlace(b, to), l.Key[:]...)
		}
	}
	if b != nil {
		t.tx.Put(job.TableRemote, k, b)
	}
}

// raiseRemote is raise for outlinks in other partitions.
func (t *txn) raiseRemote(of uint64, share float32, degree uint16) error {
	if t.s.partition == nil {
		return nil
	}
	b, err := t.tx.Get(job.TableRemote, seqKey(of))
	if err != nil {
		return err
	}
	grants := make(map[uint32]*letter.Letter)
	for ; len(b) >= 4+len(weburl.Key{}); b = b[4+len(weburl.Key{}):] {
		to := placeIn(b)
		if grants[to] == nil {
			grants[to] = &letter.Letter{Kind: letter.Grant, Share: share, Degree: degree}
		}
		grants[to].Keys = append(grants[to].Keys, weburl.Key(b[4:]))
	}
	for to := range t.s.partition.Places.N {
		if m := grants[to]; m != nil {
			if err := t.post(to, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// claimElsewhere is claim in a partition: the verdict from before the settling is used, unless the
// page was read again since.
func (t *txn) claimElsewhere(seq uint64, v *page.Visit, reread bool) (dedup.Verdict, error) {
	if v.Checked.Copy() && !reread {
		return v.Checked, nil
	}
	if t.s.gateOff {
		return dedup.Verdict{}, nil
	}
	return dedup.Verdict{}, t.post(GatePlace, &letter.Letter{Kind: letter.Claim, Page: seq, Sign: *v.Sign})
}

// retireElsewhere tells the gate and all partitions with copies of a page that it no longer
// represents them.
func (t *txn) retireElsewhere(seq, by uint64) error {
	p := t.s.partition
	if !t.s.owns(seq) {
		return nil
	}
	err := t.post(GatePlace, &letter.Letter{Kind: letter.Retired, Page: seq, Other: by})
	if err != nil {
		return err
	}
	var places []uint32
	err = group.Elsewhere(t.tx, seq, func(place uint32, _ group.Size) { places = append(places, place) })
	for _, to := range places {
		if err == nil && to != p.Place {
			err = t.post(to, &letter.Letter{Kind: letter.Retired, Page: seq, Other: by})
		}
	}
	return err
}

// errNoPartition says that a store is not a partition.
var errNoPartition = errors.New("the job is not in partitions")

// Mail returns the messages for another partition, or for the gate, that are not known to be
// applied, oldest first, at most most.
func (s *Store) Mail(to uint32, most int) (ms []mail.Message, err error) {
	err = s.look(func(in snapshot) error {
		ms, err = s.partition.box.Waiting(in, to, most)
		return err
	})
	return ms, err
}

// Unsent returns, for each receiver, how many messages are not known to be applied.
func (s *Store) Unsent() map[uint32]uint64 { return s.partition.box.Unsent() }

// Posted returns the number of the last message to a receiver.
func (s *Store) Posted(to uint32) uint64 { return s.partition.box.Posted(to) }

// Sent records up to which number a receiver has applied its messages.
func (s *Store) Sent(to uint32, through uint64) { s.partition.box.Sent(to, through) }

// Deliver applies messages of another partition, or of the gate, in one transaction: those that
// were not applied before, up to the first gap. It returns the number up to which all are applied.
func (s *Store) Deliver(_ context.Context, from uint32, ms []mail.Message) (through uint64, err error) {
	if s.partition == nil {
		return 0, errNoPartition
	}
	err = s.write(func(t *txn) error {
		through, err = s.partition.box.Receive(t.tx, from, ms, func(m mail.Message) error {
			l, err := letter.Decode(m.Body)
			if err != nil {
				return err
			}
			return t.apply(from, l)
		})
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("messages of partition %d: %w", from, err)
	}
	s.answers.Add(1)
	return through, nil
}

// apply applies a message.
func (t *txn) apply(from uint32, l *letter.Letter) error {
	switch l.Kind {
	case letter.Links:
		cs := make([]frontier.Candidate, len(l.Links))
		for i := range l.Links {
			cs[i] = *l.Links[i]
		}
		return t.add(t.s.queue.Links(cs))
	case letter.Size:
		group.PutElsewhere(t.tx, l.Page, from, l.Size)
		size, _, err := group.SizeOf(t.tx, l.Page) // raise adds the counts of other partitions
		if err != nil {
			return err
		}
		if retired, err := group.Retired(t.tx, l.Page); err != nil || retired {
			if err == nil { // its message may have been under way
				var by uint64
				if by, err = group.Successor(t.tx, l.Page); err == nil && l.Size.Copies > 0 {
					err = t.post(from, &letter.Letter{Kind: letter.Retired, Page: l.Page, Other: by})
				}
			}
			return err
		}
		if kept, _, err := t.page(l.Page); err != nil {
			return err
		} else if !kept.Gone.IsZero() { // its first copy is in another partition; see settling.succeed
			return t.s.groups.Gone(t.tx, l.Page)
		}
		return t.raise(l.Page, size.Degree)
	case letter.Grant:
		for _, k := range l.Keys {
			if err := t.queue.Grant(k, l.Share, l.Degree); err != nil {
				return err
			}
		}
		return nil
	case letter.Retired:
		return t.s.groups.RetireElsewhere(t.tx, l.Page, l.Other)
	case letter.Copy:
		return t.demote(l.Page, l.Verdict)
	case letter.Join:
		if err := t.meet(uint64(l.Verdict.Of)); err != nil {
			return err
		}
		if err := parts.Forget(t.tx, l.Page); err != nil {
			return err
		}
		if err := t.s.groups.Join(t.tx, l.Page, uint64(l.Verdict.Of), l.Verdict); err != nil {
			return err
		}
		_, v, err := t.page(l.Page)
		if err != nil || !v.Copy() {
			return err
		}
		sig, err := t.in().Signature(l.Page)
		if err != nil {
			return err
		}
		return t.rememberBytes(l.Page, sig.Bytes, v) // at the gate, too
	}
	return fmt.Errorf("a message of kind %d, which a partition does not know", l.Kind)
}

// demote makes a page that was settled as new a copy: of two pages that were fetched at the same
// time, the gate keeps the one whose claim came first. All that is kept of a new page is deleted,
// and the page votes. The links that it has queued stay.
func (t *txn) demote(seq uint64, v dedup.Verdict) error {
	rec, was, err := t.page(seq)
	if err != nil || rec.Verdict != page.VerdictNew {
		return err // it was done before
	}
	of := uint64(v.Of)
	if err := t.meet(of); err != nil {
		return err
	}
	kept, _, err := t.page(of)
	if err != nil {
		return err
	}
	u, err := weburl.Parse(rec.URL)
	if err != nil {
		return fmt.Errorf("page %d: %w", seq, err)
	}
	sig, err := t.in().Signature(seq)
	if err != nil {
		return err
	}
	rec.MarkCopy(kept.URL, v)
	rec.Layout = sig.Layout
	if v.Level == dedup.LevelNear && sig.Body != (dedup.Digest{}) {
		if rec.Body, err = page.BodyDigest(t.tx, seq, was); err != nil {
			return err
		}
	}
	t.putPage(seq, &rec, v)
	if rec.ReplacedBy == 0 {
		if err := t.s.groups.Vote(t.tx, of, u.Key()); err != nil {
			return err
		}
		t.state.Totals.Demote(&rec)
	}
	t.queue.UncountNew(u)
	if err := t.forgetKept(seq, u.String()); err != nil {
		return err
	}
	return t.rememberBytes(seq, sig.Bytes, v)
}

// forgetKept deletes what is kept of a page because it was new.
func (t *txn) forgetKept(seq uint64, url string) error {
	k := seqKey(seq)
	gone := []*kv.Table{tableSignatures, tableOutlinks, job.TableRemote, job.TableRevised}
	if t.s.discard {
		gone = append(gone, tableViews, tableBodies)
	}
	for _, table := range gone {
		t.tx.Delete(table, k)
	}
	t.s.links.Remove(t.tx, seq)
	if err := t.s.templates.Drop(t.tx, url, seq); err != nil {
		return err
	}
	return parts.Forget(t.tx, seq)
}

// rememberBytes stores the bytes of a copy, here and at the gate.
func (t *txn) rememberBytes(seq uint64, d dedup.Digest, v dedup.Verdict) error {
	if err := group.RememberBytes(t.tx, seq, d, v); err != nil || t.s.partition == nil {
		return err
	}
	if !v.Copy() || v.Level == dedup.LevelBytes || d.IsZero() {
		return nil
	}
	return t.post(GatePlace, &letter.Letter{Kind: letter.Alias, Digest: d, Verdict: v})
}

// Record reads the record of a page by its sequence number.
func (s *Store) Record(seq uint64) (p page.Record, err error) {
	err = s.look(func(in snapshot) error {
		p, err = in.FullPage(seq)
		return err
	})
	return p, err
}

// Reread reads a visit's page again with the current template of its host, if the page was read
// with another one.
func (s *Store) Reread(v *page.Visit) error {
	if v.Reread == nil {
		return nil
	}
	now, err := s.Template(v.Lease.URL.String())
	if err != nil || now.Generation() == v.Template {
		return err
	}
	s.readWith(v, now)
	return nil
}

// elsewhere calls Named for the other partitions.
func (s *Store) elsewhere(prefix []byte) (string, error) {
	if s.partition == nil || s.partition.Named == nil {
		return "", nil
	}
	return s.partition.Named(prefix)
}

// EachElsewhere calls fn with the counts that other partitions have sent for the copies of each
// kept page, and then with the counts of this partition for copies of pages elsewhere, with its own
// place.
func (s *Store) EachElsewhere(fn func(seq uint64, place uint32, size group.Size) error) error {
	return s.look(func(in snapshot) error {
		err := each(in, group.TableElsewhere, func(k, v []byte) error {
			return fn(seqOf(k[:8]), placeIn(k[8:]), group.DecodeSize(v))
		})
		if err != nil {
			return err
		}
		return each(in, group.TableGroups, func(k, v []byte) error {
			if s.owns(seqOf(k)) {
				return nil
			}
			return fn(seqOf(k), s.partition.Place, group.DecodeSize(v))
		})
	})
}

// Rank returns the rank of the URL that Try would lease, see queue.Queue.Rank.
func (s *Store) Rank() (rank uint32, ok bool) { return s.queue.Rank() }

// Try is Next for a caller with several stores, see queue.Queue.Try. When the queue is empty it
// does not check what rules and mirrors have left out: Audit does.
func (s *Store) Try(ctx context.Context) (l frontier.Lease, ok bool, wait time.Duration, err error) {
	for {
		if l, ok, err := s.templates.Next(1); err != nil || ok {
			return l, ok, 0, err
		}
		if err := ctx.Err(); err != nil {
			return l, false, 0, err
		}
		l, ok, wait, err := s.queue.Try(s.promote)
		if err != nil || !ok {
			return l, false, wait, err
		}
		if l, ok, err = s.prepare(ctx, l); err != nil || ok {
			return l, ok, 0, err
		}
	}
}

// Audit queues some of what rules and mirrors have left out, when nothing else is left to do in the
// whole job, and reports whether something waits now.
func (s *Store) Audit(ctx context.Context) (bool, error) {
	switch s.leases() {
	case frontier.LeaseAll:
		return s.audit(ctx)
	case frontier.LeaseNone:
		return s.finishTemplates(ctx)
	}
	return false, nil
}

func appendPlace(b []byte, p uint32) []byte { return binary.BigEndian.AppendUint32(b, p) }
func placeIn(b []byte) uint32               { return binary.BigEndian.Uint32(b) }
