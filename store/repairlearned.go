package store

import (
	"bytes"
	"maps"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// learned brings what was left out for a mirrored site or by a URL rule into
// agreement with the records of these. A record that cannot be read is forgotten:
// what was left out by it is queued again, and the record is learned anew.
func (r *repair) learned() error {
	for _, step := range []func() error{r.mirrorRecords, r.deferred, r.twins, r.urlRules, r.readmit, r.deferrals} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (r *repair) mirrorRecords() error {
	bad := func(_ snapshot, _, v []byte) (bool, error) {
		_, err := decodeMirror(v)
		return err != nil, nil
	}
	return r.forget(tableMirrors, bad)
}

// deferred takes away what is not refused as a mirror's, or is a host's of which
// no twin is known.
func (r *repair) deferred() error {
	return r.forget(tableDeferred, func(in snapshot, k, v []byte) (bool, error) {
		if len(v) != len(weburl.Key{}) {
			return true, nil
		}
		rec, ok, err := in.url(weburl.Key(k))
		if err != nil || !ok || rec.State != queue.Refused || rec.Refusal.Rule != gatecrawl.RuleMirror {
			return true, err
		}
		m, err := in.mirror(weburl.Key(k).Host())
		return err != nil || m == nil || len(m.Twins) == 0, err
	})
}

// twins makes the way from a twin to what is deferred for it that of the way back.
func (r *repair) twins() error {
	half := len(weburl.Key{})
	err := r.forget(tableTwins, func(in snapshot, k, _ []byte) (bool, error) {
		twin, err := in.Get(tableDeferred, k[half:])
		return !bytes.Equal(twin, k[:half]), err
	})
	if err != nil {
		return err
	}
	alone := func(in snapshot, k, twin []byte) (bool, error) {
		there, err := kv.Has(in, tableTwins, twinKey(weburl.Key(twin), weburl.Key(k)))
		return !there, err
	}
	return r.inChunks(tableDeferred, alone, func(t *txn, k, twin []byte) error {
		t.tx.Put(tableTwins, twinKey(weburl.Key(twin), weburl.Key(k)), present)
		return nil
	})
}

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
		case gatecrawl.RuleMirror:
			there, err := kv.Has(in, tableDeferred, k[:])
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
func (r *repair) deferrals() error {
	count := func(in kv.Reader, h []byte) (uint64, error) {
		n, err := kv.Count(kv.Prefix(in, tableDeferred, h))
		return uint64(n), err
	}
	wrong := func(in snapshot, h, v []byte) (bool, error) {
		m, err := decodeMirror(v)
		if err != nil {
			return false, err
		}
		n, err := count(in, h)
		return m.deferred != n, err
	}
	return r.inChunks(tableMirrors, wrong, func(t *txn, h, v []byte) error {
		m, err := decodeMirror(v)
		if err != nil {
			return err
		}
		if m.deferred, err = count(t.tx, h); err != nil {
			return err
		}
		if v, err = m.encode(); err == nil {
			t.tx.Put(tableMirrors, h, v)
		}
		return err
	})
}

// countLearned takes over what no record tells of mirrors and rules, and counts
// the mirrors.
func (r *repair) countLearned(in snapshot, n *page.Totals, before page.Totals) error {
	n.Explored, n.Wrong, n.Reopened = before.Explored, before.Wrong, before.Reopened
	maps.Copy(n.Mirrors, before.Mirrors)
	n.Mirrors["found"] = 0
	left, err := dust.CountLeftOut(in)
	if err != nil {
		return err
	}
	for kind, c := range left {
		n.Avoided[string(kind)] = c
	}
	return each(in, tableMirrors, func(_, v []byte) error {
		m, err := decodeMirror(v)
		if err == nil {
			n.Mirrors["found"] += int64(len(m.Twins))
		}
		return err
	})
}
