package store

import (
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/revisit"
)

// A groupedJob implements group.Job for a job.
type groupedJob struct{ s *Store }

// URL implements group.Job.
func (j groupedJob) URL(r kv.Reader, k weburl.Key) (group.URL, bool, error) {
	rec, err := j.s.urlIn(r, k)
	if err != nil || rec == nil {
		return group.URL{}, false, err
	}
	return group.URL{Text: rec.URL, Page: rec.Page, Waits: rec.State == queue.Queued || rec.State == queue.Later}, true, nil
}

// Ask implements group.Job.
func (j groupedJob) Ask(tx kv.Tx, k weburl.Key) error {
	t := j.s.txnOf(tx)
	rec, err := t.queue.Get(k)
	if err == nil && rec != nil {
		t.queue.Again(k, rec, nil, j.s.ahead.Load())
	}
	return err
}

// Raise implements group.Job.
func (j groupedJob) Raise(tx kv.Tx, of, degree uint64) error { return j.s.txnOf(tx).raise(of, degree) }

// Retire implements group.Job.
func (j groupedJob) Retire(tx kv.Tx, seq, by uint64) error {
	if j.s.partition != nil {
		return j.s.txnOf(tx).retireElsewhere(seq, by)
	}
	j.s.gate.Retire(dedup.DocID(seq))
	return nil
}

// Resized implements group.Job.
func (j groupedJob) Resized(_ kv.Tx, of uint64) {
	if !j.s.owns(of) {
		j.s.partition.resized[of] = true
	}
}

// HandedOn implements group.Job: the rate of change is that of the group.
func (j groupedJob) HandedOn(tx kv.Tx, of, to uint64) error {
	return revisit.HandOn(tx, of, to)
}

// Diverged implements group.Job.
func (j groupedJob) Diverged(tx kv.Tx, k weburl.Key, of uint64) error {
	return revisit.Diverged(tx, revisitedJob(j), k, of)
}

// Totals implements group.Job.
func (j groupedJob) Totals(tx kv.Tx) *page.Totals { return &j.s.txnOf(tx).state.Totals }

// changed notes that the record of a URL was replaced by another one.
func (t *txn) changed(k weburl.Key, old *page.Record, was dedup.Verdict, rec *page.Record, is dedup.Verdict, sig *dedup.Signature) error {
	if old.Verdict == page.VerdictNew && !is.Copy() {
		if err := revisit.Count(t.tx, old, rec.Seq, rec.Fetched, true); err != nil {
			return err
		}
	}
	return t.s.groups.Changed(t.tx, k, old, was, rec, is, sig)
}

// aliasOf returns the verdict on the first copy with these bytes.
func (s *Store) aliasOf(gate *dedup.Gate, d dedup.Digest) (v dedup.Verdict, err error) {
	err = s.look(func(in snapshot) (err error) {
		v, err = group.VerdictOn(in, d)
		return err
	})
	if err != nil || gate.IsRetired(dedup.DocID(v.Of)) {
		return dedup.Verdict{}, err
	}
	return v, nil
}
