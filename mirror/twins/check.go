package twins

import (
	"bytes"
	"context"
	"fmt"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
)

// Check calls breach for each record that contradicts another: a deferred URL must be refused by
// mirror.RefusalRule, be known by its twin, and be counted.
func (m *Learner) Check(r kv.Reader, breach func(what string, err error) error) error {
	count := make(map[weburl.HostKey]uint64)
	n := int64(0)
	err := kv.Each(r, tableDeferred, func(k, twin []byte) error {
		key, ok := weburl.KeyOf(k)
		if !ok || len(twin) != len(key) {
			return breach("what was deferred is known by its twin", fmt.Errorf("key %x is altered", k))
		}
		count[key.Host()]++
		n++
		u, ok, err := m.job.URL(r, key)
		if err != nil {
			return err
		}
		back, err := kv.Has(r, tableTwins, append(bytes.Clone(twin), k...))
		switch {
		case err != nil:
			return err
		case !ok || !u.Deferred:
			return breach("what was deferred is refused as a mirror's", fmt.Errorf("key %s: %q", key, u.Text))
		case !back:
			return breach("what was deferred is known by its twin", fmt.Errorf("%s", u.Text))
		}
		return nil
	})
	if err != nil {
		return err
	}
	back, err := kv.Count(kv.All(r, tableTwins))
	if err != nil {
		return err
	}
	if back != n {
		if err := breach("every twin is known by what was deferred for it", fmt.Errorf("%d urls are deferred, and %d have a twin", n, back)); err != nil {
			return err
		}
	}
	for e, err := range hostRows.All(r) {
		if err != nil {
			return err
		}
		if err := checkHost(e.Key, e.Value, count, breach); err != nil {
			return err
		}
	}
	return nil
}

// checkHost checks the row of a host; count has how many URLs of each host are deferred.
func checkHost(k, b []byte, count map[weburl.HostKey]uint64, breach func(what string, err error) error) error {
	host, err := decodeHost(b)
	switch {
	case err != nil:
		return breach("every mirror record can be read", fmt.Errorf("host %x: %w", k, err))
	case host.deferred != count[weburl.HostKey(k)]:
		return breach("a host counts what was deferred", fmt.Errorf("host %x counts %d, and has %d", k, host.deferred, count[weburl.HostKey(k)]))
	case host.deferred > 0 && len(host.Twins) == 0:
		return breach("what was deferred has a twin", fmt.Errorf("host %x has none, and %d urls", k, host.deferred))
	}
	return nil
}

// Count returns how many URLs are deferred, and how many twins were found.
func Count(r kv.Reader) (deferred, found int64, err error) {
	if deferred, err = kv.Count(kv.All(r, tableDeferred)); err != nil {
		return 0, 0, err
	}
	return deferred, found, kv.Each(r, hostRows.Large, func(_, v []byte) error {
		host, err := decodeHost(v)
		if err == nil {
			found += int64(len(host.Twins))
		}
		return err
	})
}

// IsDeferred reports whether a URL is deferred.
func IsDeferred(r kv.Reader, k weburl.Key) (bool, error) { return kv.Has(r, tableDeferred, k[:]) }

// Repair removes records that can't be read and deferrals without a reason, and corrects twins and
// counts. A host whose record is removed is learned again; the caller must queue its deferred URLs,
// see IsDeferred, and then call Recount.
func Repair(ctx context.Context, s kv.Store, job Job) error {
	for _, t := range hostRows.Tables() {
		err := kv.Forget(ctx, s, t, func(_ kv.Reader, _, v []byte) (bool, error) {
			_, err := decodeHost(v)
			return err != nil, nil
		})
		if err != nil {
			return err
		}
	}
	err := kv.Forget(ctx, s, tableDeferred, func(r kv.Reader, k, v []byte) (bool, error) {
		key, ok := weburl.KeyOf(k)
		if !ok || len(v) != len(key) {
			return true, nil
		}
		u, ok, err := job.URL(r, key)
		if err != nil || !ok || !u.Deferred {
			return true, err
		}
		host, err := hostAt(r, key.Host())
		return err != nil || host == nil || len(host.Twins) == 0, err
	})
	if err != nil {
		return err
	}
	return repairTwins(ctx, s)
}

// repairTwins makes tableTwins match tableDeferred.
func repairTwins(ctx context.Context, s kv.Store) error {
	half := len(weburl.Key{})
	err := kv.Forget(ctx, s, tableTwins, func(r kv.Reader, k, _ []byte) (bool, error) {
		if len(k) != 2*half {
			return true, nil
		}
		twin, err := r.Get(tableDeferred, k[half:])
		return !bytes.Equal(twin, k[:half]), err
	})
	if err != nil {
		return err
	}
	alone := func(r kv.Reader, k, twin []byte) (bool, error) {
		there, err := kv.Has(r, tableTwins, twinKey(weburl.Key(twin), weburl.Key(k)))
		return !there, err
	}
	return kv.Rewrite(ctx, s, tableDeferred, alone, func(tx kv.Tx, k, twin []byte) error {
		tx.Put(tableTwins, twinKey(weburl.Key(twin), weburl.Key(k)), present)
		return nil
	})
}

// Recount corrects the number of each host's deferred URLs.
func Recount(ctx context.Context, s kv.Store) error {
	count := func(r kv.Reader, h []byte) (uint64, error) {
		n, err := kv.Count(kv.Prefix(r, tableDeferred, h))
		return uint64(n), err
	}
	wrong := func(r kv.Reader, h, v []byte) (bool, error) {
		host, err := decodeHost(v)
		if err != nil {
			return false, err
		}
		n, err := count(r, h)
		return host.deferred != n, err
	}
	return kv.Rewrite(ctx, s, hostRows.Large, wrong, func(tx kv.Tx, h, v []byte) error { // a host with twins
		host, err := decodeHost(v)
		if err != nil {
			return err
		}
		if host.deferred, err = count(tx, h); err != nil {
			return err
		}
		if v, err = host.encode(); err != nil {
			return err
		}
		return hostRows.Put(tx, h, v)
	})
}
