package integrity

import (
	"maps"

	"gatecrawl.example/gatecrawl/dedup/parts"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/mirror/twins"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
)

// links repairs the link graph, from the views of kept pages.
func (r *repair) links() error {
	added, err := r.job.Links.Repair(r.ctx, r.job.Tables, r.job.Linked, func(in kv.Reader, from uint64, fn func(uint64) (bool, error)) error {
		for e, err := range in.Scan(page.TableSignatures, page.Key(from), nil) {
			if err != nil {
				return err
			}
			if more, err := fn(page.Seq(e.Key)); err != nil || !more {
				return err
			}
		}
		return nil
	})
	if err != nil || added == 0 {
		return err
	}
	return r.tell("the link graph", "the links of %d pages were added again", added)
}

func (r *repair) parts() error { return parts.Repair(r.ctx, r.job.Tables) }

// learned makes the rows of what mirrors and URL rules left out agree with the records of the
// mirrors and rules. A record that cannot be read is deleted: the URLs that it left out are queued
// again, and it may be learned again.
func (r *repair) learned() error {
	for _, step := range []func() error{r.mirrors, r.urlRules, r.readmit, r.deferrals} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (r *repair) mirrors() error { return twins.Repair(r.ctx, r.job.Tables, r.job.Mirrored) }

func (r *repair) urlRules() error { return dust.Repair(r.ctx, r.job.Tables, r.job.Ruled) }

// readmit queues refused URLs whose refusal names a mirror or a rule that does not have them in its
// rows.
func (r *repair) readmit() error {
	orphan := func(in job.Snapshot, key, v []byte) (bool, error) {
		rec, err := queue.Decode(v)
		if err != nil || rec.State != queue.Refused {
			return false, err
		}
		k := weburl.Key(key)
		switch rec.Refusal.Rule {
		case mirror.RefusalRule:
			there, err := twins.IsDeferred(in, k)
			return !there, err
		case dust.RefusalRule:
			there, err := dust.IsLeftOut(in, k)
			return !there, err
		}
		return false, nil
	}
	return r.inChunks(queue.TableURLs, orphan, func(t *txn, key, _ []byte) error {
		k := weburl.Key(key)
		rec, err := t.queue.Get(k)
		if err != nil || rec == nil {
			return err
		}
		rec.Refusal = frontier.Refusal{}
		t.queue.Enqueue(k, rec)
		return nil
	})
}

// deferrals recounts the deferred URLs of each host.
func (r *repair) deferrals() error { return twins.Recount(r.ctx, r.job.Tables) }

// countLearned copies the counts of mirrors and rules that cannot be recomputed from records, and
// counts the mirrors.
func (r *repair) countLearned(in job.Snapshot, n *page.Totals, before page.Totals) error {
	n.Explored, n.Wrong, n.Reopened = before.Explored, before.Wrong, before.Reopened
	maps.Copy(n.Mirrors, before.Mirrors)
	left, err := dust.CountLeftOut(in)
	if err != nil {
		return err
	}
	for kind, c := range left {
		n.Avoided[string(kind)] = c
	}
	_, found, err := twins.Count(in)
	if n.Mirrors["found"] = found; found == 0 {
		delete(n.Mirrors, "found")
	}
	return err
}
