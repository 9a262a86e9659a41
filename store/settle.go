package store

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/dedup/parts"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/warc/segment"
)

// maxOutlinks is how many links of a kept page a vote can raise.
const maxOutlinks = 10_000

// settle removes a visited URL from the queue and records the outcome of the visit, in one
// transaction.
func (t *txn) settle(l *queue.Held, v *page.Visit, links []queue.Link, packed *segment.Packed) (page.Record, error) {
	s := &settling{txn: t, held: l, visit: v, links: links, packed: packed, record: v.Page}
	if v.Page.Earlier() {
		s.verdict = v.Checked // an earlier crawl's document is not a page of the job
	}
	for _, step := range []func() (settled bool, err error){
		s.take,        // its URL leaves the queue
		s.retry,       // a failure that may pass: the URL waits for a retry
		s.askAnew,     // a copy without bytes whose kept page is gone: it is fetched once more
		s.stay,        // visited again and unchanged: the record stays
		s.number,      // it gets a sequence number
		s.replace,     // it replaces the record at its URL
		s.claim,       // the gate's final verdict: new, or a copy
		s.judge,       // the effect of the verdict on the record, on votes, and on what is kept
		s.pay,         // cash for the links of a page that is kept for the first time
		s.rate,        // the relevance of the answer, for its host and for the harvest
		s.write,       // the record
		s.replaceList, // a list that only shows the page becomes its copy
		s.queueLinks,  // its links enter the queue
		s.back,        // a redirect that leads back to another one, with a cookie: that is requested once more
		s.learn,       // template, URL rules, mirrors, rates of change
		s.succeed,     // a copy of a page that was gone before: it is asked for its place
	} {
		if settled, err := step(); err != nil || settled {
			return s.record, err
		}
	}
	return s.record, nil
}

// A settling is a visit that is being settled, with what its steps pass on to each other.
type settling struct {
	*txn
	held   *queue.Held
	visit  *page.Visit
	links  []queue.Link
	packed *segment.Packed // the visit's bytes; nil: not packed yet

	entry   *queue.Record // the URL's record
	old     page.Record   // the page's record before the visit; zero: none
	was     dedup.Verdict // the verdict of old
	record  page.Record   // the page's record after the visit
	verdict dedup.Verdict // the verdict of record

	gone         bool              // the page that it is a copy of was gone at its last visit
	shownBy      dedup.Verdict     // the gate's verdict on a page that is kept in place of a list that shows it
	shownDiffers *dedup.Difference // what it and the list differ in; nil: not known
	shownSays    bool              // it and the list say the same

	followed []*queue.Link // of a new document: its distinct links that are not refused, up to maxOutlinks
}

// take removes the URL from the queue. A page that links here may raise the URL before the visit is
// settled; the URL must not wait by then.
func (t *settling) take() (bool, error) {
	var err error
	if t.entry, err = t.queue.Take(t.held); err != nil {
		return false, err
	}
	if t.entry.Page != 0 {
		t.entry.Score = t.s.priority.Score(t.entry.Signals) // it was queued with the worth of the visit
		for i := range t.links {                            // links were paid and rated at the first visit
			l := &t.links[i].Candidate.Signals
			l.Cash, l.Links, l.Sum = 0, 0, 0
		}
	}
	t.done()
	if !t.visit.Finished.IsZero() {
		t.queue.CountFetch(t.held)
	}
	return false, nil
}

// done writes the URL's record as done.
func (t *settling) done() {
	t.entry.State = queue.Done
	t.entry.Flags &^= queue.News | queue.Compared
	t.queue.Put(t.held.Key, t.entry)
}

// retry makes a failed URL wait for a retry.
func (t *settling) retry() (bool, error) {
	if t.visit.Retry <= 0 {
		return false, nil
	}
	t.entry.Attempt++
	t.state.Totals.Retries++
	t.queue.Wait(t.held.Key, t.entry, t.s.queue.Now().Add(t.visit.Retry))
	return true, nil
}

// number gives the page its sequence number; these rise in the order in which pages are settled.
func (t *settling) number() (bool, error) {
	if p := t.s.partition; p != nil {
		t.record.Seq = p.number(t.tx)
		return false, nil
	}
	seq, err := job.LastPage.Next(t.tx)
	if err != nil {
		return false, fmt.Errorf("page %s: %w", t.visit.Lease.URL, err)
	}
	if seq > math.MaxUint32 {
		return false, fmt.Errorf("page %s: a job holds at most %d pages", t.visit.Lease.URL, uint32(math.MaxUint32))
	}
	t.record.Seq = seq
	return false, nil
}

