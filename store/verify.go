package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/seen"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/linkgraph"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify/template"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
	"gatecrawl.example/gatecrawl/warc/segment"
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
	counts page.Totals // as found, to compare with those kept
}

// Verify is gatecrawl.Inspector's. It reads everything in one snapshot: the
// file of a running crawl grows by what is changed in the meantime. While the
// pages of the tables and the gate's files are read, some seconds a gigabyte, a
// running crawl can't commit.
func (s *Store) Verify(ctx context.Context, fn func(gatecrawl.Breach) error) (gatecrawl.Verified, error) {
	v := verifier{
		s: s, ctx: ctx, fn: fn,
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
			v.segments, v.requisites, v.queue, v.pages, v.groups, v.links, v.hints, v.learners, v.parts, v.ruleCounts, v.mirrorCounts, v.totals,
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

// tell is breach for the checks of packages.
func (v *verifier) tell(what string, err error) error { return v.breach(what, "%v", err) }

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

// segments checks that the bytes of every page are where the job says, and as they were
// written.
func (v *verifier) segments() error {
	state, err := v.in.state()
	if err != nil {
		return v.breach("the totals can be read", "%v", err)
	}
	for e, err := range kv.Prefix(v.in, tableMeta, keyDict) {
		if err != nil {
			return err
		}
		if _, _, ok := dictIn(e); ok {
			continue
		}
		if err := v.breach("every dictionary of segments is as it was written", "%x is altered", e.Key[len(keyDict):]); err != nil {
			return err
		}
	}
	return v.s.checkSegments(v.in, state.Segments, func(seq uint64, d *segment.DamageError) error {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		return v.breach(asWritten, "page %d: its bytes: %v", seq, d)
	}, func(d *segment.DamageError) error {
		return v.breach("every segment is as it was written", "%v", d)
	})
}

// requisites checks the files that pages need.
func (v *verifier) requisites() error { return v.s.checkRequisites(v.in, v.breach) }

const asWritten = "every value of a page is as it was written"

// openFilter opens the filter of a job that is only read. One that is not intact
// is filled anew when the job is opened to be written, so it is not looked at.
func (v *verifier) openFilter() (*seen.Filter, error) {
	v.filter = v.s.queue.Filter()
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
var keyLengths = joined(template.KeyLengths(), group.KeyLengths(), mirror.KeyLengths(), linkgraph.KeyLengths(), map[*kv.Table]int{
	queue.TableLater: 24, queue.TableCash: 8, tablePages: 8, tableSignatures: 8, tableViews: 8, tableBodies: 8,
	tableOutlinks: 8, tableLost: 8,
	tableRevised: 8,
})

func joined(parts ...map[*kv.Table]int) map[*kv.Table]int {
	all := make(map[*kv.Table]int)
	for _, p := range parts {
		maps.Copy(all, p)
	}
	return all
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

// queue checks the queue, and that every URL has the page that it names.
func (v *verifier) queue() error {
	c := queue.Check{In: v.in, Filter: v.filter, Breach: v.breach, URL: func(_ weburl.Key, rec *queue.Record) error {
		if rec.Page == 0 {
			return nil
		}
		url, err := v.in.urlOf(rec.Page)
		if err != nil || url != rec.URL {
			return v.breach("every settled url has its page record", "%s: page %d is %q (%v)", rec.URL, rec.Page, url, err)
		}
		return nil
	}}
	err := c.Run(v.ctx)
	v.n.URLs, v.n.Queued, v.later = c.URLs, c.Queued, c.Later
	return err
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
		if err := group.CheckPage(v.in, &p, verdict, u.Key(), v.tell); err != nil {
			return err
		}
		switch p.Verdict {
		case page.VerdictNew:
			v.counts.New++
		case page.VerdictCopy:
			v.counts.Copies++
			return nil
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
func isRecordOf(p *page.Record, rec *queue.Record) bool {
	if rec.State == queue.Refused {
		return false
	}
	if p.ReplacedBy == 0 {
		return rec.Page == p.Seq
	}
	return p.Seq < p.ReplacedBy && p.ReplacedBy <= rec.Page
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

// groups checks votes, and counts them.
func (v *verifier) groups() (err error) {
	if v.n.Votes, err = kv.Count(kv.All(v.in, group.TableVotes)); err != nil {
		return err
	}
	return v.s.groups.Check(v.in, v.tell)
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
