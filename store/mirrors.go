package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/twins"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A mirroredJob implements mirror.Job and mirror.Crawled for a job.
type mirroredJob struct{ s *Store }

// URL implements mirror.Job.
func (j mirroredJob) URL(r kv.Reader, k weburl.Key) (twins.URL, bool, error) {
	rec, err := j.s.urlIn(r, k)
	if err != nil || rec == nil {
		return twins.URL{}, false, err
	}
	return twins.URL{
		Text: rec.URL, Page: rec.Page, Trial: rec.Flags&queue.Trial != 0,
		Waits: rec.State == queue.Queued || rec.State == queue.Later, Settled: rec.State == queue.Done,
		Deferred: rec.State == queue.Refused && rec.Refusal.Rule == mirror.RefusalRule,
		Place:    rec.Order, Named: rec.Seed(),
	}, true, nil
}

// Readmit implements mirror.Job.
func (j mirroredJob) Readmit(tx kv.Tx, k weburl.Key, trial bool) error {
	return j.s.txnOf(tx).readmit(k, trial)
}

// Advance implements mirror.Job. A focused crawl fetches what is relevant first, and nothing else.
func (j mirroredJob) Advance(tx kv.Tx, k weburl.Key, trial bool) (bool, error) {
	if j.s.priority.Focused {
		return false, nil
	}
	return j.s.txnOf(tx).queue.Advance(k, trial)
}

// Totals implements mirror.Job.
func (j mirroredJob) Totals(tx kv.Tx) *page.Totals { return &j.s.txnOf(tx).state.Totals }

// Presume implements mirror.Job.
func (j mirroredJob) Presume(tx kv.Tx, kept uint64, copies iter.Seq2[weburl.URL, error]) error {
	return j.s.groups.Presume(tx, kept, copies)
}

// Copies implements mirror.Job.
func (j mirroredJob) Copies(r kv.Reader, kept uint64) iter.Seq2[weburl.Key, error] {
	return group.Copies(r, kept)
}

// Drained implements mirror.Crawled.
func (j mirroredJob) Drained(u weburl.URL) bool {
	return j.s.queue.Fetched(u.Key().Host()) && !j.s.rules.SameByName(u)
}

// Address implements mirror.Crawled.
func (j mirroredJob) Address(origin string) string {
	if h, _ := j.s.queue.Host(weburl.HostOf(origin)); h != nil {
		return h.Address
	}
	return ""
}

// Text implements mirror.Crawled.
func (j mirroredJob) Text(of dedup.Ref) (dedup.Text, bool, error) { return j.s.Text(of) }

// SayTheSame implements mirror.Job and mirror.Crawled.
func (j mirroredJob) SayTheSame(a, b uint64) (bool, error) {
	mine, here, err := j.s.Text(dedup.Ref(a))
	if err != nil || !here {
		return false, err
	}
	theirs, there, err := j.s.Text(dedup.Ref(b))
	return err == nil && there && dedup.SayTheSame(&mine, &theirs), err
}

// loadMirrors loads the learner of mirrors.
func (s *Store) loadMirrors(mode mirror.Mode) error {
	switch {
	case s.gateOff:
		mode = mirror.ModeOff
	case mode == mirror.ModeOn && !s.discard:
		mode = mirror.ModeWatch // a user who keeps copies wants the URLs of mirrors fetched
	}
	return s.look(func(in snapshot) (err error) {
		s.twins, err = twins.Load(in, mode, mirroredJob{s}, s.readOnly)
		return err
	})
}

// reopenAll queues all URLs again that were left out in another mode or by a mirror that was given
// up.
func (s *Store) reopenAll() error {
	for s.twins.Reopening() {
		if err := s.write(func(*txn) error { return nil }); err != nil {
			return fmt.Errorf("reopen urls of mirrors: %w", err)
		}
	}
	return nil
}

// Twin returns the URL to fetch instead of u, if the site of u was found to be a copy of another
// one; ok is false if there is none.
func (s *Store) Twin(u weburl.URL) (weburl.URL, bool) { return s.twins.TwinOf(u) }

// putOff removes a leased URL from the queue, with a refusal by the rule mirror, and queues its
// twin, in one step. It returns false if the twin is known to have no document; then the lease goes
// on. If the twin is settled without a document, or the site no longer counts as a copy, the URL is
// queued again.
func (s *Store) putOff(l frontier.Lease, twin frontier.Candidate) (bool, error) {
	may := false
	err := s.look(func(in snapshot) (err error) {
		may, err = s.twins.MayDefer(in, l.URL.Key(), twin.URL.Key())
		return err
	})
	if err != nil || !may {
		return false, err
	}
	held, err := s.queue.Hold(l, queue.Answer{Addr: l.Addr})
	if errors.Is(err, frontier.ErrLeaseLost) {
		return true, nil // another worker has the URL now
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

// putOff removes a URL from the queue, and adds its twin. If the twin was lost meanwhile, the URL
// is queued again at once.
func (t *txn) putOff(l *queue.Held, u weburl.URL, twin []queue.Link) error {
	rec, err := t.queue.Take(l)
	if err != nil {
		return err
	}
	refusal, err := t.s.twins.Defer(t.tx, u, twin[0].Candidate.URL)
	if err != nil {
		return err
	}
	if refusal.IsZero() {
		t.queue.Enqueue(l.Key, rec)
		return nil
	}
	// The cash that pages have paid for the document is moved to the URL that it is fetched from.
	twin[0].Candidate.Signals.Cash, rec.Signals.Cash = rec.Signals.Cash, 0
	t.queue.Refuse(l.Key, rec, refusal)
	return t.add(twin)
}

// A vainAudit is an audit that found nothing: when it was, and how many URLs had been settled or
// left out by then.
type vainAudit struct {
	answers uint64
	at      time.Time
}

// auditAgain is how long the result of an audit that found nothing is valid: URLs that were
// left out also become due with time.
const auditAgain = time.Minute

// audit makes last templates, and queues some of the URLs that rules and mirrors have left out and
// that were not checked often enough. It reports whether something waits now. Every worker calls it
// when the queue is empty; when one has found nothing, the others need not search again until
// something is settled or left out.
func (s *Store) audit(ctx context.Context) (bool, error) {
	now := vainAudit{s.answers.Load(), time.Now()}
	if last := s.audited.Load(); last != nil && last.answers == now.answers && now.at.Sub(last.at) < auditAgain {
		return false, nil
	}
	more, err := s.idle(s.templates)
	if err == nil && !more {
		more, err = s.idle(s.rules)
	}
	if err == nil && !more {
		more, err = s.auditCopies(ctx)
	}
	if err == nil && !more {
		more, err = s.idle(s.twins)
	}
	if err == nil && !more {
		err = s.compareAgain(ctx)
	}
	if err == nil && !more && ctx.Err() == nil {
		s.audited.Store(&now)
	}
	return more, err
}
