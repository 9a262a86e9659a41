package integrity

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/queue/check"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/archive"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
	"gatecrawl.example/gatecrawl/store/revisit"
	"gatecrawl.example/gatecrawl/warc/segment"
)

// Repaired is the outcome of a repair.
type Repaired struct {
	Documents int64 // kept pages after the repair
	URLs      int64 // URLs that the job knows after the repair

	// Lost is how many kept pages were removed or lost. Their URLs are queued again if they are
	// known.
	Lost int64

	// Uncertain says that the job's last counts are lost too. Then Lost is only a lower bound, and
	// may include pages that were copies or errors.
	Uncertain bool
}

// Repair makes the rest of a damaged job consistent, and calls fn for what it does. No process may
// have the job open, and its queue must not be loaded yet. stored says how its tables were
// repaired. When Repair returns, index and filter do not exist: they are filled when the job is
// opened.
func Repair(ctx context.Context, j Job, stored disk.Repaired, fn func(gatecrawl.Breach) error) (done Repaired, err error) {
	before := j.State.Totals
	r := &repair{
		job: j, ctx: ctx, fn: fn, torn: stored.Scattered, seen: before.Seen,
		gone: make(map[uint64]string), altered: make(map[uint64][]*kv.DamageError),
	}
	for _, step := range []func() error{
		r.derivedFiles, // these are filled again when the job is opened
		r.values,       // finds altered values of pages
		r.keys,         // removes rows whose key has a wrong length, before anything reads such keys
		r.numbers,      // removes rows of numbers that no page ever had
		r.hosts,        // removes host records that cannot be read; counts rebuilds them
		r.loadQueue,    // the following steps change the queue, and host records can be read now
		r.urls,         // puts URL records at their keys, for the steps that look up a URL
		r.pages,        // removes pages of which something is altered or missing
		r.relink,       // lost URLs to which views have links, if pages has found no record of them
		r.sites,        // templates, without the pages that were removed
		r.votes,        // votes and groups, by the copies that are left
		r.links,        // the link graph, from the views that are left
		r.requisites,   // files of requisites with damaged rows
		r.roots,        // the scope's roots, from the seeds
		r.counts,       // counts of hosts and totals, after all steps that change them
		r.reportURLs,   // reports what is lost, by these counts
	} {
		if err := step(); err != nil {
			return done, err
		}
	}
	var state job.State
	err = j.look(func(in job.Snapshot) (err error) {
		state, err = in.State()
		return err
	})
	if err != nil {
		return done, err
	}
	done = Repaired{Documents: state.Totals.New, URLs: state.Totals.Seen, Lost: max(0, before.New-state.Totals.New)}
	if !stored.Whole(job.TableMeta) || j.Unread {
		done.Uncertain, done.Lost = true, max(done.Lost, r.pageless)
	}
	return done, nil
}

// A repair works on one job, in transactions of at most repairChunk changes.
type repair struct {
	job  Job
	ctx  context.Context
	fn   func(gatecrawl.Breach) error
	gone map[uint64]string // pages that this pass removes from the job, and why

	altered map[uint64][]*kv.DamageError // damaged values of pages

	removed  int   // pages that were removed
	torn     bool  // URL records are lost
	seen     int64 // number of URLs before the repair; 0: not known
	relinked int64 // URLs that were found again in the views of pages
	pageless int64 // URLs that had a page and have none now
}

// repairChunk is how many keys one transaction of a repair changes.
const repairChunk = 5000

func (r *repair) tell(what, format string, args ...any) error {
	return r.fn(gatecrawl.Breach{Invariant: what, Detail: fmt.Sprintf(format, args...)})
}

// update runs one transaction.
func (r *repair) update(fn func(*txn) error) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	return r.job.Tables.Update(r.ctx, func(tx kv.Tx) error { return fn(r.txnOf(tx)) })
}