// replace replaces the record at the URL, whose page has changed.
func (t *settling) replace() (bool, error) {
	if t.entry.Page == 0 {
		return false, nil
	}
	if t.old.Document() {
		t.record.Replaces = t.entry.Page
		t.record.Alike = t.old.Digest != "" && t.old.Digest == t.record.Digest
	}
	t.s.links.Remove(t.tx, t.entry.Page)
	if err := parts.Forget(t.tx, t.entry.Page); err != nil {
		return false, err
	}
	t.state.Replace(&t.old)
	return false, t.s.groups.Replace(t.tx, t.held.Key, t.entry.Page, t.record.Seq)
}

// claim asks the gate, which adds the page unless it is a copy. Other pages may have been settled
// since the visit asked.
func (t *settling) claim() (bool, error) {
	v := t.visit
	if v.Sign == nil {
		return false, nil
	}
	var err error
	if t.verdict, err = t.txn.claim(t.record.Seq, v); err != nil {
		return false, fmt.Errorf("claim %s: %w", v.Lease.URL, t.s.advise(err))
	}
	t.record.SimHash, t.record.BodyTokens = v.Page.SimHash, v.Page.BodyTokens // it may have been read again
	if err := t.keepShown(); err != nil {
		return false, err
	}
	if t.shownBy.Copy() && t.shownBy.Of == v.Checked.Of {
		t.shownDiffers = t.record.Differs
	}
	if t.verdict.Of != v.Checked.Of {
		t.record.Differs = nil // it was compared with another page than it is a copy of
	}
	return false, nil
}

// judge acts on the gate's verdict: a copy votes for its kept page, and for a new document
// everything is stored that later ones are compared with.
func (t *settling) judge() (bool, error) {
	if t.visit.Sign == nil {
		return false, nil
	}
	t.record.Verdict = page.VerdictNew
	t.record.Promoted = t.record.Alike && t.was.Copy() && !t.verdict.Copy()
	k := seqKey(t.record.Seq)
	if t.verdict.Copy() {
		if err := t.voteFor(uint64(t.verdict.Of)); err != nil {
			return false, err
		}
	} else {
		t.tx.Put(tableSignatures, k, page.EncodeSignature(t.visit.Sign))
		t.keepOutlinks(k)
		t.s.links.Add(t.tx, t.record.Seq, linksOf(t.links))
		if t.s.parts {
			if err := parts.Add(t.tx, t.record.Seq, t.visit.Text, t.s.recent); err != nil {
				return false, err
			}
		}
	}
	if !t.verdict.Copy() || !t.s.discard {
		if t.visit.View != nil {
			t.tx.Put(tableViews, k, t.visit.View)
		}
		if t.visit.Body != nil {
			if err := t.s.archive.Keep(t.tx, t.record.Seq, t.packed, t.visit); err != nil {
				return false, err
			}
		}
	}
	var err error
	if t.record.Early, err = t.s.twins.IsEarly(t.tx, t.held.Key.Host()); err != nil {
		return false, err
	}
	// The host may have a template, and the first pages of a folder not be read with it.
	t.record.Early = t.record.Early || t.visit.Text != nil && t.visit.Text.Bare
	if err := t.rememberBytes(t.record.Seq, t.visit.Sign.Bytes, t.verdict); err != nil {
		return false, err
	}
	if !t.verdict.Copy() {
		t.queue.CountNew(t.held)
	}
	return false, nil
}

// voteFor writes into the record of a copy which page it is a copy of, and how, and votes for that
// page.
func (t *settling) voteFor(of uint64) error {
	if err := t.meet(of); err != nil {
		return err
	}
	kept, _, err := t.page(of)
	if err != nil {
		return err
	}
	t.gone = t.s.owns(of) && !kept.Gone.IsZero() // in another partition, that starts the election: see apply
	r, v := &t.record, t.verdict
	r.MarkCopy(kept.URL, v)
	if t.visit.Text == nil { // it was not read: it is as relevant as its kept page
		r.Relevance = kept.Relevance
		for i := range t.links {
			s := &t.links[i].Candidate.Signals
			s.Relevance, s.Sum = kept.Relevance, kept.Relevance*float32(s.Links)
		}
	}
	if v.Level != dedup.LevelBytes {
		if err := t.noteText(r); err != nil {
			return err
		}
	}
	return t.s.groups.Vote(t.tx, of, t.held.Key)
}

