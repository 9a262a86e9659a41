package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"

	"go.etcd.io/bbolt"

	"gatecrawl"
	"gatecrawl/frontier"
)

// learned brings what was left out for a mirrored site or by a URL rule into
// agreement with the records of these. A record that cannot be read is forgotten:
// what was left out by it is queued again, and the record is learned anew.
func (r *repair) learned() error {
	for _, step := range []func() error{r.mirrorRecords, r.deferred, r.twins, r.ruleRecords, r.leftOut, r.readmit, r.deferrals} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (r *repair) mirrorRecords() error {
	bad := func(_ glance, _, v []byte) (bool, error) {
		_, err := decodeMirror(v)
		return err != nil, nil
	}
	return r.forget(bucketMirrors, bad)
}

// deferred takes away what is not refused as a mirror's, or is a host's of which
// no twin is known.
func (r *repair) deferred() error {
	return r.forget(bucketDeferred, func(in glance, k, v []byte) (bool, error) {
		if len(v) != len(frontier.Key{}) {
			return true, nil
		}
		rec, ok, err := in.url(frontier.Key(k))
		if err != nil || !ok || rec.state != refused || rec.refusal.Rule != gatecrawl.RuleMirror {
			return true, err
		}
		h := frontier.Key(k).Host()
		b := in.Bucket(bucketMirrors).Get(h[:])
		if b == nil {
			return true, nil
		}
		m, err := decodeMirror(b)
		return err != nil || len(m.Twins) == 0, err
	})
}

// twins makes the way from a twin to what is deferred for it that of the way back.
func (r *repair) twins() error {
	half := len(frontier.Key{})
	err := r.forget(bucketTwins, func(in glance, k, _ []byte) (bool, error) {
		return !bytes.Equal(in.Bucket(bucketDeferred).Get(k[half:]), k[:half]), nil
	})
	if err != nil {
		return err
	}
	alone := func(in glance, k, twin []byte) (bool, error) {
		return in.Bucket(bucketTwins).Get(twinKey(frontier.Key(twin), frontier.Key(k))) == nil, nil
	}
	return r.inChunks(bucketDeferred, alone, func(t *txn, k []byte) error {
		twin := frontier.Key(t.tx.Bucket(bucketDeferred).Get(k))
		return t.tx.Bucket(bucketTwins).Put(twinKey(twin, frontier.Key(k)), present)
	})
}

func (r *repair) ruleRecords() error {
	bad := func(_ glance, k, v []byte) (bool, error) {
		rec, err := decodeRule(v)
		return err != nil || !bytes.Equal(k, wordKey(kindRule, uint64(rec.ID()))), nil
	}
	return r.forgetInTable(kindRule, bad)
}

// leftOut takes away what names no rule or no URL.
func (r *repair) leftOut() error {
	stray := func(in glance, k, _ []byte) (bool, error) {
		if len(k) != len(leftKey(0, frontier.Key{})) {
			return true, nil
		}
		if _, ok, err := in.table.Get(wordKey(kindRule, binary.BigEndian.Uint64(k[1:]))); err != nil || !ok {
			return true, err
		}
		_, ok, err := in.url(frontier.Key(k[9:]))
		return !ok, err
	}
	return r.forgetInTable(kindLeft, stray)
}

// readmit queues what is refused and not known to the mirror or the rule that the
// refusal names.
func (r *repair) readmit() error {
	orphan := func(in glance, key, v []byte) (bool, error) {
		rec, err := decodeURL(v)
		if err != nil || rec.state != refused {
			return false, err
		}
		k := frontier.Key(key[1:])
		switch rec.refusal.Rule {
		case gatecrawl.RuleMirror:
			return in.Bucket(bucketDeferred).Get(k[:]) == nil, nil
		case gatecrawl.RuleDust:
			id, err := leftBy(&rec)
			if err != nil {
				return true, nil
			}
			_, ok, err := in.table.Get(leftKey(id, k))
			return !ok, err
		}
		return false, nil
	}
	return r.inTable(kindURL, orphan, func(t *txn, key, _ []byte) error {
		k := frontier.Key(key[1:])
		rec, err := t.url(k)
		if err != nil || rec == nil {
			return err
		}
		rec.refusal = frontier.Refusal{}
		t.enqueue(k, rec)
		return nil
	})
}

// deferrals makes the number of a host's deferred URLs what it is.
func (r *repair) deferrals() error {
	count := func(tx *bbolt.Tx, h []byte) (n uint64) {
		c := tx.Bucket(bucketDeferred).Cursor()
		for k, _ := c.Seek(h); bytes.HasPrefix(k, h); k, _ = c.Next() {
			n++
		}
		return n
	}
	wrong := func(in glance, h, v []byte) (bool, error) {
		m, err := decodeMirror(v)
		return err == nil && m.deferred != count(in.Tx, h), err
	}
	return r.inChunks(bucketMirrors, wrong, func(t *txn, h []byte) error {
		b := t.tx.Bucket(bucketMirrors)
		m, err := decodeMirror(b.Get(h))
		if err != nil {
			return err
		}
		m.deferred = count(t.tx, h)
		v, err := m.encode()
		return errors.Join(err, b.Put(h, v))
	})
}

// countLearned takes over what no record tells of mirrors and rules, and counts
// the mirrors.
func (r *repair) countLearned(in glance, n *gatecrawl.Totals, before gatecrawl.Totals) error {
	n.Explored, n.Wrong, n.Reopened = before.Explored, before.Wrong, before.Reopened
	maps.Copy(n.Mirrors, before.Mirrors)
	n.Mirrors["found"] = 0
	return in.Bucket(bucketMirrors).ForEach(func(_, v []byte) error {
		m, err := decodeMirror(v)
		if err == nil {
			n.Mirrors["found"] += int64(len(m.Twins))
		}
		return err
	})
}