// inChunks is kv.Rewrite, in transactions of repairChunk changes.
func (r *repair) inChunks(table *kv.Table, wanted func(in job.Snapshot, k, v []byte) (bool, error), change func(t *txn, k, v []byte) error) error {
	return kv.Rewrite(r.ctx, r.job.Tables, table,
		func(in kv.Reader, k, v []byte) (bool, error) { return wanted(job.Snapshot{Reader: in}, k, v) },
		func(tx kv.Tx, k, v []byte) error { return change(r.txnOf(tx), k, v) })
}

// forget is kv.Forget.
func (r *repair) forget(table *kv.Table, wrong func(in job.Snapshot, k, v []byte) (bool, error)) error {
	return r.inChunks(table, wrong, func(t *txn, k, _ []byte) error { t.tx.Delete(table, k); return nil })
}

// maxPasses bounds how often pages are judged: two passes are usual, the last of which removes none.
const maxPasses = 10

// pages removes the pages that cannot stay, and makes the records of pages and URLs agree. It repeats
// that until no page has to be removed: a removed page may be what others are copies of, and a group
// that was handed on has copies with smaller numbers than its kept page.
func (r *repair) pages() error {
	for pass := range maxPasses {
		if err := r.judge(); err != nil || pass > 0 && len(r.gone) == 0 {
			return err
		}
		for _, step := range []func() error{
			r.takeAway,        // removes the pages that judge has found, and queues their URLs
			r.sums,            // recomputes the checksums of altered values of pages that stay
			r.restoreReplaced, // an older page becomes its URL's page again if the newer one was removed
			r.replaced,        // which page replaced which, by the records that are left
			r.learned,         // what rules and mirrors left out, by the records that are left
			r.parts,           // samples of the pages that are left
			r.states,          // the state of each URL, by its page and the queue, and the URL of each page
		} {
			if err := step(); err != nil {
				return err
			}
		}
		r.removed += len(r.gone)
		clear(r.gone)
	}
	return nil
}

// loadQueue loads the hosts into memory.
func (r *repair) loadQueue() error {
	n := r.job.State.Totals
	return r.job.Queue.Load(r.job.Tables, n.Hosts, n.Later, true)
}

// requisites removes damaged rows of the files of requisites.
func (r *repair) requisites() error {
	return r.job.Requisites.Repair(r.ctx, r.job.Tables, r.job.QueueOf, r.tell)
}

// A txn is a transaction of a repair.
type txn struct {
	tx    kv.Tx
	queue *queue.Tx
}

func (r *repair) txnOf(tx kv.Tx) *txn { return &txn{tx, r.job.QueueOf(tx)} }

// in returns the job as the transaction sees it.
func (t *txn) in() job.Snapshot { return job.Snapshot{Reader: t.tx} }

// values finds the damaged values of pages.
func (r *repair) values() error {
	err := r.job.Tables.Check(r.ctx, func(err error) error {
		d, ok := errors.AsType[*kv.DamageError](err)
		if !ok || d.Key == nil {
			return err // the tables were repaired before
		}
		if len(d.Key) == 8 {
			r.altered[page.Seq(d.Key)] = append(r.altered[page.Seq(d.Key)], d)
			return nil
		}
		return r.update(func(t *txn) error { return t.sumAgain(d.Key) })
	})
	if err != nil {
		return err
	}
	return r.segments()
}

// segments finds the pages whose bytes are damaged, and restores dictionaries.
func (r *repair) segments() error {
	altered := func(_ job.Snapshot, k, v []byte) (bool, error) {
		_, bad := archive.BadDict(k, v)
		return bad, nil
	}
	if err := r.forget(job.TableMeta, altered); err != nil { // the segments have a copy of it
		return err
	}
	var dicts []*segment.DamageError
	err := r.job.look(func(in job.Snapshot) error {
		return r.job.Archive.Check(in, r.job.State.Segments, func(seq uint64, d *segment.DamageError) error {
			r.altered[seq] = append(r.altered[seq], &kv.DamageError{Table: page.TableBodies, Key: page.Key(seq), Lost: d.Lost, Err: d})
			return r.ctx.Err()
		}, func(d *segment.DamageError) error {
			if d.Dict != 0 {
				dicts = append(dicts, d)
				return nil
			}
			return r.tell("a segment", "%v: what it lacks is fetched again", d)
		})
	})
	if err != nil {
		return err
	}
	for _, d := range dicts {
		if err := r.job.Archive.Restore(d.Segment, d.Dict); err != nil {
			return err
		}
		if err := r.tell("a segment", "%s: its dictionary was altered, and is written again", d.File); err != nil {
			return err
		}
	}
	return nil
}

