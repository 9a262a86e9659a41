package store

import (
	"maps"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/page"
)

// learned brings what was left out for a mirrored site or by a URL rule into
// agreement with the records of these. A record that cannot be read is forgotten:
// what was left out by it is queued again, and the record is learned anew.
func (r *repair) learned() error {
	for _, step := range []func() error{r.mirrors, r.urlRules, r.readmit, r.deferrals} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (r *repair) mirrors() error { return mirror.Repair(r.ctx, r.s.kv, mirroredJob{r.s}) }

func (r *repair) urlRules() error { return dust.Repair(r.ctx, r.s.kv, ruledJob{r.s}) }

// readmit queues what is refused and not known to the mirror or the rule that the
// refusal names.
func (r *repair) readmit() error {
	orphan := func(in snapshot, key, v []byte) (bool, error) {
		rec, err := queue.Decode(v)
		if err != nil || rec.State != queue.Refused {
			return false, err
		}
		k := weburl.Key(key)
		switch rec.Refusal.Rule {
		case mirror.RefusalRule:
			there, err := mirror.IsDeferred(in, k)
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

// deferrals makes the number of a host's deferred URLs what it is.
func (r *repair) deferrals() error { return mirror.Recount(r.ctx, r.s.kv) }

// countLearned takes over what no record tells of mirrors and rules, and counts
// the mirrors.
func (r *repair) countLearned(in snapshot, n *page.Totals, before page.Totals) error {
	n.Explored, n.Wrong, n.Reopened = before.Explored, before.Wrong, before.Reopened
	maps.Copy(n.Mirrors, before.Mirrors)
	left, err := dust.CountLeftOut(in)
	if err != nil {
		return err
	}
	for kind, c := range left {
		n.Avoided[string(kind)] = c
	}
	_, n.Mirrors["found"], err = mirror.Count(in)
	return err
}
