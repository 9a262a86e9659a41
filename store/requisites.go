package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/warc"
	"gatecrawl.example/gatecrawl/warc/segment"
)

var (
	tableRequisites = &kv.Table{Name: "requisites"} // by weburl.Key.Requisite: a requisite
	tableNeeds      = &kv.Table{Name: "needs"}      // by the URL's key of a page: its needs
	tablePayloads   = &kv.Table{Name: "payloads"}   // by dedup.Digest: the payload of a requisite
)

// RequisiteOptions bound what is asked for so that a page can be seen. A file that several
// pages need counts for the one that named it first.
type RequisiteOptions struct {
	// Files is how many files one page may have, those of its style sheets too. Default
	// 200.
	Files int

	// Bytes is how long the files of a page may be together; the last one may pass it.
	// Default 20 MiB.
	Bytes int64
}

// Validate reports every fault at once.
func (o RequisiteOptions) Validate() error {
	var errs []error
	if o.Files < 1 {
		errs = append(errs, fmt.Errorf("requisites-per-page is %d: want 1 or more", o.Files))
	}
	if o.Bytes < 1 {
		errs = append(errs, fmt.Errorf("requisites-size is %d: want 1 byte or more", o.Bytes))
	}
	return errors.Join(errs...)
}

// A requisite is what became of a file that pages need.
type requisite struct {
	URL     string    `json:"url"`
	Fetched time.Time `json:"fetched,omitzero"`
	Status  int       `json:"status,omitempty"`
	Type    string    `json:"type,omitempty"`
	Bytes   int64     `json:"bytes,omitempty"`
	Why     string    `json:"why,omitempty"`   // it was refused, or failed
	Place   []byte    `json:"place,omitempty"` // of its WARC record
}

// needs are what was asked for so that a page can be seen.
type needs struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

// A payload is where the bytes of a requisite were met first.
type payload struct {
	URL string    `json:"url"`
	At  time.Time `json:"at"`
}

// readRow reads a row of these tables; ok is false where there is none.
func readRow(r kv.Reader, t *kv.Table, key []byte, v any) (ok bool, err error) {
	b, err := r.Get(t, key)
	if err != nil || b == nil {
		return false, err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return false, fmt.Errorf("%s %x: %w", t.Name, key, err)
	}
	return true, nil
}

func (t *txn) putRow(table *kv.Table, key []byte, v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		t.tx.Put(table, key, b)
	}
	return err
}

// need queues what a page needs, as far as it may.
func (t *txn) need(of weburl.Key, files []frontier.Candidate) error {
	if len(files) == 0 {
		return nil
	}
	var n needs
	if _, err := readRow(t.tx, tableNeeds, of[:], &n); err != nil {
		return err
	}
	had := n.Files
	for i := range files {
		if n.Files >= t.s.requisites.Files {
			rec, err := t.queue.Get(files[i].URL.Key().Requisite())
			if err != nil {
				return err
			}
			if rec == nil {
				t.state.Totals.MoreRequisites++
			}
			continue
		}
		fresh, err := t.queue.Require(&files[i])
		if err != nil {
			return err
		}
		if fresh {
			n.Files++
		}
	}
	if n.Files == had {
		return nil
	}
	return t.putRow(tableNeeds, of[:], n)
}

// settleRequisite makes the visit of a file durable: its URL leaves the queue, and its record
// and what it needs itself are kept.
func (s *Store) settleRequisite(v *page.Visit) error {
	l, err := s.queue.Hold(v.Lease, queue.Answer{Finished: v.Finished, Rest: v.Rest, Addr: v.Lease.Addr, Down: v.Down})
	if err != nil {
		return fmt.Errorf("settle %s: %w", v.Lease.URL, err)
	}
	err = s.write(func(t *txn) error { return t.settleRequisite(l, v) })
	if err != nil {
		return fmt.Errorf("settle %s: %w", v.Lease.URL, err)
	}
	return nil
}

func (t *txn) settleRequisite(l *queue.Held, v *page.Visit) error {
	entry, err := t.queue.Take(l)
	if err != nil {
		return err
	}
	if v.Retry > 0 {
		entry.Attempt++
		t.state.Totals.Retries++
		t.queue.Wait(l.Key, entry, t.s.queue.Now().Add(v.Retry))
		return nil
	}
	entry.State = queue.Done
	t.queue.Put(l.Key, entry)
	p := &v.Page
	r := requisite{URL: p.URL, Status: p.Status, Type: p.Type, Bytes: p.Bytes, Why: p.Reason}
	total := &t.state.Totals
	if p.Status != 0 {
		r.Fetched = p.Fetched
	}
	switch {
	case r.Why != "":
		total.Unmet++
	case p.Location == "":
		total.Requisites++
		total.RequisiteBytes += p.Bytes
	}
	if v.Answer.Header != nil {
		if r.Place, err = t.keepRequisite(v); err != nil {
			return err
		}
	}
	if err := t.putRow(tableRequisites, l.Key[:], r); err != nil {
		return err
	}
	of := v.Lease.From
	var n needs
	if _, err := readRow(t.tx, tableNeeds, of[:], &n); err != nil {
		return err
	}
	n.Bytes += p.Bytes
	if err := t.putRow(tableNeeds, of[:], n); err != nil {
		return err
	}
	return t.need(of, v.Needs)
}