// numbers removes the rows of page numbers that no page ever had: those above the last page that
// the record of its URL names.
func (r *repair) numbers() error {
	top, given := uint64(0), uint64(0)
	err := r.job.look(func(in job.Snapshot) error {
		given, _ = job.LastPage.Get(in) // if it cannot be read it is counted again
		return kv.Each(in, queue.TableURLs, func(_, v []byte) error {
			rec, err := queue.Decode(v)
			if err != nil {
				return nil
			}
			there, err := kv.Has(in, page.TableRecords, page.Key(rec.Page))
			if there {
				top = max(top, rec.Page)
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	const tail = 1000 // pages that may have been lost after the last one
	if given < top || given > top+tail {
		given = top
	}
	beyond := func(_ job.Snapshot, k, _ []byte) (bool, error) {
		return len(k) != 8 || page.Seq(k) == 0 || page.Seq(k) > given, nil
	}
	for _, t := range append(slices.Clone(page.Tables()), group.TableGroups, job.TableLost, job.TableRevised) {
		if err := r.forget(t, beyond); err != nil {
			return err
		}
	}
	return r.update(func(t *txn) error { job.LastPage.Set(t.tx, given); return nil })
}

// derivedFiles deletes the files that are rebuilt when the job is opened.
func (r *repair) derivedFiles() error {
	if err := index.DropIndex(filepath.Join(r.job.Dir, job.DirIndex)); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(r.job.Dir, job.FileFilter)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return r.tell("the index and the filter", "are rebuilt")
}

// keys removes rows whose keys have a wrong length.
func (r *repair) keys() error {
	for t, n := range keyLengths {
		wrong := func(_ job.Snapshot, k, _ []byte) (bool, error) { return len(k) != n, nil }
		if err := r.forget(t, wrong); err != nil {
			return err
		}
	}
	return nil
}

// hosts removes host records that cannot be read; counts rebuilds them.
func (r *repair) hosts() error {
	bad := func(_ job.Snapshot, k, v []byte) (bool, error) { return check.BadHost(k, v), nil }
	return r.forget(queue.TableHosts, bad)
}

// urls repairs URL records that cannot be read or have a wrong key. The key is a hash of the URL,
// so if the URL in a record matches its key it is the right one.
func (r *repair) urls() error {
	bad := func(_ job.Snapshot, k, v []byte) (bool, error) { return check.BadURL(k, v), nil }
	return r.inChunks(queue.TableURLs, bad, func(t *txn, key, v []byte) error {
		t.tx.Delete(queue.TableURLs, key)
		if rec, err := queue.Decode(v); err == nil {
			if u, err := weburl.Parse(rec.URL); err == nil && ofAnAlteredKey(rec.Key(u), key) {
				at := rec.Key(u)
				if old, err := t.queue.Get(at); err != nil || old == nil || bytes.Equal(key, at[:]) {
					rec.URL = u.String()
					t.queue.Put(at, &rec)
				}
				return nil
			}
		}
		u, ok := check.FindURL(key, v)
		if !ok {
			return r.tell("a url record", "%x: altered, and gone: its URL is found again where a page links to it", key)
		}
		t.queue.Enqueue(u.Key(), &queue.Record{URL: u.String(), Order: t.queue.NextOrder()})
		return r.tell("a url record", "%s: altered, and rebuilt", u)
	})
}

// ofAnAlteredKey reports whether key may be the right key of a record, at, with some bits altered.
// If it is the record's URL that was altered instead, its hash is unrelated to key: half of the
// bits differ. Such a URL must not be visited, since nobody has linked to it and it may even be on
// another host.
func ofAnAlteredKey(at weburl.Key, key []byte) bool {
	const most = 16 // of 128 bits
	if len(key) != len(at) {
		return false
	}
	differ := 0
	for i := range key {
		differ += bits.OnesCount8(at[i] ^ key[i])
	}
	return differ <= most
}

// judge decides which pages have to be removed.
func (r *repair) judge() error {
	return r.job.look(func(in job.Snapshot) error {
		given, err := job.LastPage.Get(in)
		if err != nil {
			return err
		}
		next := uint64(0)
		err = kv.Each(in, page.TableRecords, func(k, v []byte) error {
			seq := page.Seq(k)
			for next++; next < seq; next++ {
				if err := r.missing(in, next); err != nil {
					return err
				}
			}
			why, err := r.fault(in, seq, v)
			if why != "" {
				r.gone[seq] = why
			}
			return errors.Join(err, r.ctx.Err())
		})
		for next++; err == nil && next <= given; next++ {
			err = r.missing(in, next)
		}
		return err
	})
}

func (r *repair) missing(in job.Snapshot, seq uint64) error {
	lost, err := kv.Has(in, job.TableLost, page.Key(seq))
	if err == nil && !lost {
		r.gone[seq] = "its record is not there"
	}
	return err
}

// fault says why a page has to be removed; "": it need not be. A copy has to be judged after the
// page that it is a copy of.
func (r *repair) fault(in job.Snapshot, seq uint64, record []byte) (string, error) {
	for _, d := range r.altered[seq] {
		switch {
		case d.Table == nil, d.Table == page.TableOutlinks: // without checksums the values themselves are checked
		case errors.As(d.Err, new(*segment.DamageError)):
			return d.Err.Error(), nil
		case d.Lost:
			return "its value in " + d.Table.Name + " is lost", nil
		default:
			return "its value in " + d.Table.Name + " is altered", nil
		}
	}
	p, verdict, err := page.DecodeRecord(record)
	if err != nil {
		return err.Error(), nil
	}
	p.Seq = seq
	u, err := weburl.Parse(p.URL)
	if err != nil {
		return err.Error(), nil
	}
	if rec, ok, err := in.URL(u.Key()); err == nil && ok && rec.Page != 0 && !isRecordOf(&p, &rec) {
		return fmt.Sprintf("its URL has page %d", rec.Page), nil
	}
	if why := r.leadsNowhere(in, &p); why != "" {
		return why, nil
	}
	if !verdict.Copy() {
		faults, _, err := r.job.keptFaults(in, &p)
		if err != nil || len(faults) == 0 {
			return "", err
		}
		return faults[0].why, nil
	}
	of := uint64(verdict.Of)
	if why, gone := r.gone[of]; gone {
		return fmt.Sprintf("a copy of page %d, of which %s", of, why), nil
	}
	kept, err := kv.Has(in, page.TableSignatures, page.Key(of))
	if err == nil && (!kept || !group.MayBeOf(&p, verdict)) {
		return fmt.Sprintf("page %d, of which it is a copy, is not kept", of), nil
	}
	return "", err
}

// takeAway removes pages, and remembers that their numbers were used.
func (r *repair) takeAway() error {
	seqs := make([]uint64, 0, len(r.gone))
	for seq := range r.gone {
		seqs = append(seqs, seq)
	}
	slices.Sort(seqs)
	told := 0
	for part := range slices.Chunk(seqs, repairChunk) {
		err := r.update(func(t *txn) error {
			for _, seq := range part {
				if told++; told <= maxTold {
					if err := r.tell("a page", "page %d: %s: its URL is queued again, if it is known", seq, r.gone[seq]); err != nil {
						return err
					}
				}
				k := page.Key(seq)
				if err := r.readdress(t, k); err != nil {
					return err
				}
				for _, table := range append(slices.Clone(page.Tables()), group.TableGroups, job.TableRevised) {
					t.tx.Delete(table, k)
				}
				t.tx.Put(job.TableLost, k, []byte(r.gone[seq]))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if told > maxTold {
		return r.tell("the pages", "so it is with %d more", told-maxTold)
	}
	return nil
}

// readdress queues the URL of a removed page if only the page's record has it. The URL in an
// altered record may be that of another site.
func (r *repair) readdress(t *txn, seq []byte) error {
	altered := func(d *kv.DamageError) bool { return d.Table == page.TableRecords }
	if slices.ContainsFunc(r.altered[page.Seq(seq)], altered) {
		return nil
	}
	p, _, err := t.in().Page(page.Seq(seq))
	if err != nil {
		return nil // its URL is not known
	}
	u, err := weburl.Parse(p.URL)
	if err != nil {
		return nil
	}
	if rec, err := t.queue.Get(u.Key()); err != nil || rec != nil {
		return err
	}
	rec := queue.Record{URL: u.String(), Order: t.queue.NextOrder(), Label: p.Label}
	rec.Signals.Depth = uint16(p.Depth)
	rec.Score = r.job.Priority.Score(rec.Signals)
	t.queue.Enqueue(u.Key(), &rec)
	r.pageless++
	return nil
}

// maxTold bounds how many removed pages a repair names.
const maxTold = 20

// roots derives the scope's roots from the seeds if the job has none any more: without roots every
// link would be refused.
func (r *repair) roots() error {
	has := false
	err := r.job.look(func(in job.Snapshot) (err error) {
		_, has, err = kv.First(job.Roots.All(in))
		return err
	})
	if err != nil || has {
		return err
	}
	n := 0
	isSeed := func(_ job.Snapshot, _, v []byte) (bool, error) {
		rec, err := queue.Decode(v)
		return err == nil && rec.From.IsZero() && rec.Signals.Depth == 0, err
	}
	err = r.inChunks(queue.TableURLs, isSeed, func(t *txn, _, v []byte) error {
		rec, err := queue.Decode(v)
		if err != nil {
			return err
		}
		n++
		return job.Roots.Put(t.tx, []byte(rec.URL), job.Present)
	})
	if err != nil || n == 0 {
		return err
	}
	return r.tell("the roots of the scope", "are lost, and taken from the %d URLs that no page leads to", n)
}

// restoreReplaced makes a replaced page the page of its URL again if the page that had replaced it
// was removed.
func (r *repair) restoreReplaced() error {
	again := func(in job.Snapshot, k, v []byte) (bool, error) {
		p, _, err := page.DecodeRecord(v)
		if err != nil || p.ReplacedBy == 0 || r.gone[p.ReplacedBy] == "" {
			return false, nil
		}
		rec, err := urlRecordOf(in, &p)
		return err == nil && rec.Page == p.ReplacedBy, nil
	}
	return r.inChunks(page.TableRecords, again, func(t *txn, k, v []byte) error {
		p, verdict, err := page.DecodeRecord(v)
		if err != nil {
			return err
		}
		rec, err := urlRecordOf(t.in(), &p)
		if err != nil {
			return err
		}
		p.ReplacedBy, rec.Page = 0, page.Seq(k)
		group.Unretire(t.tx, page.Seq(k))
		page.Put(t.tx, page.Seq(k), &p, verdict)
		return r.putAt(t, &rec)
	})
}

// urlRecordOf returns the record of a page's URL; an empty one if it has none.
func urlRecordOf(in job.Snapshot, p *page.Record) (queue.Record, error) {
	u, err := weburl.Parse(p.URL)
	if err != nil {
		return queue.Record{}, err
	}
	rec, _, err := in.URL(u.Key())
	return rec, err
}

// putAt stores a record at the key of its URL.
func (r *repair) putAt(t *txn, rec *queue.Record) error {
	u, err := weburl.Parse(rec.URL)
	if err == nil {
		t.queue.Put(u.Key(), rec)
	}
	return err
}

// sums deletes altered lists of outlinks, which only raise scores, and recomputes the checksums of
// other altered values.
func (r *repair) sums() error {
	for part := range slices.Chunk(slices.Sorted(maps.Keys(r.altered)), repairChunk) {
		err := r.update(func(t *txn) error {
			for _, seq := range part {
				for _, d := range r.altered[seq] {
					if d.Table == page.TableOutlinks {
						t.tx.Delete(page.TableOutlinks, d.Key)
					}
				}
				if err := t.sumAgain(page.Key(seq)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sumAgain recomputes the checksums of a page's values.
func (t *txn) sumAgain(key []byte) error {
	for _, table := range page.Tables() {
		v, err := t.tx.Get(table, key)
		switch {
		case err != nil:
			return err
		case v == nil:
			t.tx.Delete(table, key)
		default:
			t.tx.Put(table, key, v)
		}
	}
	return nil
}

// states sets the state of every URL to what its page, the queue and the table of later URLs say,
// and gives every page its URL.
func (r *repair) states() error {
	stray := func(in job.Snapshot, k, v []byte) (bool, error) { return check.StrayEntry(in, k, v), nil }
	if err := r.forget(queue.TableEntries, stray); err != nil {
		return err
	}
	unread := func(_ job.Snapshot, k, v []byte) (bool, error) { return queue.BadPayments(k, v), nil }
	if err := r.forget(queue.TableCash, unread); err != nil { // cash only raises scores
		return err
	}
	unread = func(_ job.Snapshot, _, v []byte) (bool, error) { return queue.BadOutcome(v), nil }
	if err := r.forget(queue.TableOutcomes, unread); err != nil { // they are counted anew
		return err
	}
	early := func(in job.Snapshot, k, _ []byte) (bool, error) { return check.StrayLater(in, k), nil }
	if err := r.forget(queue.TableLater, early); err != nil {
		return err
	}
	homeless := func(in job.Snapshot, k, v []byte) (bool, error) {
		p, _, err := page.DecodeRecord(v)
		if err != nil {
			return false, nil
		}
		p.Seq = page.Seq(k)
		rec, err := urlRecordOf(in, &p)
		return err != nil || rec.URL == "" || !isRecordOf(&p, &rec), nil
	}
	if err := r.inChunks(page.TableRecords, homeless, r.rebuildURL); err != nil {
		return err
	}
	adrift := func(in job.Snapshot, k, v []byte) (bool, error) {
		rec, err := queue.Decode(v)
		if err != nil {
			return false, err
		}
		if pageless(in, &rec) {
			return true, nil
		}
		return check.Misplaced(in, weburl.Key(k), &rec)
	}
	return r.inChunks(queue.TableURLs, adrift, func(t *txn, key, _ []byte) error {
		k := weburl.Key(key)
		rec, err := t.queue.Get(k)
		if err != nil || rec == nil {
			return err
		}
		if pageless(t.in(), rec) {
			rec.Page = 0
			r.pageless++
		}
		if rec.State == queue.Later {
			t.queue.Wait(k, rec, time.Unix(0, rec.NotBefore))
			return nil
		}
		rec.Attempt = 0
		t.queue.Enqueue(k, rec)
		return nil
	})
}

// rebuildURL rebuilds the URL record of a page.
func (r *repair) rebuildURL(t *txn, seq, record []byte) error {
	p, _, err := page.DecodeRecord(record)
	if err != nil {
		return err
	}
	u, err := weburl.Parse(p.URL)
	if err != nil {
		return err
	}
	k := u.Key()
	rec, err := t.queue.Get(k)
	if err != nil {
		return err
	}
	if rec == nil {
		rec = &queue.Record{URL: p.URL, Score: p.Score, Order: t.queue.NextOrder()}
		rec.Signals.Depth = uint16(p.Depth)
	}
	if rec.State == queue.Queued && rec.Page == 0 {
		t.tx.Delete(queue.TableEntries, queue.EntryKey(k.Host(), rec.Score, rec.Order))
	}
	rec.State, rec.Page, rec.NotBefore = queue.Done, page.Seq(seq), 0
	t.queue.Put(k, rec)
	return nil
}

// pageless reports whether the page that a URL record names does not exist, or belongs to another
// URL.
func pageless(in job.Snapshot, rec *queue.Record) bool {
	if rec.Page == 0 {
		return false
	}
	url, err := in.URLOf(rec.Page)
	return err != nil || url != rec.URL
}

// sites deletes the template of a host if pages from which it was learned were removed: it is
// learned again.
func (r *repair) sites() error { return r.job.Templates.Repair(r.ctx) }

// replaced calls group.Groups.RepairPages.
func (r *repair) replaced() error { return r.job.Groups.RepairPages(r.ctx, r.job.Tables) }

// votes recomputes votes and groups from the copies. Hints and elections are deleted.
func (r *repair) votes() error {
	if err := revisit.Repair(r.ctx, r.job.Tables); err != nil {
		return err
	}
	return r.job.Groups.RepairVotes(r.ctx, r.job.Tables)
}

// counts counts hosts and totals again. Numbers that cannot be derived from records are kept:
// retries, the time of the crawl, and requests to hosts that yielded no page.
func (r *repair) counts() error {
	hosts := make(map[weburl.HostKey]*queue.HostRecord)
	var state job.State
	err := r.job.look(func(in job.Snapshot) error {
		state, _ = in.State() // one that cannot be read is recomputed as a whole
		before := state.Totals
		state.Totals = page.Totals{Retries: before.Retries, Revisits: before.Revisits}
		state = state.Clone()
		if err := r.countLearned(in, &state.Totals, before); err != nil {
			return err
		}
		if err := r.countURLs(in, &state, hosts); err != nil {
			return err
		}
		err := kv.Each(in, page.TableRecords, func(_, v []byte) error {
			p, _, err := page.DecodeRecord(v)
			if err != nil {
				return err
			}
			state.Count(&p)
			if p.ReplacedBy != 0 {
				state.Replace(&p)
			}
			return nil
		})
		if err != nil {
			return err
		}
		state.Totals.Bytes = max(state.Totals.Bytes, before.Bytes) // some visits have left no record
		state.Totals.Wire = max(state.Totals.Wire, before.Wire)
		state.Totals.Votes, err = kv.Count(kv.All(in, group.TableVotes))
		return err
	})
	if err != nil {
		return err
	}
	v, err := json.Marshal(state)
	if err != nil {
		return err
	}
	return r.job.Tables.Update(r.ctx, func(tx kv.Tx) error {
		err := kv.Each(tx, queue.TableHosts, func(k, v []byte) error {
			was, err := queue.DecodeHost(v)
			if err != nil {
				return err
			}
			key := weburl.HostKey(k)
			h := hosts[key]
			if h == nil { // a host that is known only from its robots.txt, or not any more
				h = &queue.HostRecord{}
				hosts[key] = h
			}
			queued, fetched := h.Queued, h.Fetched
			*h = was
			h.Queued, h.Fetched = queued, max(fetched, was.Fetched)
			return nil
		})
		for k, h := range hosts {
			tx.Put(queue.TableHosts, k[:], h.Encode())
		}
		tx.Put(job.TableMeta, job.KeyState, v)
		return err
	})
}

func (r *repair) countURLs(in job.Snapshot, state *job.State, hosts map[weburl.HostKey]*queue.HostRecord) error {
	n := &state.Totals
	return kv.Each(in, queue.TableURLs, func(key, v []byte) error {
		rec, err := queue.Decode(v)
		if err != nil {
			return err
		}
		requisite := rec.Flags&queue.Requisite != 0
		if !requisite {
			n.Seen++
		}
		state.Order = max(state.Order, rec.Order)
		if rec.State == queue.Refused { // its host may have no other URL
			n.Rules[rec.Refusal.Rule]++
			return nil
		}
		k := weburl.Key(key)
		h := hosts[k.Host()]
		if h == nil {
			h = &queue.HostRecord{Name: weburl.HostOf(rec.URL)}
			hosts[k.Host()] = h
		}
		switch rec.State {
		case queue.Queued:
			n.Queued++
			h.Queued++
		case queue.Later:
			n.Later++
		case queue.Done:
			if !requisite {
				h.Fetched++
			}
		}
		return nil
	})
}

// leadsNowhere says why a page that led to others has to be fetched again if URL records are lost:
// which URLs a redirect or a sitemap names, and whether the crawl wants them, was only in the
// records of these URLs.
func (r *repair) leadsNowhere(in job.Snapshot, p *page.Record) string {
	if !r.torn || p.Verdict != page.VerdictRefused {
		return ""
	}
	switch p.Rule {
	case "sitemap":
		return "a sitemap, of which addresses may be lost"
	case "redirect":
		u, err := weburl.Parse(p.Location)
		if err != nil {
			return ""
		}
		if _, ok, err := in.URL(u.Key()); err != nil || !ok {
			return "where it redirects to is lost"
		}
	}
	return ""
}

// relink queues lost URLs to which kept pages link: the job has their keys, and the views of those
// pages have the URLs.
func (r *repair) relink() error {
	if !r.torn {
		return nil
	}
	lost := func(in job.Snapshot, _, keys []byte) (bool, error) {
		some, err := unknown(in.URL, keys)
		return len(some) > 0, err
	}
	return r.inChunks(page.TableOutlinks, lost, func(t *txn, seq, keys []byte) error {
		some, err := unknown(func(k weburl.Key) (rec queue.Record, ok bool, err error) {
			got, err := t.queue.Get(k)
			return rec, got != nil, err
		}, keys)
		if err != nil || len(some) == 0 {
			return err
		}
		return r.relinkFrom(t, page.Seq(seq), some)
	})
}

// unknown returns those of a page's links that have no URL record.
func unknown(url func(weburl.Key) (queue.Record, bool, error), packed []byte) (map[weburl.Key]bool, error) {
	some := make(map[weburl.Key]bool)
	keys, err := page.UnpackOutlinks(packed)
	if err != nil {
		return nil, nil // it was damaged, and is rebuilt or removed
	}
	for ; len(keys) >= len(weburl.Key{}); keys = keys[len(weburl.Key{}):] {
		k := weburl.Key(keys)
		_, ok, err := url(k)
		if err != nil {
			return nil, err
		}
		if !ok {
			some[k] = true
		}
	}
	return some, nil
}

// relinkFrom queues the URLs in a page's view whose keys are lost.
func (r *repair) relinkFrom(t *txn, seq uint64, lost map[weburl.Key]bool) error {
	p, _, err := t.in().Page(seq)
	if err != nil {
		return err
	}
	view, err := r.job.Archive.View(t.tx, seq)
	if err != nil || view == nil {
		return nil // the view does not exist, or comes from another version of the page
	}
	pageURL, err := weburl.Parse(p.URL)
	if err != nil {
		return err
	}
	base := page.Base(pageURL, view)
	refs := []string{view.Canonical, view.Refresh}
	for _, l := range view.Links {
		refs = append(refs, l.URL)
	}
	for _, ref := range refs {
		u, err := base.Parse(ref)
		if err != nil || !lost[u.Key()] {
			continue
		}
		delete(lost, u.Key())
		rec := queue.Record{URL: u.String(), From: pageURL.Key(), Order: t.queue.NextOrder(), Label: p.Label}
		rec.Signals.Depth = uint16(p.Depth + 1)
		rec.Score = r.job.Priority.Score(rec.Signals)
		t.queue.Enqueue(u.Key(), &rec)
		r.relinked++
	}
	return nil
}

// reportURLs reports how many URLs were lost and found again, if URL records were lost.
func (r *repair) reportURLs() error {
	if !r.torn {
		return nil
	}
	var state job.State
	err := r.job.look(func(in job.Snapshot) (err error) {
		state, err = in.State()
		return err
	})
	if err != nil {
		return err
	}
	n := state.Totals
	was := "it is not known how many there were"
	if r.seen > 0 {
		was = fmt.Sprintf("%d were known, so %d are lost", r.seen, max(0, r.seen-n.Seen))
	}
	if r.pageless == 0 && r.removed == 0 {
		was += "; no document is lost by it"
	}
	return r.tell("the addresses", "%d are known, %d of which wait in the queue, and %d of these were found again where kept pages link to them; %s",
		n.Seen, n.Queued, r.relinked, was)
}
