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
	Documents int64 // kept pages that there are now
	URLs      int64 // that the job knows now

	// Lost is how many kept pages are gone. Their URLs are queued again if they are known.
	Lost int64

	// Uncertain says that the job's last counts are lost too. Lost is then a lower bound of
	// what can be known, and may count pages that were copies or errors.
	Uncertain bool
}

// Repair makes consistent what is left of a job that no process has open, and tells fn what it
// did. The job's queue is not loaded yet; stored says what became of its tables. Index and
// filter do not exist when it ends: they are filled when the job is opened.
func Repair(ctx context.Context, j Job, stored disk.Repaired, fn func(gatecrawl.Breach) error) (done Repaired, err error) {
	before := j.State.Totals
	r := &repair{
		job: j, ctx: ctx, fn: fn, torn: stored.Scattered, seen: before.Seen,
		gone: make(map[uint64]string), altered: make(map[uint64][]*kv.DamageError),
	}
	for _, step := range []func() error{
		r.derivedFiles,    // they are filled again when the job is opened
		r.values,          // which values of pages are altered
		r.keys,            // rows with a key of a wrong length leave, before anything reads their keys
		r.numbers,         // so do rows of numbers that no page was given
		r.hosts,           // and host records that cannot be read; counts rebuilds them
		r.loadQueue,       // the steps below change the queue, and hosts can be read now
		r.urls,            // URL records at their keys, for the steps that look a URL up
		r.judge,           // which pages have to leave, by what is altered or missing
		r.takeAway,        // they leave, and their URLs are queued
		r.sums,            // what is altered and stays gets its checksum; only pages that stay count
		r.restoreReplaced, // an older record becomes its URL's again where the newer one has left
		r.replaced,        // and which page replaced which follows from the records that are left
		r.learned,         // what rules and mirrors left out, by the records that are left
		r.parts,           // samples of pages that are left
		r.states,          // each URL's state by its page and the queue, each page its URL
		r.relink,          // URLs that are lost and that views name; they are new where states has found none
		r.sites,           // templates without the pages that left
		r.votes,           // votes and groups by the copies that are left
		r.links,           // the link graph from the views that are left
		r.requisites,      // files whose rows are damaged
		r.roots,           // the scope's roots from the seeds
		r.counts,          // hosts and totals, after all that changes them
		r.reportURLs,      // what is lost, by these counts
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

// A repair works on one job, in transactions of some thousand changes.
type repair struct {
	job  Job
	ctx  context.Context
	fn   func(gatecrawl.Breach) error
	gone map[uint64]string // pages that leave the job, and why

	altered map[uint64][]*kv.DamageError // values of pages that are not as they were written

	torn     bool  // entries of the table are lost
	seen     int64 // URLs before; 0: not known
	relinked int64 // URLs that pages told again
	pageless int64 // URLs that had a page and no longer have one
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

// inChunks is kv.Rewrite.
func (r *repair) inChunks(table *kv.Table, wanted func(in job.Snapshot, k, v []byte) (bool, error), change func(t *txn, k, v []byte) error) error {
	return kv.Rewrite(r.ctx, r.job.Tables, table,
		func(in kv.Reader, k, v []byte) (bool, error) { return wanted(job.Snapshot{Reader: in}, k, v) },
		func(tx kv.Tx, k, v []byte) error { return change(r.txnOf(tx), k, v) })
}

// forget is kv.Forget.
func (r *repair) forget(table *kv.Table, wrong func(in job.Snapshot, k, v []byte) (bool, error)) error {
	return r.inChunks(table, wrong, func(t *txn, k, _ []byte) error { t.tx.Delete(table, k); return nil })
}

// loadQueue takes the hosts into memory.
func (r *repair) loadQueue() error {
	n := r.job.State.Totals
	return r.job.Queue.Load(r.job.Tables, n.Hosts, n.Later, true)
}

// requisites takes away damaged rows of files that pages need.
func (r *repair) requisites() error {
	return r.job.Requisites.Repair(r.ctx, r.job.Tables, r.job.QueueOf, r.tell)
}

// A txn is a transaction of a repair.
type txn struct {
	tx    kv.Tx
	queue *queue.Tx
}

func (r *repair) txnOf(tx kv.Tx) *txn { return &txn{tx, r.job.QueueOf(tx)} }

// in returns the job as it is within the transaction.
func (t *txn) in() job.Snapshot { return job.Snapshot{Reader: t.tx} }

// values notes which values of pages are not as they were written.
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

// segments notes the pages whose bytes are not as they were written, and writes dictionaries
// again.
func (r *repair) segments() error {
	altered := func(_ job.Snapshot, k, v []byte) (bool, error) {
		_, bad := archive.BadDict(k, v)
		return bad, nil
	}
	if err := r.forget(job.TableMeta, altered); err != nil { // the segments have it too
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

// numbers removes the rows of numbers that no page was ever given: numbers go up to that of the
// last page whose URL record names it.
func (r *repair) numbers() error {
	top, given := uint64(0), uint64(0)
	err := r.job.look(func(in job.Snapshot) error {
		given, _ = job.LastPage.Get(in) // what cannot be read is counted again
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
	const tail = 1000 // pages that may have been lost behind the last
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

// derivedFiles deletes the files that Open rebuilds.
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

// urls repairs records that cannot be read or have a wrong key. The key is a hash of the URL,
// so a URL that is still found in the record is the right one.
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

// ofAnAlteredKey reports whether a record with the key at may have stood under key before some bits of key
// were altered. If its URL was altered instead, its hash has no more in common with key than any other has: half
// of 80 bits differ. A URL that nobody has linked to is not asked for, least of all on another host.
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

// judge finds the pages that have to leave.
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

// fault says why a page has to leave, or "". Copies come behind the page that
// they are copies of.
func (r *repair) fault(in job.Snapshot, seq uint64, record []byte) (string, error) {
	for _, d := range r.altered[seq] {
		switch {
		case d.Table == nil, d.Table == page.TableOutlinks: // without checksums the values are looked at themselves
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

// takeAway removes the pages that leave, and remembers that their numbers were
// given.
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

// readdress queues the URL of a page that leaves, where only its record has it. A record that is altered may have
// another site's.
func (r *repair) readdress(t *txn, seq []byte) error {
	altered := func(d *kv.DamageError) bool { return d.Table == page.TableRecords }
	if slices.ContainsFunc(r.altered[page.Seq(seq)], altered) {
		return nil
	}
	p, _, err := t.in().Page(page.Seq(seq))
	if err != nil {
		return nil // nothing says what its URL is
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

// maxTold is how many pages that leave a repair names.
const maxTold = 20

// roots derives the roots of the scope from the seeds, if the job no longer has any: without
// them everything that pages link to would be refused.
func (r *repair) roots() error {
	has := false
	err := r.job.look(func(in job.Snapshot) (err error) {
		_, has, err = kv.First(kv.All(in, job.TableRoots))
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
		t.tx.Put(job.TableRoots, []byte(rec.URL), job.Present)
		return nil
	})
	if err != nil || n == 0 {
		return err
	}
	return r.tell("the roots of the scope", "are lost, and taken from the %d URLs that no page leads to", n)
}

// restoreReplaced makes a replaced page the record of its URL again where the page
// that replaced it has left.
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

// urlRecordOf returns the URL record of a page; an empty one if it has none.
func urlRecordOf(in job.Snapshot, p *page.Record) (queue.Record, error) {
	u, err := weburl.Parse(p.URL)
	if err != nil {
		return queue.Record{}, err
	}
	rec, _, err := in.URL(u.Key())
	return rec, err
}

// putAt puts a record at the key of its URL.
func (r *repair) putAt(t *txn, rec *queue.Record) error {
	u, err := weburl.Parse(rec.URL)
	if err == nil {
		t.queue.Put(u.Key(), rec)
	}
	return err
}

// sums deletes altered lists of links, which only raise scores, and recomputes altered
// checksums.
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

// sumAgain has the values of a page summed as they are.
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

// states gives every url the state that its page, queue and later say, and every
// page its url.
func (r *repair) states() error {
	stray := func(in job.Snapshot, k, v []byte) (bool, error) { return check.StrayEntry(in, k, v), nil }
	if err := r.forget(queue.TableEntries, stray); err != nil {
		return err
	}
	unread := func(_ job.Snapshot, k, v []byte) (bool, error) { return queue.BadPayments(k, v), nil }
	if err := r.forget(queue.TableCash, unread); err != nil { // which only raise scores
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

// pageless reports whether the page that a url names is not there, or another's.
func pageless(in job.Snapshot, rec *queue.Record) bool {
	if rec.Page == 0 {
		return false
	}
	url, err := in.URLOf(rec.Page)
	return err != nil || url != rec.URL
}

// sites deletes what is known of a host's template if that relies on pages that were removed:
// it is learned again.
func (r *repair) sites() error { return r.job.Templates.Repair(r.ctx) }

// replaced is group.Groups.RepairPages.
func (r *repair) replaced() error { return r.job.Groups.RepairPages(r.ctx, r.job.Tables) }

// votes makes votes and groups what the copies say. What was noted of copies is forgotten,
// as the elections are.
func (r *repair) votes() error {
	if err := revisit.Repair(r.ctx, r.job.Tables); err != nil {
		return err
	}
	return r.job.Groups.RepairVotes(r.ctx, r.job.Tables)
}

// counts counts hosts and totals again. What no record says is kept: retries, the time the
// crawl took, and requests to hosts that brought no page.
func (r *repair) counts() error {
	hosts := make(map[weburl.HostKey]*queue.HostRecord)
	var state job.State
	err := r.job.look(func(in job.Snapshot) error {
		state, _ = in.State() // one that cannot be read is counted again as a whole
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
		state.Totals.Bytes = max(state.Totals.Bytes, before.Bytes) // of visits that left no record too
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
			if h == nil { // known by its robots.txt alone, or no more
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
		if rec.State == queue.Refused { // its host may have nothing else
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

// leadsNowhere says why a page that led to others has to be fetched again when
// entries of the table are lost: what a redirect or a sitemap names, and whether the
// crawl wants it, is known from its URL's record alone.
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

// relink queues lost URLs that kept pages link to: the job has their keys, and the URLs are in
// the views of those pages.
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

// unknown returns those of a page's links that the table does not know.
func unknown(url func(weburl.Key) (queue.Record, bool, error), packed []byte) (map[weburl.Key]bool, error) {
	some := make(map[weburl.Key]bool)
	keys, err := page.UnpackOutlinks(packed)
	if err != nil {
		return nil, nil // it was altered, and is rebuilt or gone
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

// relinkFrom queues what of these keys a page's view has the URLs of.
func (r *repair) relinkFrom(t *txn, seq uint64, lost map[weburl.Key]bool) error {
	p, _, err := t.in().Page(seq)
	if err != nil {
		return err
	}
	view, err := r.job.Archive.View(t.tx, seq)
	if err != nil || view == nil {
		return nil // there is none, or it is from another time: the page links to what it did
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

// reportURLs tells what became of the URLs when entries of the table were lost.
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
	if r.pageless == 0 && len(r.gone) == 0 {
		was += "; no document is lost by it"
	}
	return r.tell("the addresses", "%d are known, %d of which wait in the queue, and %d of these were found again where kept pages link to them; %s",
		n.Seen, n.Queued, r.relinked, was)
}