// noteText writes into the record of a copy what is known of its layout, and of its text if it is a near one. One that was recognized by its
// bytes was not read: it has the layout and the text of the copy that first had them.
func (t *settling) noteText(r *page.Record) error {
	sig, near := t.visit.Sign, t.verdict.Level == dedup.LevelNear
	r.Layout = sig.Layout
	if sig.Body != (dedup.Digest{}) {
		if near {
			r.Body = binary.BigEndian.Uint64(sig.Body[:])
		}
		if near && t.visit.Text != nil {
			r.Lines, r.Says = t.visit.Text.Lines(), t.saysTheSame()
		}
		return nil
	}
	first, err := group.FirstWith(t.tx, sig.Bytes)
	if err != nil || first == 0 {
		return err
	}
	p, v, err := t.page(first)
	if err != nil {
		return err
	}
	if r.Layout = cmp.Or(r.Layout, p.Layout); r.Layout == 0 { // it was kept before it was seen to be a copy
		if r.Layout, err = page.LayoutOf(t.tx, first, v); err != nil {
			return err
		}
	}
	if !near {
		return nil
	}
	r.Body, r.Lines, r.Says, r.Compared = p.Body, p.Lines, p.Says && v.Of == t.verdict.Of, cmp.Or(r.Compared, p.Compared)
	if r.Body == 0 {
		r.Body, err = page.BodyDigest(t.tx, first, v)
	}
	return err
}

// saysTheSame reports whether a near copy says the same as its kept page. If the visit has asked about another page, or before
// that one was claimed, they are compared now.
func (t *settling) saysTheSame() bool {
	if t.visit.Checked.Of == t.verdict.Of && !t.visit.Moved {
		return t.visit.Says
	}
	if t.visit.Text == nil {
		return false
	}
	kept, ok := t.visit.Text.Compared(t.verdict.Of)
	return ok && dedup.SayTheSame(t.visit.Text, &kept)
}

// write writes the record, and the URL's record with the page's sequence number.
func (t *settling) write() (bool, error) {
	t.entry.Page = t.record.Seq
	t.done()
	t.putPage(t.record.Seq, &t.record, t.verdict)
	t.state.Count(&t.record)
	return false, nil
}

// queueLinks queues the links of the page; those of a copy are worth less. The links of a page that
// replaces another were counted for that already.
func (t *settling) queueLinks() (bool, error) {
	for i := range t.links {
		c := t.links[i].Candidate
		switch {
		case t.verdict.Copy():
			c.Signals.Copy = true
		case t.record.Verdict == page.VerdictNew && t.old.Seq == 0 && c.Kind&(frontier.PageLink|frontier.NoFollowLink) == frontier.PageLink:
			c.Signals.Inlinks = 1
		}
	}
	if err := t.add(t.links); err != nil || !t.record.Document() || t.verdict.Copy() && t.s.discard {
		return false, err
	}
	return false, t.s.requisites.Need(t.requisites(), t.held.Key, t.visit.Needs)
}

// back requests a redirect's target once more if it redirected too, and the crawl has cookies by now: many
// sites send whoever comes without a cookie to another URL, which sets it and leads back. A target that
// redirects again stays a redirect, however many URLs lead back to it.
func (t *settling) back() (bool, error) {
	if t.record.Rule != "redirect" || !t.visit.Cookies {
		return false, nil
	}
	for i := range t.links {
		k := t.links[i].Key
		rec, err := t.queue.Get(k)
		if err != nil {
			return false, err
		}
		if rec == nil || rec.State != queue.Done || rec.Page == 0 || rec.Attempt > 0 || k == t.held.Key {
			continue
		}
		p, _, err := t.page(rec.Page)
		if err != nil {
			return false, err
		}
		if p.Rule == "redirect" && t.queue.Again(k, rec, nil, false) {
			rec.Attempt = 1
		}
	}
	return false, nil
}

// learn passes the visit to all learners.
func (t *settling) learn() (bool, error) {
	if err := t.txn.learn(t.visit, &t.record, t.verdict); err != nil || t.old.Seq == 0 {
		return false, err
	}
	return false, t.changed(t.held.Key, &t.old, t.was, &t.record, t.verdict, t.visit.Sign)
}

// succeed starts an election if the page is the first copy of one that is gone, for example because it moved. A gone
// page without copies stays in the gate, so that it is no new page if it comes back.
func (t *settling) succeed() (bool, error) {
	if !t.gone {
		return false, nil
	}
	return false, t.s.groups.Gone(t.tx, uint64(t.verdict.Of))
}

// addRoot adds a root to the scope of the crawl.
func (t *txn) addRoot(url string) error { return job.Roots.Put(t.tx, []byte(url), job.Present) }

// add queues links, and stores what they add to the scope's roots.
func (t *txn) add(links []queue.Link) error {
	for i := range links {
		if root := links[i].Candidate.Root; root != "" {
			if err := t.addRoot(root); err != nil {
				return err
			}
		}
	}
	own, err := t.send(links)
	if err != nil {
		return err
	}
	return t.queue.Add(own)
}

