package integrity

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/dedup/parts"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/queue/check"
	"gatecrawl.example/gatecrawl/frontier/seen"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/mirror/twins"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/archive"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
	"gatecrawl.example/gatecrawl/store/revisit"
	"gatecrawl.example/gatecrawl/warc/segment"
)

// A verifier reads one snapshot of a job and reports every invariant that does not hold.
type verifier struct {
	job Job
	in  job.Snapshot
	ctx context.Context
	fn  func(gatecrawl.Breach) error

	filter *seen.Filter // nil: not checked
	next   uint64       // the next page to check

	n      gatecrawl.Verified
	later  int64
	counts page.Totals // as found, to compare with the stored ones
}

// Check calls fn with every inconsistency of a job. It reads everything in one snapshot, so that
// meanwhile the file of a running crawl grows by whatever changes. While the pages of the tables
// and the files of the gate are read, which takes a few seconds a gigabyte, a running crawl can't
// commit.
func Check(ctx context.Context, j Job, fn func(gatecrawl.Breach) error) (gatecrawl.Verified, error) {
	v := verifier{
		job: j, ctx: ctx, fn: fn,
	}
	sound, err := v.stored()
	if err != nil || !sound {
		return v.n, err // if stored bytes are damaged the other checks say nothing
	}
	filter, err := v.openFilter()
	if err != nil {
		return v.n, err
	}
	err = j.look(func(in job.Snapshot) error {
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
	if err == nil && v.n.Breaches == 0 { // otherwise the kept signatures are in doubt
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

// tell is breach, for checks of other packages.
func (v *verifier) tell(what string, err error) error { return v.breach(what, "%v", err) }

// stored checks that all stored bytes are undamaged. It reports whether the other checks can be
// relied on.
func (v *verifier) stored() (sound bool, err error) {
	sound = true
	err = v.job.Tables.Check(v.ctx, func(err error) error {
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
		return v.breach(asWritten, "page %d: its value in %s is altered", page.Seq(d.Key), d.Table.Name)
	})
	return sound, err
}

// segments checks that the bytes of every page are where the job says, and undamaged.
func (v *verifier) segments() error {
	state, err := v.in.State()
	if err != nil {
		return v.breach("the totals can be read", "%v", err)
	}
	err = kv.Each(v.in, job.TableMeta, func(k, b []byte) error {
		if id, bad := archive.BadDict(k, b); bad {
			return v.breach("every dictionary of segments is as it was written", "%x is altered", id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return v.job.Archive.Check(v.in, state.Segments, func(seq uint64, d *segment.DamageError) error {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		return v.breach(asWritten, "page %d: its bytes: %v", seq, d)
	}, func(d *segment.DamageError) error {
		return v.breach("every segment is as it was written", "%v", d)
	})
}

// requisites checks the files of requisites.
func (v *verifier) requisites() error { return v.job.Requisites.Check(v.in, v.tell) }

const asWritten = "every value of a page is as it was written"

// openFilter opens the filter of a job that is opened for reading. A filter that is not intact is
// not checked: it is filled again when the job is opened for writing.
func (v *verifier) openFilter() (*seen.Filter, error) {
	v.filter = v.job.Queue.Filter()
	if !v.job.ReadOnly {
		return nil, nil
	}
	f, intact, err := seen.ReadFilter(filepath.Join(v.job.Dir, job.FileFilter))
	if err != nil || !intact {
		return f, err
	}
	v.filter = f
	return f, nil
}

// keys checks that all keys have the length that the other checks assume.
func (v *verifier) keys() error {
	for t, n := range keyLengths {
		err := kv.Each(v.in, t, func(k, _ []byte) error {
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

// index checks that the files of the gate are undamaged and have exactly the kept signatures.
func (v *verifier) index() error {
	const intact, equal = "the index is as it was written", "the index holds what is kept"
	if v.job.Gate == nil { // the gate of the whole job has the index
		return nil
	}
	gate, err := v.job.Gate()
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
	err = v.job.Settled(func(in job.Snapshot) error {
		for _, err := range gate.CheckFiles() {
			find(intact, "%v", err)
		}
		if len(broken) > 0 {
			return nil
		}
		rows := 0
		err := kv.Each(in, page.TableSignatures, func(k, b []byte) error {
			sig, err := page.DecodeSignature(b)
			if err != nil {
				return nil // kept has reported it
			}
			rows += gate.RowsOf(sig)
			if lack := gate.Holds(dedup.DocID(page.Seq(k)), sig); lack != nil {
				find(equal, "page %d: %v", page.Seq(k), lack)
			}
			return v.ctx.Err()
		})
		// A revised page also has its earlier rows.
		_, revised, first := kv.First(kv.All(in, job.TableRevised))
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

// queue checks the queue, and that each URL has the page that its record names.
func (v *verifier) queue() error {
	c := check.Queue{In: v.in, Filter: v.filter, Breach: v.breach, URL: func(_ weburl.Key, rec *queue.Record) error {
		if rec.Page == 0 {
			return nil
		}
		url, err := v.in.URLOf(rec.Page)
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
	return kv.Each(v.in, page.TableRecords, func(k, b []byte) error {
		v.n.Pages++
		n, err := v.missing(v.next+1, page.Seq(k))
		if err != nil {
			return err
		}
		if n > 0 && !v.job.Partition { // the numbers between belong to other partitions
			if err := v.breach("pages are numbered without a gap", "before page %d, %d are not there", page.Seq(k), n); err != nil {
				return err
			}
		}
		v.next = page.Seq(k)
		p, verdict, err := page.DecodeRecord(b)
		if err != nil {
			return v.breach("every page record can be read", "page %d: %v", page.Seq(k), err)
		}
		p.Seq = page.Seq(k)
		u, err := weburl.Parse(p.URL)
		if err != nil {
			return v.breach("every page record has a canonical url", "page %d: %v", p.Seq, err)
		}
		rec, ok, err := v.in.URL(u.Key())
		if err != nil || !ok || !isRecordOf(&p, &rec) {
			return v.breach("every page is the only record of its url", "page %d: %s", p.Seq, p.URL)
		}
		if err := group.CheckPage(v.in, &p, verdict, u.Key(), v.tell); err != nil {
			return err
		}
		if p.ReplacedBy != 0 {
			v.counts.Older++
			if p.Verdict == page.VerdictCopy {
				return nil
			}
			return v.kept(&p)
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
		return v.kept(&p)
	})
}

// isRecordOf reports whether a page is the current record of a URL, or a replaced one.
func isRecordOf(p *page.Record, rec *queue.Record) bool {
	if rec.State == queue.Refused {
		return false
	}
	if p.ReplacedBy == 0 {
		return rec.Page == p.Seq
	}
	return p.Seq < p.ReplacedBy && p.ReplacedBy <= rec.Page
}

// missing returns how many pages are missing, from one number to before another, that no repair has
// removed.
func (v *verifier) missing(from, to uint64) (uint64, error) {
	if from == to {
		return 0, nil
	}
	lost, err := kv.Count(v.in.Scan(job.TableLost, page.Key(from), page.Key(to)))
	return to - from - uint64(lost), err
}

// kept checks that everything that must be stored of a page exists.
func (v *verifier) kept(p *page.Record) error {
	faults, kept, err := v.job.keptFaults(v.in, p)
	if err != nil {
		return err
	}
	if kept {
		v.n.Kept++
	}
	for _, f := range faults {
		if err := v.breach(f.invariant, "page %d: %s", p.Seq, f.detail); err != nil {
			return err
		}
	}
	return nil
}

// groups checks the votes, and counts them.
func (v *verifier) groups() (err error) {
	if v.n.Votes, err = kv.Count(kv.All(v.in, group.TableVotes)); err != nil {
		return err
	}
	return v.job.Groups.Check(v.in, v.tell)
}

// totals compares the stored counts with those that were found.
func (v *verifier) totals() error {
	state, err := v.in.State()
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
		{"older", t.Older, v.counts.Older},
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

// learners checks the rows of mirrors and URL rules.
func (v *verifier) learners() error {
	for _, l := range v.job.Learners {
		err := l.Check(v.in, v.tell)
		if err != nil {
			return err
		}
	}
	return nil
}

// ruleCounts checks the counts of what URL rules left out, unless another check has found a fault,
// which may be the cause.
func (v *verifier) ruleCounts() error {
	if v.n.Breaches > 0 {
		return nil
	}
	found, err := dust.CountLeftOut(v.in)
	if err != nil {
		return err
	}
	state, err := v.in.State()
	if err != nil {
		return v.breach("the totals can be read", "%v", err)
	}
	var n, kinds int64
	for _, c := range found {
		n += c
	}
	for _, c := range state.Totals.Avoided {
		kinds += c
	}
	if n != state.Totals.Rules[dust.RefusalRule] || n != kinds {
		return v.breach("the totals count what rules left out", "%d urls were left out; the totals count %d, by kind %d",
			n, state.Totals.Rules[dust.RefusalRule], kinds)
	}
	return nil
}

// mirrorCounts checks the counts of deferred URLs, unless another check has found a fault.
func (v *verifier) mirrorCounts() error {
	if v.n.Breaches > 0 {
		return nil
	}
	deferred, found, err := twins.Count(v.in)
	if err != nil {
		return err
	}
	state, err := v.in.State()
	if err != nil {
		return err
	}
	if n := state.Totals.Rules[mirror.RefusalRule]; deferred != n {
		return v.breach("the totals count what was deferred", "%d urls are deferred, and %d are counted", deferred, n)
	}
	if n := state.Totals.Mirrors["found"]; found != n {
		return v.breach("the totals count the mirrors", "%d are found, and %d are counted", found, n)
	}
	return nil
}

// hints checks the hints of re-crawls.
func (v *verifier) hints() error {
	return revisit.Check(v.in, func(what string, err error) error { return v.breach(what, "%v", err) })
}

// parts checks the samples of texts.
func (v *verifier) parts() error { return parts.Check(v.in, v.tell) }

// links checks the link graph.
func (v *verifier) links() error {
	return v.job.Links.Check(v.ctx, v.in, v.job.Linked, v.tell)
}
