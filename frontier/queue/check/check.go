// Package check compares the tables of a queue with each other, and finds rows that cannot be
// right, so that a repair can rebuild them.
package check

import (
	"bytes"
	"context"
	"errors"
	"hash/fnv"

	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/seen"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A Queue compares the tables of a queue with each other, in one snapshot. Breach is called for
// every inconsistency, until it returns an error.
type Queue struct {
	In     kv.Reader
	Filter *seen.Filter // nil: it is not looked at
	Breach func(what, format string, args ...any) error
	URL    func(k weburl.Key, rec *queue.Record) error // what its owners have to check of each record

	// What was found.
	URLs, Queued, Later int64

	hosts map[weburl.HostKey]entries // of the queue
	sums  map[weburl.HostKey]uint64  // of the entries that the queued URLs should have
}

// Run checks everything. It stops soon after ctx has ended.
func (c *Queue) Run(ctx context.Context) error {
	c.hosts, c.sums = make(map[weburl.HostKey]entries), make(map[weburl.HostKey]uint64)
	for _, step := range []func(context.Context) error{c.queues, c.urls, c.uneven, c.hostRecords, c.payments, c.outcomes} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// An entries is what is found of a host's queue: how many entries, and the sum of
// their hashes. The sum over the URLs that are queued is to be the same, so that
// millions of entries need no look-up each.
type entries struct {
	n   int64
	sum uint64
}

func entrySum(key, tail []byte) uint64 {
	h := fnv.New64a()
	h.Write(key)
	h.Write(tail)
	return h.Sum64()
}

// each walks the rows of a table. Damage that is met is a breach, and ends the walk.
func (c *Queue) each(ctx context.Context, t *kv.Table, fn func(key, value []byte) error) error {
	n := 0
	err := kv.Each(c.In, t, func(k, b []byte) error {
		if n++; n%10_000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return fn(k, b)
	})
	if d, ok := errors.AsType[*kv.DamageError](err); ok {
		return c.Breach("the table's files are as they were written", "%v", d)
	}
	return err
}

// queues adds up the entries of every host.
func (c *Queue) queues(ctx context.Context) error {
	return c.each(ctx, queue.TableEntries, func(k, tail []byte) error {
		if len(k) < len(weburl.HostKey{}) {
			return c.Breach("every entry of the queue has a url", "key %x", k)
		}
		c.Queued++
		h := weburl.HostKey(k[:len(weburl.HostKey{})])
		e := c.hosts[h]
		e.n++
		e.sum += entrySum(k, tail)
		c.hosts[h] = e
		return nil
	})
}

// urls checks every URL that was ever seen.
func (c *Queue) urls(ctx context.Context) error {
	var queued int64
	err := c.each(ctx, queue.TableURLs, func(k, b []byte) error {
		key, ok := weburl.KeyOf(k)
		if !ok {
			return c.Breach("every url record can be read", "key %x", k)
		}
		rec, err := queue.Decode(b)
		if rec.Flags&queue.Requisite == 0 {
			c.URLs++
		}
		if err != nil {
			return c.Breach("every url record can be read", "key %s: %v", key, err)
		}
		if rec.State == queue.Queued {
			queued++
			c.sums[key.Host()] += entrySum(queue.EntryKey(key.Host(), rec.Score, rec.Order), key[6:])
		}
		return c.url(key, &rec)
	})
	if err != nil {
		return err
	}
	if queued != c.Queued {
		return c.Breach("every queued url has one entry in the queue", "%d urls are queued, and the queue has %d entries", queued, c.Queued)
	}
	return nil
}

func (c *Queue) url(key weburl.Key, rec *queue.Record) error {
	u, err := weburl.Parse(rec.URL)
	if err != nil || rec.Key(u) != key || u.String() != rec.URL {
		return c.Breach("every url record has its key", "key %s: %q", key, rec.URL)
	}
	if c.Filter != nil && !c.Filter.Has(key) {
		return c.Breach("the filter knows every url", "%s", rec.URL)
	}
	switch rec.State {
	case queue.Queued:
	case queue.Later:
		c.Later++
		waits, err := kv.Has(c.In, queue.TableLater, queue.LaterKey(rec.NotBefore, key))
		if err != nil {
			return err
		}
		if !waits {
			return c.Breach("every url that waits has an entry in later", "%s has none", rec.URL)
		}
	case queue.Done:
		if rec.Page == 0 && rec.Flags&queue.Requisite == 0 {
			return c.Breach("every settled url has its page record", "%s has none", rec.URL)
		}
	case queue.Refused:
		if rec.Refusal.IsZero() {
			return c.Breach("every refused url names its rule", "%s", rec.URL)
		}
	default:
		return c.Breach("every url is queued, waiting, done or refused", "%s: %v", rec.URL, rec.State)
	}
	return c.URL(key, rec)
}

// uneven looks closely at the hosts whose queue and URLs do not add up to the same.
func (c *Queue) uneven(context.Context) error {
	for h, e := range c.hosts {
		sum := c.sums[h]
		delete(c.sums, h)
		if e.sum == sum {
			continue
		}
		if err := c.unevenHost(h); err != nil {
			return err
		}
	}
	for h := range c.sums { // of hosts that have no queue
		if err := c.unevenHost(h); err != nil {
			return err
		}
	}
	return nil
}

// unevenHost checks that every entry of a host's queue is of a URL that is queued with
// that score, and that every URL which is queued has its entry.
func (c *Queue) unevenHost(h weburl.HostKey) error {
	for e, err := range kv.Prefix(c.In, queue.TableEntries, h[:]) {
		if err != nil {
			return err
		}
		const what = "every entry of the queue is a queued url"
		key := queue.KeyOf(e.Key, e.Value)
		rec, ok, err := queue.Get(c.In, key)
		switch {
		case err != nil:
			err = c.Breach(what, "key %s: %v", key, err)
		case !ok:
			err = c.Breach(what, "key %s: no such url", key)
		case rec.State != queue.Queued:
			err = c.Breach(what, "%s is %v", rec.URL, rec.State)
		case !bytes.Equal(e.Key, queue.EntryKey(h, rec.Score, rec.Order)):
			err = c.Breach(what, "%s has another score or order than its record says", rec.URL)
		}
		if err != nil {
			return err
		}
	}
	for e, err := range kv.Prefix(c.In, queue.TableURLs, h[:]) {
		if err != nil {
			return err
		}
		rec, err := queue.Decode(e.Value)
		if err != nil || rec.State != queue.Queued {
			continue // the first is a breach already
		}
		ok, err := kv.Has(c.In, queue.TableEntries, queue.EntryKey(h, rec.Score, rec.Order))
		if err == nil && !ok {
			err = c.Breach("every queued url has one entry in the queue", "%s has none", rec.URL)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// payments checks the journal of cash.
func (c *Queue) payments(ctx context.Context) error {
	return c.each(ctx, queue.TableCash, func(k, b []byte) error {
		if queue.BadPayments(k, b) {
			return c.Breach("every row of the journal of cash can be read", "%x", k)
		}
		return nil
	})
}

// outcomes checks what came of the links of pages.
func (c *Queue) outcomes(ctx context.Context) error {
	return c.each(ctx, queue.TableOutcomes, func(k, b []byte) error {
		if queue.BadOutcome(b) {
			return c.Breach("every row of outcomes can be read", "%x", k)
		}
		return nil
	})
}

// hostRecords checks what hosts count of their queue.
func (c *Queue) hostRecords(ctx context.Context) error {
	err := c.each(ctx, queue.TableHosts, func(k, b []byte) error {
		h, err := queue.DecodeHost(b)
		if err != nil {
			return c.Breach("every host record can be read", "%x: %v", k, err)
		}
		if len(k) != len(weburl.HostKey{}) {
			return c.Breach("every host record has its key", "%x: %q", k, h.Name)
		}
		key := weburl.HostKey(k)
		n := c.hosts[key].n
		delete(c.hosts, key)
		if n != h.Queued {
			return c.Breach("a host counts its queue", "%s counts %d entries and has %d", h.Name, h.Queued, n)
		}
		if key != weburl.HostKeyOf(h.Name) {
			return c.Breach("every host record has its key", "%x: %q", k, h.Name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for k, e := range c.hosts {
		if err := c.Breach("every queue has a host record", "%x: %d entries", k, e.n); err != nil {
			return err
		}
	}
	return nil
}
