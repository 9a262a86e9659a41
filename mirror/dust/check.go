package dust

import (
	"bytes"
	"context"
	"fmt"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
)

// Check calls breach for each record that contradicts another: a URL that is left out must be
// refused by RefusalRule, and its rule must exist and know it.
func (l *Rules) Check(r kv.Reader, breach func(what string, err error) error) error {
	const there = "every url that a rule left out is there"
	err := kv.Each(r, tableLeft, func(k, _ []byte) error {
		key, ok := weburl.KeyOf(k[min(8, len(k)):])
		if !ok {
			return breach(there, fmt.Errorf("key %x is none of a url", k))
		}
		_, ok, err := l.job.URL(r, key)
		if err != nil || !ok {
			return breach(there, fmt.Errorf("%s is not (%w)", key, err))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return kv.Each(r, tableLeftOut, func(k, v []byte) error {
		key, ok := weburl.KeyOf(k)
		left, err := decodeLeftOut(v)
		if err == nil && !ok {
			err = fmt.Errorf("key %x is none of a url", k)
		}
		if err != nil {
			return breach("every url that a rule left out names its rule", fmt.Errorf("%s: %w", key, err))
		}
		u, ok, err := l.job.URL(r, key)
		if err != nil || !ok || !u.LeftOut {
			return breach("every url that a rule left out is refused by it", fmt.Errorf("%s is not (%w)", key, err))
		}
		if ok, err = isWhole(r, key, left); err != nil || !ok {
			return breach("every rule that left a url out is there", fmt.Errorf("%s: rule %s is not (%w)", u.Text, left.by, err))
		}
		return nil
	})
}

// isWhole reports whether the rule that left a URL out exists and has a record of the URL.
func isWhole(r kv.Reader, k weburl.Key, left leftOut) (bool, error) {
	if ok, err := kv.Has(r, tableRules, idKey(left.by)); err != nil || !ok {
		return false, err
	}
	return kv.Has(r, tableLeft, leftKey(left.by, k))
}

// CountLeftOut returns how many URLs are left out now, by the kind of the first rule that applies
// to each.
func CountLeftOut(r kv.Reader) (map[Kind]int64, error) {
	kinds := make(map[ID]Kind)
	if err := eachRule(r, func(rec *ruleRecord) error { kinds[rec.ID()] = rec.Kind; return nil }); err != nil {
		return nil, err
	}
	n := make(map[Kind]int64)
	return n, kv.Each(r, tableLeftOut, func(_, v []byte) error {
		left, err := decodeLeftOut(v)
		if err == nil {
			n[kinds[left.by]]++
		}
		return err
	})
}

// Repair removes records that cannot be read, and those that name a rule or a URL that does not
// exist. A removed rule is learned again; the caller has to queue what it left out, see IsLeftOut.
func Repair(ctx context.Context, s kv.Store, job Job) error {
	err := kv.Forget(ctx, s, tableRules, func(_ kv.Reader, k, v []byte) (bool, error) {
		rec, err := decodeRule(v)
		return err != nil || !bytes.Equal(k, idKey(rec.ID())), nil
	})
	if err != nil {
		return err
	}
	err = kv.Forget(ctx, s, tableLeft, func(r kv.Reader, k, _ []byte) (bool, error) {
		if len(k) != len(leftKey(0, weburl.Key{})) {
			return true, nil
		}
		if ok, err := kv.Has(r, tableRules, k[:8]); err != nil || !ok {
			return true, err
		}
		_, ok, err := job.URL(r, weburl.Key(k[8:]))
		return !ok, err
	})
	if err != nil {
		return err
	}
	return kv.Forget(ctx, s, tableLeftOut, func(r kv.Reader, k, v []byte) (bool, error) {
		left, err := decodeLeftOut(v)
		if err != nil || len(k) != len(weburl.Key{}) {
			return true, nil
		}
		u, ok, err := job.URL(r, weburl.Key(k))
		if err != nil || !ok || !u.LeftOut {
			return true, err
		}
		ok, err = isWhole(r, weburl.Key(k), left)
		return !ok, err
	})
}

// CountFor returns how many URLs of a host are left out in favour of URLs of another host.
func CountFor(r kv.Reader, host, other weburl.HostKey) (n int, err error) {
	for e, err := range kv.Prefix(r, tableLeftOut, host[:]) {
		if err != nil {
			return n, err
		}
		left, err := decodeLeftOut(e.Value)
		if err != nil {
			return n, err
		}
		if left.as.Host() == other {
			n++
		}
	}
	return n, nil
}

// IsLeftOut reports whether a URL is left out by a rule.
func IsLeftOut(r kv.Reader, k weburl.Key) (bool, error) { return kv.Has(r, tableLeftOut, k[:]) }
