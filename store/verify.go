package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"

	"go.etcd.io/bbolt"

	"gatecrawl"
	"gatecrawl/dedup"
	"gatecrawl/frontier"
	"gatecrawl/store/runs"
)

// A verifier walks one snapshot of a job and reports what does not hold.
type verifier struct {
	s   *Store
	in  glance
	tx  *bbolt.Tx // in's
	ctx context.Context
	fn  func(gatecrawl.Breach) error

	filter *dedup.Filter // nil: not looked at
	next   uint64        // the page that is due

	n      gatecrawl.Verified
	later  int64
	hosts  map[frontier.HostKey]entries // of the queue
	sums   map[frontier.HostKey]uint64  // of the entries that the queued URLs should have
	counts gatecrawl.Totals             // as found, to hold against those kept
}

// Verify is gatecrawl.Inspector's. It reads everything in one transaction: the
// file of a running crawl grows by what is changed in the meantime. While bbolt
// looks at its pages and the gate's files are read, some seconds a gigabyte, a
// running crawl can't commit.
func (s *Store) Verify(ctx context.Context, fn func(gatecrawl.Breach) error) (gatecrawl.Verified, error) {
	v := verifier{
		s: s, ctx: ctx, fn: fn,
		hosts: make(map[frontier.HostKey]entries), sums: make(map[frontier.HostKey]uint64),
	}
	sound, err := v.file()
	if err != nil || !sound {
		return v.n, err // what the pages lead to is anybody's guess
	}
	filter, err := v.openFilter()
	if err != nil {
		return v.n, err
	}
	err = s.look(func(in glance) error {
		v.in, v.tx = in, in.Tx
		if err := v.keys(); err != nil || v.n.Breaches > 0 {
			return err
		}
		for _, step := range []func() error{
			v.tableFiles, v.queue, v.urls, v.odd, v.pages, v.aliases, v.rules, v.checksums, v.groups, v.contests, v.told, v.hostRecords, v.templates, v.mirrors, v.totals,
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

// settled runs a check in a transaction beside which nothing is written: a
// running crawl waits in the meantime.
func (v *verifier) settled(check func(tx *bbolt.Tx) error) error {
	if v.s.readOnly {
		return v.s.db.View(check)
	}
	return v.s.write(func(t *txn) error { return check(t.tx) })
}

// file has bbolt look at its own pages, and reports whether they are sound. It
// compares them with its list of free pages, which a writer changes.
func (v *verifier) file() (sound bool, err error) {
	var faults []error
	err = v.settled(func(tx *bbolt.Tx) error {
		fault, err := checkPages(v.s.dir, everyBucket)
		if fault != nil {
			faults = []error{fault}
		} else if err == nil {
			faults = pageFaults(tx)
		}
		return err
	})
	if err != nil {
		return false, err
	}
	for _, f := range faults {
		if err := v.breach("the file's pages are sound", "%s: %v", fileDB, f); err != nil {
			return false, err
		}
	}
	return len(faults) == 0, nil
}

// pageFaults returns what bbolt finds wrong with its pages.
func pageFaults(tx *bbolt.Tx) (faults []error) {
	for err := range tx.Check() {
		faults = append(faults, err)
	}
	return faults
}

// openFilter opens the filter of a job that is only read. One that is not intact
// is filled anew when the job is opened to be written, so it is not looked at.
func (v *verifier) openFilter() (*dedup.Filter, error) {
	v.filter = v.s.filter
	if !v.s.readOnly {
		return nil, nil
	}
	f, intact, err := dedup.ReadFilter(filepath.Join(v.s.dir, fileFilter))
	if err != nil || !intact {
		return f, err
	}
	v.filter = f
	return f, nil
}

// keyLengths are the lengths of all keys of the buckets that have such, in bytes.
var keyLengths = map[string]int{
	string(bucketLater): 24,
	string(bucketPages): 8, string(bucketSignatures): 8, string(bucketViews): 8, string(bucketBodies): 8,
	string(bucketOutlinks): 8, string(bucketGroups): 8, string(bucketVotes): 24, string(bucketSums): 8, string(bucketLost): 8,
	string(bucketRevised): 8, string(bucketSites): 6, string(bucketTemplates): 6, string(bucketAgain): len(againKey{}),
	string(bucketMirrors): 6, string(bucketSamples): 14, string(bucketDeferred): 16, string(bucketTwins): 32,
}

// keys checks that all keys have the length that the other checks count on.
func (v *verifier) keys() error {
	for name, n := range keyLengths {
		b := v.tx.Bucket([]byte(name))
		if b == nil {
			continue
		}
		err := b.ForEach(func(k, _ []byte) error {
			if len(k) != n {
				return v.breach("every key has its length", "%x in %s has %d bytes of %d", k, name, len(k), n)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// checksums checks that all values of pages are as they were written.
func (v *verifier) checksums() error {
	b := v.tx.Bucket(bucketSums)
	if b == nil {
		return nil
	}
	const what = "every value of a page is as it was written"
	return b.ForEach(func(k, _ []byte) error {
		names, err := altered(v.tx, seqOf(k))
		if err != nil {
			return v.breach(what, "page %d: %v", seqOf(k), err)
		}
		for _, name := range names {
			if err := v.breach(what, "page %d: its value in %s is altered", seqOf(k), name); err != nil {
				return err
			}
		}
		return v.ctx.Err()
	})
}

// index checks that the gate's files are as they were written and hold the kept
// signatures, all of them and nothing else.
func (v *verifier) index() error {
	const intact, equal = "the index is as it was written", "the index holds what is kept"
	if v.s.gateOptions.Mode == dedup.ModeOff {
		return nil
	}
	gate, err := v.s.answering()
	var damage *dedup.DamageError
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
	err = v.settled(func(tx *bbolt.Tx) error {
		for _, err := range gate.CheckFiles() {
			find(intact, "%v", err)
		}
		if len(broken) > 0 {
			return nil
		}
		rows := 0
		err := tx.Bucket(bucketSignatures).ForEach(func(k, b []byte) error {
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
		revised := false
		if b := tx.Bucket(bucketRevised); b != nil {
			k, _ := b.Cursor().First()
			revised = k != nil
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

// each walks the entries of a kind. A file of the table that is not sound is a
// breach, and ends the walk.
func (v *verifier) each(kind byte, fn func(key, value []byte) error) error {
	var fault error
	n := 0
	err := v.in.table.Range([]byte{kind}, nil, func(k, b []byte) bool {
		if n++; n%10_000 == 0 && v.ctx.Err() != nil {
			fault = v.ctx.Err()
		} else {
			fault = fn(k, b)
		}
		return fault == nil
	})
	if d, ok := errors.AsType[*runs.DamageError](err); ok {
		return v.breach("the table's files are as they were written", "%v", d)
	}
	return errors.Join(err, fault)
}

// queue adds up the entries of every host.
func (v *verifier) queue() error {
	return v.each(kindQueue, func(k, tail []byte) error {
		v.n.Queued++
		e := v.hosts[frontier.HostKey(hostIn(k))]
		e.n++
		e.sum += entrySum(k, tail)
		v.hosts[frontier.HostKey(hostIn(k))] = e
		return nil
	})
}

// urls checks every address that was ever met.
func (v *verifier) urls() error {
	var queuedURLs int64
	err := v.each(kindURL, func(k, b []byte) error {
		v.n.URLs++
		key := frontier.Key(k[1:])
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
func (v *verifier) oddHost(h frontier.HostKey) error {
	var fault error
	err := v.in.table.Range(queueOf(h), nil, func(k, tail []byte) bool {
		const what = "every entry of the queue is a queued url"
		key := urlOfEntry(k, tail)
		rec, ok, err := v.in.url(key)
		switch {
		case err != nil:
			fault = v.breach(what, "key %s: %v", key, err)
		case !ok:
			fault = v.breach(what, "key %s: no such url", key)
		case rec.state != queued:
			fault = v.breach(what, "%s is %v", rec.url, rec.state)
		case !bytes.Equal(k, queueKey(h, rec.score, rec.order)):
			fault = v.breach(what, "%s stands at another score or order than its record says", rec.url)
		}
		return fault == nil
	})
	if err := errors.Join(err, fault); err != nil {
		return err
	}
	err = v.in.table.Range(append([]byte{kindURL}, h[:]...), nil, func(k, b []byte) bool {
		rec, err := decodeURL(b)
		if err != nil || rec.state != queued {
			return true // the first is a breach already
		}
		_, ok, err := v.in.table.Get(queueKey(h, rec.score, rec.order))
		if fault = err; err == nil && !ok {
			fault = v.breach("every queued url has one entry in the queue", "%s has none", rec.url)
		}
		return fault == nil
	})
	return errors.Join(err, fault)
}

func (v *verifier) url(key frontier.Key, rec *urlRecord) error {
	u, err := frontier.Parse(rec.url)
	if err != nil || u.Key() != key || u.String() != rec.url {
		return v.breach("every url record stands at its key", "key %s: %q", key, rec.url)
	}
	if v.filter != nil && !v.filter.Has(key) {
		return v.breach("the filter knows every url", "%s", rec.url)
	}
	if rec.seq != 0 {
		url, err := urlAt(v.tx, rec.seq)
		if err != nil || url != rec.url {
			return v.breach("every settled url has its page record", "%s: page %d is %q (%v)", rec.url, rec.seq, url, err)
		}
	}
	switch rec.state {
	case queued:
	case later:
		v.later++
		if v.tx.Bucket(bucketLater).Get(laterKey(rec.notTill, key)) == nil {
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
	return v.tx.Bucket(bucketPages).ForEach(func(k, b []byte) error {
		v.n.Pages++
		if n := v.missing(v.next+1, seqOf(k)); n > 0 {
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
		u, err := frontier.Parse(p.URL)
		if err != nil {
			return v.breach("every page record has a canonical url", "page %d: %v", p.Seq, err)
		}
		rec, ok, err := v.in.url(u.Key())
		if err != nil || !ok || !isRecordOf(&p, &rec) {
			return v.breach("every page is the only record of its url", "page %d: %s", p.Seq, p.URL)
		}
		if p.ReplacedBy != 0 && p.Verdict == gatecrawl.VerdictNew {
			if r := v.tx.Bucket(bucketRetired); r == nil || r.Get(k) == nil {
				return v.breach("a page that was replaced gets no more copies", "page %d: %s is not retired", p.Seq, p.URL)
			}
		}
		switch p.Verdict {
		case gatecrawl.VerdictNew:
			v.counts.New++
		case gatecrawl.VerdictCopy:
			v.counts.Copies++
			return v.copyOf(&p, verdict, u.Key())
		case gatecrawl.VerdictRefused:
			v.counts.Refused++
		case gatecrawl.VerdictFailed:
			v.counts.Failed++
		default:
			return v.breach("every page has a verdict", "page %d: %s", p.Seq, p.URL)
		}
		return v.keeper(&p)
	})
}

// isRecordOf reports whether a page is the record of a URL, or a replaced one.
func isRecordOf(p *gatecrawl.Page, rec *urlRecord) bool {
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
func (v *verifier) missing(from, to uint64) uint64 {
	n := to - from
	b := v.tx.Bucket(bucketLost)
	if b == nil || n == 0 {
		return n
	}
	c := b.Cursor()
	for k, _ := c.Seek(seqKey(from)); k != nil && seqOf(k) < to; k, _ = c.Next() {
		n--
	}
	return n
}

// copyOf checks that a copy names a kept page, and votes for it.
func (v *verifier) copyOf(p *gatecrawl.Page, verdict dedup.Verdict, key frontier.Key) error {
	of := uint64(verdict.Of)
	const what = "every copy names a kept page that came before it, or that its group was handed on to"
	if of == 0 || !mayBeOf(p, verdict) {
		return v.breach(what, "page %d: %s is a copy of page %d", p.Seq, p.URL, of)
	}
	if v.tx.Bucket(bucketSignatures).Get(seqKey(of)) == nil {
		return v.breach(what, "page %d: %s is a copy of page %d, which is not kept", p.Seq, p.URL, of)
	}
	if p.ReplacedBy == 0 && v.tx.Bucket(bucketVotes).Get(voteKey(of, key)) == nil {
		return v.breach("every copy is a vote", "page %d: %s did not vote for page %d", p.Seq, p.URL, of)
	}
	return nil
}

// keeper checks that what is kept of a page is all there.
func (v *verifier) keeper(p *gatecrawl.Page) error {
	b := v.tx.Bucket(bucketSignatures).Get(seqKey(p.Seq))
	if b == nil {
		if p.Verdict == gatecrawl.VerdictNew {
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
	if sig.Tokens > 0 && v.tx.Bucket(bucketBodies).Get(seqKey(p.Seq)) == nil {
		return v.breach("every kept page with text has its bytes", "page %d: %s", p.Seq, p.URL)
	}
	return nil
}

// groups checks that what is counted of votes is what the votes say.
func (v *verifier) groups() error {
	votes := v.tx.Bucket(bucketVotes).Cursor()
	k, _ := votes.First()
	groups := v.tx.Bucket(bucketGroups)
	for k != nil {
		of := seqOf(k)
		url, err := urlAt(v.tx, of)
		if err != nil {
			if err := v.breach("every vote is for a page", "%v", err); err != nil {
				return err
			}
		}
		domains, hosts, copies, err := v.in.countOwners(of, url)
		if err != nil {
			if err := v.breach("every vote is of a page", "page %d: %v", of, err); err != nil {
				return err
			}
		}
		v.n.Votes += int64(copies)
		got := decodeGroup(groups.Get(seqKey(of)))
		want := groupRecord{degree: hosts, copies: copies}
		if got.byOwner {
			want = groupRecord{degree: domains, copies: copies, byOwner: true}
		}
		if got != want {
			err := v.breach("a group counts its votes and their domains", "page %d: %s has degree %d of %d copies; its votes say %d of %d",
				of, url, got.degree, got.copies, want.degree, want.copies)
			if err != nil {
				return err
			}
		}
		k, _ = votes.Seek(seqKey(of + 1))
	}
	return nil
}

// hostRecords checks what hosts count of their queue.
func (v *verifier) hostRecords() error {
	err := v.each(kindHost, func(k, b []byte) error {
		h, err := decodeHost(b)
		if err != nil {
			return v.breach("every host record can be read", "%x: %v", k, err)
		}
		if len(k) != len(hostKey(frontier.HostKey{})) {
			return v.breach("every host record stands at its key", "%x: %q", k, h.name)
		}
		key := frontier.HostKey(k[1:])
		n := v.hosts[key].n
		delete(v.hosts, key)
		if n != h.queued {
			return v.breach("a host counts its queue", "%s counts %d entries and has %d", h.name, h.queued, n)
		}
		if key != frontier.HostKeyOf(h.name) {
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
	var state jobState
	if err := unmarshalState(v.tx, &state); err != nil {
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
