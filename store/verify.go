package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"path/filepath"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/frontier/seen"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify/template"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
)

// A verifier walks one snapshot of a job and reports what does not hold.
type verifier struct {
	s   *Store
	in  snapshot
	ctx context.Context
	fn  func(gatecrawl.Breach) error

	filter *seen.Filter // nil: not looked at
	next   uint64       // the page that is due

	n      gatecrawl.Verified
	later  int64
	hosts  map[weburl.HostKey]entries // of the queue
	sums   map[weburl.HostKey]uint64  // of the entries that the queued URLs should have
	counts page.Totals                // as found, to compare with those kept
}

// Verify is gatecrawl.Inspector's. It reads everything in one snapshot: the
// file of a running crawl grows by what is changed in the meantime. While the
// pages of the tables and the gate's files are read, some seconds a gigabyte, a
// running crawl can't commit.
func (s *Store) Verify(ctx context.Context, fn func(gatecrawl.Breach) error) (gatecrawl.Verified, error) {
	v := verifier{
		s: s, ctx: ctx, fn: fn,
		hosts: make(map[weburl.HostKey]entries), sums: make(map[weburl.HostKey]uint64),
	}
	sound, err := v.stored()
	if err != nil || !sound {
		return v.n, err // what is stored is anybody's guess
	}
	filter, err := v.openFilter()
	if err != nil {
		return v.n, err
	}
	err = s.look(func(in snapshot) error {
		v.in = in
		before := v.n.Breaches
		if err := v.keys(); err != nil || v.n.Breaches > before {
			return err
		}
		for _, step := range []func() error{
			v.queue, v.urls, v.odd, v.pages, v.aliases, v.groups, v.contests, v.told, v.hostRecords, v.learners, v.ruleCounts, v.mirrorCounts, v.totals,
		} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && v.n.Breaches == 0 { // else what is kept is in doubt
		err = v.index()
	}
	if filter != nil {
		err = errors.Join(err, filter.Close())
	}
	return v.n, err
}

func (v *verifier) breach(invariant, format string, args ...any) error {
	v.n.Breaches++
	return v.fn(gatecrawl.Breach{Invariant: invariant, Detail: fmt.Sprintf(format, args...)})
}

// settled runs a check beside which nothing is written: a running crawl waits in the
// meantime.
func (v *verifier) settled(check func(in snapshot) error) error {
	if v.s.readOnly {
		return v.s.look(check)
	}
	return v.s.write(func(t *txn) error { return check(t.in()) })
}

// stored checks that everything is stored as it was written, and reports whether the
// other checks may go by it.
func (v *verifier) stored() (sound bool, err error) {
	sound = true
	err = v.s.kv.Check(v.ctx, func(err error) error {
		d, ok := errors.AsType[*kv.DamageError](err)
		switch {
		case !ok:
			return err
		case errors.Is(err, disk.ErrPages):
			sound = false
			return v.breach("the file's pages are sound", "%v", err)
		case d.Key == nil:
			return v.breach("the table's files are as they were written", "%v", err)
		case d.Table == nil || len(d.Key) != 8:
			return v.breach(asWritten, "%v", err)
		}
		return v.breach(asWritten, "page %d: its value in %s is altered", seqOf(d.Key), d.Table.Name)
	})
	return sound, err
}

const asWritten = "every value of a page is as it was written"

// openFilter opens the filter of a job that is only read. One that is not intact
// is filled anew when the job is opened to be written, so it is not looked at.
func (v *verifier) openFilter() (*seen.Filter, error) {
	v.filter = v.s.filter
	if !v.s.readOnly {
		return nil, nil
	}
	f, intact, err := seen.ReadFilter(filepath.Join(v.s.dir, fileFilter))
	if err != nil || !intact {
		return f, err
	}
	v.filter = f
	return f, nil
}

// keyLengths are the lengths of all keys of the tables that have such, in bytes.
var keyLengths = joined(template.KeyLengths(), mirror.KeyLengths(), map[*kv.Table]int{
	tableLater: 24, tablePages: 8, tableSignatures: 8, tableViews: 8, tableBodies: 8,
	tableOutlinks: 8, tableGroups: 8, tableVotes: 24, tableLost: 8,
	tableRevised: 8,
})

func joined(all ...map[*kv.Table]int) map[*kv.Table]int {
	joint := make(map[*kv.Table]int)
	for _, some := range all {
		maps.Copy(joint, some)
	}
	return joint
}

// keys checks that all keys have the length that the other checks count on.
func (v *verifier) keys() error {
	for t, n := range keyLengths {
		err := each(v.in, t, func(k, _ []byte) error {
			if len(k) != n {
				return v.breach("every key has its length", "%x in %s has %d bytes of %d", k, t.Name, len(k), n)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// index checks that the gate's files are as they were written and hold the kept
// signatures, all of them and nothing else.
func (v *verifier) index() error {
	const intact, equal = "the index is as it was written", "the index holds what is kept"
	if v.s.gateOptions.Mode == dedup.ModeOff {
		return nil
	}
	gate, err := v.s.answering()
	var damage *index.DamageError
	if errors.As(err, &damage) {
		return v.breach(intact, "%v", damage)
	}
	if err != nil {
		return v.breach(equal, "%v", err)
	}
	var broken []gatecrawl.Breach
	find := func(what, format string, args ...any) {
		broken = append(broken, gatecrawl.Breach{Invariant: what, Detail: fmt.Sprintf(format, args...)})
	}
	err = v.settled(func(in snapshot) error {
		for _, err := range gate.CheckFiles() {
			find(intact, "%v", err)
		}
		if len(broken) > 0 {
			return nil
		}
		rows := 0
		err := each(in, tableSignatures, func(k, b []byte) error {
			sig, err := decodeSignature(b)
			if err != nil {
				return nil // keeper has told
			}
			rows += gate.RowsOf(sig)
			if lack := gate.Holds(dedup.DocID(seqOf(k)), sig); lack != nil {
				find(equal, "page %d: %v", seqOf(k), lack)
			}
			return v.ctx.Err()
		})
		// Of a page that was revised the rows of before are there too.
		_, revised, first := kv.First(kv.All(in, tableRevised))
		if err = errors.Join(err, first); err != nil {
			return err
		}
		if n := gate.Rows(); err == nil && (n < rows || n > rows && !revised) {
			find(equal, "it has %d rows, and the kept signatures make %d", n, rows)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, b := range broken {
		if err := v.breach(b.Invariant, "%s", b.Detail); err != nil {
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
func (v *verifier) each(t *kv.Table, fn func(key, value []byte) error) error {
	n := 0
	err := each(v.in, t, func(k, b []byte) error {
		if n++; n%10_000 == 0 && v.ctx.Err() != nil {
			return v.ctx.Err()
		}
		return fn(k, b)
	})
	if d, ok := errors.AsType[*kv.DamageError](err); ok {
		return v.breach("the table's files are as they were written", "%v", d)
	}
	return err
}

// queue adds up the entries of every host.
func (v *verifier) queue() error {
	return v.each(tableQueue, func(k, tail []byte) error {
		v.n.Queued++
		e := v.hosts[weburl.HostKey(hostIn(k))]
		e.n++
		e.sum += entrySum(k, tail)
		v.hosts[weburl.HostKey(hostIn(k))] = e
		return nil
	})
}

// urls checks every URL that was ever met.
func (v *verifier) urls() error {
	var queuedURLs int64
	err := v.each(tableURLs, func(k, b []byte) error {
		v.n.URLs++
		key := weburl.Key(k)
		rec, err := decodeURL(b)
		if err != nil {
			return v.breach("every url record can be read", "key %s: %v", key, err)
		}
		if rec.state == queued {
			queuedURLs++
			v.sums[key.Host()] += entrySum(queueKey(key.Host(), rec.score, rec.order), key[6:])
		}
		return v.url(key, &rec)
	})
	if err != nil {
		return err
	}
	if queuedURLs != v.n.Queued {
		return v.breach("every queued url has one entry in the queue", "%d urls are queued, and the queue has %d entries", queuedURLs, v.n.Queued)
	}
	return nil
}

// odd looks closely at the hosts whose queue and URLs do not add up to the same.
func (v *verifier) odd() error {
	for h, e := range v.hosts {
		sum := v.sums[h]
		delete(v.sums, h)
		if e.sum == sum {
			continue
		}
		if err := v.oddHost(h); err != nil {
			return err
		}
	}
	for h := range v.sums { // of hosts that have no queue
		if err := v.oddHost(h); err != nil {
			return err
		}
	}
	return nil
}

// oddHost checks that every entry of a host's queue is of a URL that is queued with
// that score, and that every URL which is queued has its entry.
func (v *verifier) oddHost(h weburl.HostKey) error {
	for e, err := range kv.Prefix(v.in, tableQueue, h[:]) {
		if err != nil {
			return err
		}
		k, tail := e.Key, e.Value
		const what = "every entry of the queue is a queued url"
		key := urlOfEntry(k, tail)
		rec, ok, err := v.in.url(key)
		switch {
		case err != nil:
			err = v.breach(what, "key %s: %v", key, err)
		case !ok:
			err = v.breach(what, "key %s: no such url", key)
		case rec.state != queued:
			err = v.breach(what, "%s is %v", rec.url, rec.state)
		case !bytes.Equal(k, queueKey(h, rec.score, rec.order)):
			err = v.breach(what, "%s stands at another score or order than its record says", rec.url)
		}
		if err != nil {
			return err
		}
	}
	for e, err := range kv.Prefix(v.in, tableURLs, h[:]) {
		if err != nil {
			return err
		}
		rec, err := decodeURL(e.Value)
		if err != nil || rec.state != queued {
			continue // the first is a breach already
		}
		ok, err := kv.Has(v.in, tableQueue, queueKey(h, rec.score, rec.order))
		if err == nil && !ok {
			err = v.breach("every queued url has one entry in the queue", "%s has none", rec.url)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) url(key weburl.Key, rec *urlRecord) error {
	u, err := weburl.Parse(rec.url)
	if err != nil || u.Key() != key || u.String() != rec.url {
		return v.breach("every url record stands at its key", "key %s: %q", key, rec.url)
	}
	if v.filter != nil && !v.filter.Has(key) {
		return v.breach("the filter knows every url", "%s", rec.url)
	}
	if rec.seq != 0 {
		url, err := v.in.urlOf(rec.seq)
		if err != nil || url != rec.url {
			return v.breach("every settled url has its page record", "%s: page %d is %q (%v)", rec.url, rec.seq, url, err)
		}
	}
	switch rec.state {
	case queued:
	case later:
		v.later++
		waits, err := kv.Has(v.in, tableLater, laterKey(rec.notTill, key))
		if err != nil {
			return err
		}
		if !waits {
			return v.breach("every url that waits has an entry in later", "%s has none", rec.url)
		}
	case done:
		if rec.seq == 0 {
			return v.breach("every settled url has its page record", "%s has none", rec.url)
		}
	case refused:
		if rec.refusal.IsZero() {
			return v.breach("every refused url names its rule", "%s", rec.url)
		}
	default:
		return v.breach("every url is queued, waiting, done or refused", "%s: %v", rec.url, rec.state)
	}
	return nil
}

// pages checks every record, in crawl order.
func (v *verifier) pages() error {
	return each(v.in, tablePages, func(k, b []byte) error {
		v.n.Pages++
		n, err := v.missing(v.next+1, seqOf(k))
		if err != nil {
			return err
		}
		if n > 0 {
			if err := v.breach("pages are numbered without a gap", "before page %d, %d are not there", seqOf(k), n); err != nil {
				return err
			}
		}
		v.next = seqOf(k)
		p, verdict, err := decodePage(b)
		if err != nil {
			return v.breach("every page record can be read", "page %d: %v", seqOf(k), err)
		}
		p.Seq = seqOf(k)
		u, err := weburl.Parse(p.URL)
		if err != nil {
			return v.breach("every page record has a canonical url", "page %d: %v", p.Seq, err)
		}
		rec, ok, err := v.in.url(u.Key())
		if err != nil || !ok || !isRecordOf(&p, &rec) {
			return v.breach("every page is the only record of its url", "page %d: %s", p.Seq, p.URL)
		}
		if p.ReplacedBy != 0 && p.Verdict == page.VerdictNew {
			retired, err := v.in.isRetired(p.Seq)
			if err != nil {
				return err
			}
			if !retired {
				return v.breach("a page that was replaced gets no more copies", "page %d: %s is not retired", p.Seq, p.URL)
			}
		}
		switch p.Verdict {
		case page.VerdictNew:
			v.counts.New++
		case page.VerdictCopy:
			v.counts.Copies++
			return v.copyOf(&p, verdict, u.Key())
		case page.VerdictRefused:
			v.counts.Refused++
		case page.VerdictFailed:
			v.counts.Failed++
		default:
			return v.breach("every page has a verdict", "page %d: %s", p.Seq, p.URL)
		}
		return v.keeper(&p)
	})
}

// isRecordOf reports whether a page is the record of a URL, or a replaced one.
func isRecordOf(p *page.Record, rec *urlRecord) bool {
	if rec.state == refused {
		return false
	}
	if p.ReplacedBy == 0 {
		return rec.seq == p.Seq
	}
	return p.Seq < p.ReplacedBy && p.ReplacedBy <= rec.seq
}

// missing returns how many of the pages from one to before another no repair took
// away.
func (v *verifier) missing(from, to uint64) (uint64, error) {
	if from == to {
		return 0, nil
	}
	lost, err := kv.Count(v.in.Scan(tableLost, seqKey(from), seqKey(to)))
	return to - from - uint64(lost), err
}

// copyOf checks that a copy names a kept page, and votes for it.
func (v *verifier) copyOf(p *page.Record, verdict dedup.Verdict, key weburl.Key) error {
	of := uint64(verdict.Of)
	const what = "every copy names a kept page that came before it, or that its group was handed on to"
	if of == 0 || !mayBeOf(p, verdict) {
		return v.breach(what, "page %d: %s is a copy of page %d", p.Seq, p.URL, of)
	}
	kept, err := kv.Has(v.in, tableSignatures, seqKey(of))
	if err != nil {
		return err
	}
	if !kept {
		return v.breach(what, "page %d: %s is a copy of page %d, which is not kept", p.Seq, p.URL, of)
	}
	voted, err := kv.Has(v.in, tableVotes, voteKey(of, key))
	if err == nil && p.ReplacedBy == 0 && !voted {
		err = v.breach("every copy is a vote", "page %d: %s did not vote for page %d", p.Seq, p.URL, of)
	}
	return err
}

// keeper checks that what is kept of a page is all there.
func (v *verifier) keeper(p *page.Record) error {
	b, err := v.in.Get(tableSignatures, seqKey(p.Seq))
	if err != nil {
		return err
	}
	if b == nil {
		if p.Verdict == page.VerdictNew {
			return v.breach("every kept page has a signature", "page %d: %s", p.Seq, p.URL)
		}
		return nil
	}
	v.n.Kept++
	sig, err := decodeSignature(b)
	if err != nil {
		return v.breach("every signature can be read", "page %d: %v", p.Seq, err)
	}
	if sig.Bytes.String() != p.Digest {
		return v.breach("record and signature have one digest", "page %d: %s", p.Seq, p.URL)
	}
	if err := v.signed(p, &sig); err != nil {
		return err
	}
	kept, err := kv.Has(v.in, tableBodies, seqKey(p.Seq))
	if err == nil && sig.Tokens > 0 && !kept {
		err = v.breach("every kept page with text has its bytes", "page %d: %s", p.Seq, p.URL)
	}
	return err
}

// groups checks that what is counted of votes is what the votes say.
func (v *verifier) groups() error {
	for next := []byte(nil); ; {
		first, ok, err := kv.First(v.in.Scan(tableVotes, next, nil))
		if err != nil || !ok {
			return err
		}
		of := seqOf(first.Key)
		next = seqKey(of + 1)
		url, err := v.in.urlOf(of)
		if err != nil {
			if err := v.breach("every vote is for a page", "%v", err); err != nil {
				return err
			}
		}
		domains, copies, err := v.in.countOwners(of, url)
		if err != nil {
			if err := v.breach("every vote is of a page", "page %d: %v", of, err); err != nil {
				return err
			}
		}
		v.n.Votes += int64(copies)
		got, _, err := v.in.group(of)
		if err != nil {
			return err
		}
		want := groupRecord{degree: domains, copies: copies}
		if got != want {
			err := v.breach("a group counts its votes and their domains", "page %d: %s has degree %d of %d copies; its votes say %d of %d",
				of, url, got.degree, got.copies, want.degree, want.copies)
			if err != nil {
				return err
			}
		}
	}
}

// hostRecords checks what hosts count of their queue.
func (v *verifier) hostRecords() error {
	err := v.each(tableHosts, func(k, b []byte) error {
		h, err := decodeHost(b)
		if err != nil {
			return v.breach("every host record can be read", "%x: %v", k, err)
		}
		if len(k) != len(weburl.HostKey{}) {
			return v.breach("every host record stands at its key", "%x: %q", k, h.name)
		}
		key := weburl.HostKey(k)
		n := v.hosts[key].n
		delete(v.hosts, key)
		if n != h.queued {
			return v.breach("a host counts its queue", "%s counts %d entries and has %d", h.name, h.queued, n)
		}
		if key != weburl.HostKeyOf(h.name) {
			return v.breach("every host record stands at its key", "%x: %q", k, h.name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for k, e := range v.hosts {
		if err := v.breach("every queue has a host record", "%x: %d entries", k, e.n); err != nil {
			return err
		}
	}
	return nil
}

// totals holds the kept counts against what was found.
func (v *verifier) totals() error {
	state, err := v.in.state()
	if err != nil {
		return v.breach("the totals can be read", "%v", err)
	}
	t := state.Totals
	for _, c := range []struct {
		name      string
		got, want int64
	}{
		{"queued", t.Queued, v.n.Queued},
		{"later", t.Later, v.later},
		{"seen", t.Seen, v.n.URLs},
		{"pages", t.Pages, v.n.Pages},
		{"new", t.New, v.counts.New},
		{"copies", t.Copies, v.counts.Copies},
		{"refused", t.Refused, v.counts.Refused},
		{"failed", t.Failed, v.counts.Failed},
		{"votes", t.Votes, v.n.Votes},
	} {
		if c.got != c.want {
			if err := v.breach("the totals count what is there", "%s is %d, and %d are there", c.name, c.got, c.want); err != nil {
				return err
			}
		}
	}
	return nil
}