// keepRequisite appends the record of an answer to the segments: a revisit where another file
// had its bytes. It returns the record's place.
func (t *txn) keepRequisite(v *page.Visit) ([]byte, error) {
	rec := recordOf(v)
	if len(v.Body) > 0 {
		digest := dedup.DigestOf(v.Body)
		var was payload
		there, err := readRow(t.tx, tablePayloads, digest[:], &was)
		if err != nil {
			return nil, err
		}
		if there {
			rec.Draft.Content = rec.Head
			rec.Draft = warc.RevisitDraft(rec.Draft, warc.DigestOf(v.Body), was.URL, was.At)
			rec.Body = nil
		} else if err := t.putRow(tablePayloads, digest[:], payload{v.Page.URL, rec.Draft.Date}); err != nil {
			return nil, err
		}
	}
	packed, err := t.s.segments.Pack(rec)
	if err != nil {
		return nil, err
	}
	place, err := t.append(packed, v.Page.URL)
	return place.Encode(), err
}

// MayNeed reports whether a page may have one more file by the bytes that it has.
func (s *Store) MayNeed(of weburl.Key) (may bool, err error) {
	var n needs
	err = s.look(func(in snapshot) error {
		_, err := readRow(in, tableNeeds, of[:], &n)
		return err
	})
	return n.Bytes < s.requisites.Bytes, err
}

// OnlyRequisites is gatecrawl.Store's.
func (s *Store) OnlyRequisites(only bool) {
	s.onlyRequisites.Store(only)
	s.queue.OnlyRequisites(only)
}

// requisiteRows calls fn for every file that pages need and that was answered.
func (s *Store) requisiteRows(ctx context.Context, in snapshot, want gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error {
	return each(in, tableRequisites, func(k, v []byte) error {
		var r requisite
		if err := errors.Join(ctx.Err(), json.Unmarshal(v, &r)); err != nil {
			return fmt.Errorf("requisite %x: %w", k, err)
		}
		if r.Place == nil {
			return nil
		}
		row := &gatecrawl.Row{Requisite: true, Page: page.Record{URL: r.URL, Fetched: r.Fetched, Status: r.Status, Type: r.Type, Bytes: r.Bytes}}
		if want.Records {
			p, err := segment.DecodePlace(r.Place)
			if err == nil {
				row.Record, err = s.segments.Read(p)
			}
			if errors.As(err, new(*segment.DamageError)) {
				err = s.adviseRepair(err)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", r.URL, err)
			}
		}
		return fn(row)
	})
}

// checkRequisites tells which requisites are not as they were written.
func (s *Store) checkRequisites(in snapshot, breach func(what, format string, args ...any) error) error {
	return each(in, tableRequisites, func(k, v []byte) error {
		if why := s.badRequisite(in, k, v); why != nil {
			return breach("every file that pages need is as it was written", "%v", why)
		}
		return nil
	})
}

// badRequisite says what is wrong with a row; nil: nothing is.
func (s *Store) badRequisite(in snapshot, k, v []byte) error {
	var r requisite
	if err := json.Unmarshal(v, &r); err != nil || len(k) != len(weburl.Key{}) {
		return fmt.Errorf("key %x cannot be read (%v)", k, err)
	}
	if rec, ok, err := in.url(weburl.Key(k)); err != nil || !ok || rec.State != queue.Done || rec.URL != r.URL {
		return fmt.Errorf("%s is no settled url (%v)", r.URL, err)
	}
	if r.Place == nil {
		return nil
	}
	p, err := segment.DecodePlace(r.Place)
	if err == nil {
		err = s.segments.Verify(p)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.URL, err)
	}
	return nil
}

// requisites takes away rows that are damaged, and queues their URLs again. Payloads are met
// again by then: those that a damaged record had are forgotten with all others.
func (r *repair) requisites() error {
	lost := false
	bad := func(in snapshot, k, v []byte) (bool, error) { return r.s.badRequisite(in, k, v) != nil, nil }
	err := r.inChunks(tableRequisites, bad, func(t *txn, key, v []byte) error {
		lost = true
		t.tx.Delete(tableRequisites, key)
		var was requisite
		if err := json.Unmarshal(v, &was); err != nil || len(key) != len(weburl.Key{}) {
			return r.tell("a file that pages need", "%x: altered, and taken away", key)
		}
		rec, err := t.queue.Get(weburl.Key(key))
		if err != nil || rec == nil || rec.State != queue.Done {
			return err
		}
		rec.Attempt = 0
		t.queue.Enqueue(weburl.Key(key), rec)
		return r.tell("a file that pages need", "%s: altered or gone, and asked for again", was.URL)
	})
	if err != nil || !lost {
		return err
	}
	return r.forget(tablePayloads, func(snapshot, []byte, []byte) (bool, error) { return true, nil })
}