// pay pays the links of a document that is kept for the first time: a copy pays nothing, and
// neither does another version of a page. A redirect passes on what its URL was paid.
func (t *settling) pay() (bool, error) {
	switch first := t.old.Seq == 0; {
	case t.record.Verdict == page.VerdictNew && (first || !t.old.Document()):
		t.queue.Pay(t.record.Seq, t.followed, t.entry.Signals.Cash)
	case t.record.Rule == "redirect" && first:
		for i := range t.links { // the URL's own cash may have grown since it was leased
			t.links[i].Candidate.Signals.Cash = t.entry.Signals.Cash
		}
	default:
		for i := range t.links {
			t.links[i].Candidate.Signals.Cash = 0
		}
	}
	return false, nil
}

// rate records in a focused crawl how relevant the answer was: for its host, for the links next to
// it, and for the harvest. A copy adds nothing, however relevant the page is that the job has already.
func (t *settling) rate() (bool, error) {
	if !t.s.priority.Focused {
		return false, nil
	}
	switch t.entry.Rated = t.record.Relevance; {
	case t.record.Location != "":
		t.entry.Rated = queue.Unrated
	case t.verdict.Copy():
		t.entry.Rated = 0
	}
	t.queue.Settled(t.held.Key, t.entry)
	if err := t.queue.Siblings(t.held.Key, t.links); err != nil {
		return false, err
	}
	if t.record.Status == 0 || t.old.Seq != 0 {
		return false, nil
	}
	if t.state.Totals.Harvest == nil {
		t.state.Totals.Harvest = &page.Harvest{}
	}
	gain := float64(0)
	if t.record.Verdict == page.VerdictNew || t.record.Rule == "topic" {
		gain = float64(t.record.Relevance)
		t.state.Totals.Harvest.AddDocument(t.record.Lang)
	}
	ofHost := gain
	if t.record.Location != "" {
		ofHost = t.state.Totals.Harvest.Mean // a redirect says nothing about its host
	}
	t.queue.CountRated(t.held, ofHost)
	if err := t.queue.Outcome(t.entry); err != nil {
		return false, err
	}
	t.state.Totals.Harvest.Add(&t.state.Recent, gain, t.s.onTopic)
	return false, nil
}

// keepOutlinks stores the outlinks of a kept page, so that votes for it can raise those that still
// wait, and that the cash paid to them can be computed again.
func (t *settling) keepOutlinks(k []byte) {
	var b []byte
	met := make(map[weburl.Key]bool, len(t.links))
	for i := range t.links[:min(len(t.links), maxOutlinks)] {
		l := &t.links[i]
		if l.Candidate.Refused.IsZero() && !met[l.Key] {
			met[l.Key] = true
			b = append(b, l.Key[:]...)
			t.followed = append(t.followed, l)
		}
	}
	if b != nil {
		t.tx.Put(tableOutlinks, k, page.PackOutlinks(b))
		t.keepRemoteLinks(k, t.followed)
	}
}

// raise pays the waiting outlinks of a kept page for its new degree: the difference to what they
// would have been paid if it had always had that degree. When a degree falls nothing is taken back,
// and nothing is paid again when it rises to the old value.
func (t *txn) raise(of uint64, degree uint64) error {
	if t.s.partition != nil {
		if err := group.Elsewhere(t.tx, of, func(_ uint32, s group.Size) { degree += s.Degree }); err != nil {
			return err
		}
	}
	out, err := page.Outlinks(t.tx, of)
	if err != nil || len(out) == 0 {
		return err
	}
	url, err := t.in().URLOf(of)
	if err != nil {
		return err
	}
	u, err := weburl.Parse(url)
	if err != nil {
		return fmt.Errorf("page %d: %w", of, err)
	}
	kept, err := t.queue.Get(u.Key())
	if err != nil || kept == nil || uint64(kept.Paid) >= degree {
		return err
	}
	now := uint16(min(degree, math.MaxUint16))
	more := t.s.priority.Bonus(int(now)) - t.s.priority.Bonus(int(kept.Paid))
	share := more * priority.Pay(kept.Signals.Cash, len(out)/len(weburl.Key{}))
	kept.Paid = now
	t.queue.Put(u.Key(), kept)
	for len(out) >= len(weburl.Key{}) {
		k := weburl.Key(out)
		out = out[len(k):]
		if err := t.queue.Grant(k, share, now); err != nil {
			return err
		}
	}
	return t.raiseRemote(of, share, now)
}

// page reads the record of a page.
func (t *txn) page(seq uint64) (page.Record, dedup.Verdict, error) {
	return t.in().Page(seq)
}

// putPage writes the record of a page.
func (t *txn) putPage(seq uint64, p *page.Record, v dedup.Verdict) {
	page.Put(t.tx, seq, p, v)
}
