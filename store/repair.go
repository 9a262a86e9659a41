package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
	"gatecrawl.example/gatecrawl/store/revisit"
	"gatecrawl.example/gatecrawl/warc/segment"
)

// Repair mends a job on which nobody works, and tells fn what it did. All that
// is derived is made anew: the gate's index, the filter, queue, votes, groups,
// and the counts. A page of which a value is altered or gone leaves the job, and
// its URL is queued again; so are the copies of a kept page that leaves, for
// what they are copies of is not known any more.
//
// Of a bbolt file whose pages are damaged it copies what can be read, from
// leaves to which nothing leads too. A repair that was interrupted can be done again.
// The result tells how many documents are lost: that is no error here.
func Repair(ctx context.Context, dir string, o Options, fn func(gatecrawl.Breach) error) (Repaired, error) {
	if err := o.Validate(); err != nil {
		return Repaired{}, err
	}
	if !Exists(dir) {
		return Repaired{}, fmt.Errorf("%s: %w", dir, ErrNoJob)
	}
	if err := ofThisVersion(dir); err != nil {
		return Repaired{}, fmt.Errorf("repair of %s: %w", dir, err)
	}
	o.ReadOnly = false
	done, err := mend(ctx, dir, o, fn)
	if err != nil {
		return done, fmt.Errorf("repair of %s: %w", dir, err)
	}
	o.IDF = done.idf
	s, err := Open(dir, o) // fills the index and the filter
	if err != nil {
		return done, fmt.Errorf("repair of %s: %w", dir, err)
	}
	return done, s.Close()
}

// mend does all but the filling of index and filter.
func mend(ctx context.Context, dir string, o Options, fn func(gatecrawl.Breach) error) (done Repaired, err error) {
	stored, err := mendTables(ctx, dir, o, fn)
	if err != nil {
		return done, err
	}
	s, err := openTables(dir, o)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, s.closeFiles()) }()
	current := stored.Whole(tableMeta)
	if err := s.loadState(); err != nil {
		s.state = jobState{} // it is counted anew
		current = false
	}
	if err := s.openSegments(); err != nil {
		return done, err
	}
	r := &repair{
		s: s, ctx: ctx, fn: fn, torn: stored.Scattered, seen: s.state.Totals.Seen,
		gone: make(map[uint64]string), altered: make(map[uint64][]*kv.DamageError),
	}
	before := s.state.Totals.New
	for _, step := range []func() error{
		r.derivedFiles, r.values, r.keys, r.numbers, r.hosts, s.loadQueue, r.urls, r.judge, r.takeAway, r.sums, r.reinstate, r.replaced, r.learned, r.parts, r.states, r.relink, r.sites, r.votes, r.links, r.requisites, r.roots, r.counts, r.reckon,
	} {
		if err := step(); err != nil {
			return done, err
		}
	}
	if err := s.loadState(); err != nil {
		return done, err
	}
	done = Repaired{idf: s.job.IDF, Documents: s.state.Totals.New, URLs: s.state.Totals.Seen, Lost: max(0, before-s.state.Totals.New)}
	if !current {
		done.Uncertain, done.Lost = true, max(done.Lost, r.pageless)
	}
	return done, nil
}

// mendTables makes the tables of a job such that they can be opened, and makes a job's
// record that cannot be read anew: its versions are taken to be this program's.
func mendTables(ctx context.Context, dir string, o Options, fn func(gatecrawl.Breach) error) (disk.Repaired, error) {
	engine := disk.Options{Memory: o.QueueMemory}
	path := filepath.Join(dir, fileDB)
	done, err := disk.Repair(ctx, path, tables, disk.RepairOptions{
		Options: engine, Stray: strayRow,
		Tell: func(where, what string) error { return fn(gatecrawl.Breach{Invariant: where, Detail: what}) },
	})
	switch {
	case errors.Is(err, kv.ErrLocked):
		return done, lockedBy(dir)
	case errors.Is(err, disk.ErrForeign):
		return done, notOurs(dir)
	case err != nil:
		return done, err
	}
	s, err := disk.Open(path, tables, engine)
	if err != nil {
		return done, err
	}
	err = s.Update(ctx, func(tx kv.Tx) error {
		was, err := tx.Get(tableMeta, keyJob)
		if err != nil || json.Unmarshal(was, new(jobRecord)) == nil {
			return err
		}
		b, err := json.Marshal(newJobRecord("", ""))
		if err != nil {
			return err
		}
		tx.Put(tableMeta, keyJob, b)
		return fn(gatecrawl.Breach{Invariant: "the job's record", Detail: "altered, and made anew with the versions of this program"})
	})
	return done, errors.Join(err, s.Close())
}

// strayRow knows rows to which no page of a damaged file leads: see disk.Stray. Of the
// job's state that with most pages is the newest. What follows from these is derived anew
// by the steps of a repair, and robots.txt files and what was learned of sites are fetched
// and learned again.
func strayRow(key, value []byte) (*kv.Table, uint64) {
	switch {
	case bytes.Equal(key, keyJob):
		if json.Unmarshal(value, new(jobRecord)) == nil {
			return tableMeta, 0
		}
	case bytes.Equal(key, keyState):
		var j jobState
		if json.Unmarshal(value, &j) == nil {
			return tableMeta, uint64(max(0, j.Totals.Pages))
		}
	case bytes.Equal(key, keySettings):
		if text, made := settingsIn(value); text != nil {
			return tableMeta, made
		}
	case bytes.Equal(value, present):
		if u, err := weburl.Parse(string(key)); err == nil && u.String() == string(key) {
			return tableRoots, 0
		}
	case len(key) == 8 && isPageRecord(value):
		return tablePages, 0 // so that its URL is known
	}
	return nil, 0
}

// isPageRecord reports whether a value is a page's record by its form.
func isPageRecord(b []byte) bool {
	p, _, err := decodePage(b)
	if err != nil || p.Verdict == "" {
		return false
	}
	u, err := weburl.Parse(p.URL)
	return err == nil && u.String() == p.URL
}

// A repair mends one job, in transactions of some thousand changes.
type repair struct {
	s    *Store
	ctx  context.Context
	fn   func(gatecrawl.Breach) error
	gone map[uint64]string // pages that leave the job, and why

	altered map[uint64][]*kv.DamageError // values of pages that are not as they were written

	torn     bool  // entries of the table are lost
	seen     int64 // URLs before; 0: not known
	relinked int64 // URLs that pages told again
	pageless int64 // URLs that had a page, and have none now
}

// A Repaired is what a repair came to.
type Repaired struct {
	Documents int64 // kept pages that there are now
	URLs      int64 // that the job knows now

	// Lost is how many kept pages are gone. Their URLs are queued again, as far as they
	// are known.
	Lost int64

	// Uncertain says that the job's last counts are lost too. Lost is at least what can
	// be told then, and may count pages that were copies or errors.
	Uncertain bool

	idf string // the table of words that the job was begun with
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
	return r.s.write(fn)
}

// inChunks is kv.Rewrite.
func (r *repair) inChunks(table *kv.Table, wanted func(in snapshot, k, v []byte) (bool, error), change func(t *txn, k, v []byte) error) error {
	return kv.Rewrite(r.ctx, r.s.kv, table,
		func(in kv.Reader, k, v []byte) (bool, error) { return wanted(snapshot{in}, k, v) },
		func(tx kv.Tx, k, v []byte) error { return change(r.s.txnOf(tx), k, v) })
}

// forget is kv.Forget.
func (r *repair) forget(table *kv.Table, wrong func(in snapshot, k, v []byte) (bool, error)) error {
	return r.inChunks(table, wrong, func(t *txn, k, _ []byte) error { t.tx.Delete(table, k); return nil })
}

// values notes which values of pages are not as they were written.
func (r *repair) values() error {
	err := r.s.kv.Check(r.ctx, func(err error) error {
		d, ok := errors.AsType[*kv.DamageError](err)
		if !ok || d.Key == nil {
			return err // the tables were mended before
		}
		if len(d.Key) == 8 {
			r.altered[seqOf(d.Key)] = append(r.altered[seqOf(d.Key)], d)
			return nil
		}
		return r.update(func(t *txn) error { return t.sumAgain(d.Key) })
	})
	if err != nil {
		return err
	}
	return r.segments()
}

// segments notes of which pages the bytes are not as they were written, and writes
// dictionaries again.
func (r *repair) segments() error {
	altered := func(_ snapshot, k, v []byte) (bool, error) {
		if !bytes.HasPrefix(k, keyDict) {
			return false, nil
		}
		_, _, ok := dictIn(kv.Entry{Key: k, Value: v})
		return !ok, nil
	}
	if err := r.forget(tableMeta, altered); err != nil { // the segments have it too
		return err
	}
	var dicts []*segment.DamageError
	err := r.s.look(func(in snapshot) error {
		return r.s.checkSegments(in, r.s.state.Segments, func(seq uint64, d *segment.DamageError) error {
			r.altered[seq] = append(r.altered[seq], &kv.DamageError{Table: tableBodies, Key: seqKey(seq), Lost: d.Lost, Err: d})
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
		if err := r.s.segments.Restore(d.Segment, d.Dict); err != nil {
			return err
		}
		if err := r.tell("a segment", "%s: its dictionary was altered, and is written again", d.File); err != nil {
			return err
		}
	}
	return nil
}

// numbers takes away what stands at a number that was never given to a page: the
// numbers go up to that of the last page whose url knows it.
func (r *repair) numbers() error {
	top, given := uint64(0), uint64(0)
	err := r.s.look(func(in snapshot) error {
		given, _ = lastPage.Get(in) // what cannot be read is counted anew
		return each(in, queue.TableURLs, func(_, v []byte) error {
			rec, err := queue.Decode(v)
			if err != nil {
				return nil
			}
			there, err := kv.Has(in, tablePages, seqKey(rec.Page))
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
	beyond := func(_ snapshot, k, _ []byte) (bool, error) {
		return len(k) != 8 || seqOf(k) == 0 || seqOf(k) > given, nil
	}
	for _, t := range append(slices.Clone(pageTables), group.TableGroups, tableLost, tableRevised) {
		if err := r.forget(t, beyond); err != nil {
			return err
		}
	}
	return r.update(func(t *txn) error { lastPage.Set(t.tx, given); return nil })
}

// derivedFiles deletes what Open makes anew.
func (r *repair) derivedFiles() error {
	if err := index.DropIndex(filepath.Join(r.s.dir, dirIndex)); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(r.s.dir, fileFilter)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return r.tell("the index and the filter", "are built anew")
}

// keys takes away what stands at a key of a wrong length.
func (r *repair) keys() error {
	for t, n := range keyLengths {
		wrong := func(_ snapshot, k, _ []byte) (bool, error) { return len(k) != n, nil }
		if err := r.forget(t, wrong); err != nil {
			return err
		}
	}
	return nil
}

// hosts takes away host records that cannot be read; counts makes them anew.
func (r *repair) hosts() error {
	bad := func(_ snapshot, k, v []byte) (bool, error) { return queue.BadHost(k, v), nil }
	return r.forget(queue.TableHosts, bad)
}

// urls mends records that cannot be read or stand at a wrong key. The key is a
// hash of the URL, so a URL that is still found in the record is the
// right one.
func (r *repair) urls() error {
	bad := func(_ snapshot, k, v []byte) (bool, error) { return queue.BadURL(k, v), nil }
	return r.inChunks(queue.TableURLs, bad, func(t *txn, key, v []byte) error {
		t.tx.Delete(queue.TableURLs, key)
		if rec, err := queue.Decode(v); err == nil {
			if u, err := weburl.Parse(rec.URL); err == nil {
				at := rec.Key(u)
				if old, err := t.queue.Get(at); err != nil || old == nil || bytes.Equal(key, at[:]) {
					rec.URL = u.String()
					t.queue.Put(at, &rec)
				}
				return nil
			}
		}
		u, ok := queue.FindURL(key, v)
		if !ok {
			return r.tell("a url record", "%x: altered, and gone: its address is found again where a page links to it", key)
		}
		t.queue.Enqueue(u.Key(), &queue.Record{URL: u.String(), Order: t.queue.NextOrder()})
		return r.tell("a url record", "%s: altered, and made anew", u)
	})
}

func keyOf(u weburl.URL) []byte {
	k := u.Key()
	return k[:]
}

// judge finds the pages that have to leave.
func (r *repair) judge() error {
	return r.s.look(func(in snapshot) error {
		given, err := lastPage.Get(in)
		if err != nil {
			return err
		}
		next := uint64(0)
		err = each(in, tablePages, func(k, v []byte) error {
			seq := seqOf(k)
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

func (r *repair) missing(in snapshot, seq uint64) error {
	lost, err := kv.Has(in, tableLost, seqKey(seq))
	if err == nil && !lost {
		r.gone[seq] = "its record is not there"
	}
	return err
}

// fault says why a page has to leave, or "". Copies come behind the page that
// they are copies of.
func (r *repair) fault(in snapshot, seq uint64, record []byte) (string, error) {
	for _, d := range r.altered[seq] {
		switch {
		case d.Table == nil, d.Table == tableOutlinks: // without checksums the values are looked at themselves
		case errors.As(d.Err, new(*segment.DamageError)):
			return d.Err.Error(), nil
		case d.Lost:
			return "its value in " + d.Table.Name + " is lost", nil
		default:
			return "its value in " + d.Table.Name + " is altered", nil
		}
	}
	p, verdict, err := decodePage(record)
	if err != nil {
		return err.Error(), nil
	}
	p.Seq = seq
	u, err := weburl.Parse(p.URL)
	if err != nil {
		return err.Error(), nil
	}
	if rec, ok, err := in.url(u.Key()); err == nil && ok && rec.Page != 0 && !isRecordOf(&p, &rec) {
		return fmt.Sprintf("its address has page %d", rec.Page), nil
	}
	if why := r.leadsNowhere(in, &p); why != "" {
		return why, nil
	}
	if !verdict.Copy() {
		return r.keptFault(in, &p)
	}
	of := uint64(verdict.Of)
	if why, gone := r.gone[of]; gone {
		return fmt.Sprintf("a copy of page %d, of which %s", of, why), nil
	}
	kept, err := kv.Has(in, tableSignatures, seqKey(of))
	if err == nil && (!kept || !group.MayBeOf(&p, verdict)) {
		return fmt.Sprintf("page %d, of which it is a copy, is not kept", of), nil
	}
	return "", err
}

// keptFault says what is wrong with what is kept of a page that is no copy.
func (r *repair) keptFault(in snapshot, p *page.Record) (string, error) {
	b, err := in.Get(tableSignatures, seqKey(p.Seq))
	if err != nil {
		return "", err
	}
	if b == nil {
		if p.Verdict == page.VerdictNew {
			return "its signature is not there", nil
		}
		return "", nil
	}
	sig, err := decodeSignature(b)
	if err != nil {
		return err.Error(), nil
	}
	if sig.Bytes.String() != p.Digest {
		return "record and signature have two digests", nil
	}
	kept, err := kv.Has(in, tableBodies, seqKey(p.Seq))
	if err != nil {
		return "", err
	}
	if sig.Tokens > 0 && !kept {
		return "its bytes are not there", nil
	}
	broken, err := r.breaks(in, func(v *verifier) error { return v.signed(p, &sig) })
	if err != nil {
		return err.Error(), nil
	}
	if broken {
		return "record, signature and view are not of one reading", nil
	}
	return "", nil
}

// breaks reports whether a check finds a breach.
func (r *repair) breaks(in snapshot, check func(*verifier) error) (bool, error) {
	n := 0
	v := &verifier{s: r.s, in: in, ctx: r.ctx, fn: func(gatecrawl.Breach) error { n++; return nil }}
	err := check(v)
	return n > 0, err
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
					if err := r.tell("a page", "page %d: %s: its address is queued again, if it is known", seq, r.gone[seq]); err != nil {
						return err
					}
				}
				k := seqKey(seq)
				if err := r.readdress(t, k); err != nil {
					return err
				}
				for _, table := range append(slices.Clone(pageTables), group.TableGroups, tableRevised) {
					t.tx.Delete(table, k)
				}
				t.tx.Put(tableLost, k, []byte(r.gone[seq]))
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

// readdress queues the URL of a page that leaves, where only its record has it.
func (r *repair) readdress(t *txn, seq []byte) error {
	p, _, err := t.page(seqOf(seq))
	if err != nil {
		return nil // nothing tells its URL
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
	rec.Score = t.s.priority.Score(rec.Signals)
	t.queue.Enqueue(u.Key(), &rec)
	r.pageless++
	return nil
}

// maxTold is how many pages that leave a repair names.
const maxTold = 20

// roots derives the roots of the scope from the seeds, if the job has none any more:
// without them all that pages link to would be refused.
func (r *repair) roots() error {
	has := false
	err := r.s.look(func(in snapshot) (err error) {
		_, has, err = kv.First(kv.All(in, tableRoots))
		return err
	})
	if err != nil || has {
		return err
	}
	n := 0
	isSeed := func(_ snapshot, _, v []byte) (bool, error) {
		rec, err := queue.Decode(v)
		return err == nil && rec.From.IsZero() && rec.Signals.Depth == 0, err
	}
	err = r.inChunks(queue.TableURLs, isSeed, func(t *txn, _, v []byte) error {
		rec, err := queue.Decode(v)
		if err != nil {
			return err
		}
		n++
		t.addRoot(rec.URL)
		return nil
	})
	if err != nil || n == 0 {
		return err
	}
	return r.tell("the roots of the scope", "are lost, and taken from the %d URLs that no page leads to", n)
}

// reinstate makes a replaced page the record of its URL again where the page
// that replaced it has left.
func (r *repair) reinstate() error {
	again := func(in snapshot, k, v []byte) (bool, error) {
		p, _, err := decodePage(v)
		if err != nil || p.ReplacedBy == 0 || r.gone[p.ReplacedBy] == "" {
			return false, nil
		}
		rec, err := in.recordOf(&p)
		return err == nil && rec.Page == p.ReplacedBy, nil
	}
	return r.inChunks(tablePages, again, func(t *txn, k, v []byte) error {
		p, verdict, err := decodePage(v)
		if err != nil {
			return err
		}
		rec, err := t.in().recordOf(&p)
		if err != nil {
			return err
		}
		p.ReplacedBy, rec.Page = 0, seqOf(k)
		group.Reinstate(t.tx, seqOf(k))
		t.putPage(seqOf(k), &p, verdict)
		return r.putAt(t, &rec)
	})
}

// recordOf returns the url record of a page; an empty one if it has none.
func (in snapshot) recordOf(p *page.Record) (queue.Record, error) {
	u, err := weburl.Parse(p.URL)
	if err != nil {
		return queue.Record{}, err
	}
	rec, _, err := in.url(u.Key())
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

// sums deletes altered lists of links, which only raise scores, and makes altered
// checksums anew.
func (r *repair) sums() error {
	for part := range slices.Chunk(slices.Sorted(maps.Keys(r.altered)), repairChunk) {
		err := r.update(func(t *txn) error {
			for _, seq := range part {
				for _, d := range r.altered[seq] {
					if d.Table == tableOutlinks {
						t.tx.Delete(tableOutlinks, d.Key)
					}
				}
				if err := t.sumAgain(seqKey(seq)); err != nil {
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
	for _, table := range pageTables {
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
	stray := func(in snapshot, k, v []byte) (bool, error) { return queue.StrayEntry(in, k, v), nil }
	if err := r.forget(queue.TableEntries, stray); err != nil {
		return err
	}
	unread := func(_ snapshot, k, v []byte) (bool, error) { return queue.BadPayments(k, v), nil }
	if err := r.forget(queue.TableCash, unread); err != nil { // which only raise scores
		return err
	}
	early := func(in snapshot, k, _ []byte) (bool, error) { return queue.StrayLater(in, k), nil }
	if err := r.forget(queue.TableLater, early); err != nil {
		return err
	}
	homeless := func(in snapshot, k, v []byte) (bool, error) {
		p, _, err := decodePage(v)
		if err != nil {
			return false, nil
		}
		p.Seq = seqOf(k)
		rec, err := in.recordOf(&p)
		return err != nil || rec.URL == "" || !isRecordOf(&p, &rec), nil
	}
	if err := r.inChunks(tablePages, homeless, r.rehouse); err != nil {
		return err
	}
	adrift := func(in snapshot, k, v []byte) (bool, error) {
		rec, err := queue.Decode(v)
		if err != nil {
			return false, err
		}
		if in.pageless(&rec) {
			return true, nil
		}
		return queue.Misplaced(in, weburl.Key(k), &rec)
	}
	return r.inChunks(queue.TableURLs, adrift, func(t *txn, key, _ []byte) error {
		k := weburl.Key(key)
		rec, err := t.queue.Get(k)
		if err != nil || rec == nil {
			return err
		}
		if t.in().pageless(rec) {
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

// rehouse makes the url record of a page anew.
func (r *repair) rehouse(t *txn, seq, record []byte) error {
	p, _, err := decodePage(record)
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
	rec.State, rec.Page, rec.NotBefore = queue.Done, seqOf(seq), 0
	t.queue.Put(k, rec)
	return nil
}

// pageless reports whether the page that a url names is not there, or another's.
func (in snapshot) pageless(rec *queue.Record) bool {
	if rec.Page == 0 {
		return false
	}
	url, err := in.urlOf(rec.Page)
	return err != nil || url != rec.URL
}

// sites forgets what a host repeats where that goes by pages that have left: it is
// learned again.
func (r *repair) sites() error { return r.s.templates.Repair(r.ctx) }

// replaced is group.Groups.RepairPages.
func (r *repair) replaced() error { return r.s.groups.RepairPages(r.ctx, r.s.kv) }

// votes makes votes and groups what the copies say. What was noted of copies is forgotten,
// as the elections are.
func (r *repair) votes() error {
	if err := revisit.Repair(r.ctx, r.s.kv); err != nil {
		return err
	}
	return r.s.groups.RepairVotes(r.ctx, r.s.kv)
}

// counts counts hosts and totals anew. What no record tells stays: retries, the
// time the crawl took, and requests to hosts that brought no page.
func (r *repair) counts() error {
	hosts := make(map[weburl.HostKey]*queue.HostRecord)
	var state jobState
	err := r.s.look(func(in snapshot) error {
		t := &txn{s: r.s}
		t.state, _ = in.state() // one that cannot be read is counted anew as a whole
		before := t.state.Totals
		t.state.Totals = page.Totals{Retries: before.Retries, Revisits: before.Revisits}
		t.state = t.state.clone()
		if err := r.countLearned(in, &t.state.Totals, before); err != nil {
			return err
		}
		if err := r.countURLs(in, t, hosts); err != nil {
			return err
		}
		err := each(in, tablePages, func(_, v []byte) error {
			p, _, err := decodePage(v)
			if err == nil {
				t.count(&p)
			}
			return err
		})
		if err != nil {
			return err
		}
		t.state.Totals.Bytes = max(t.state.Totals.Bytes, before.Bytes) // of visits that left no record too
		t.state.Totals.Wire = max(t.state.Totals.Wire, before.Wire)
		t.state.Totals.Votes, err = kv.Count(kv.All(in, group.TableVotes))
		state = t.state
		return err
	})
	if err != nil {
		return err
	}
	v, err := json.Marshal(state)
	if err != nil {
		return err
	}
	return r.s.kv.Update(r.ctx, func(tx kv.Tx) error {
		err := each(tx, queue.TableHosts, func(k, v []byte) error {
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
		tx.Put(tableMeta, keyState, v)
		return err
	})
}

func (r *repair) countURLs(in snapshot, t *txn, hosts map[weburl.HostKey]*queue.HostRecord) error {
	n := &t.state.Totals
	return each(in, queue.TableURLs, func(key, v []byte) error {
		rec, err := queue.Decode(v)
		if err != nil {
			return err
		}
		k := weburl.Key(key)
		h := hosts[k.Host()]
		if h == nil {
			h = &queue.HostRecord{Name: weburl.HostOf(rec.URL)}
			hosts[k.Host()] = h
		}
		requisite := rec.Flags&queue.Requisite != 0
		if !requisite {
			n.Seen++
		}
		t.state.Order = max(t.state.Order, rec.Order)
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
		case queue.Refused:
			n.Rules[rec.Refusal.Rule]++
		}
		return nil
	})
}

// leadsNowhere says why a page that led to others has to be fetched again when
// entries of the table are lost: what a redirect or a sitemap names, and whether the
// crawl wants it, is known from its URL's record alone.
func (r *repair) leadsNowhere(in snapshot, p *page.Record) string {
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
		if _, ok, err := in.url(u.Key()); err != nil || !ok {
			return "where it redirects to is lost"
		}
	}
	return ""
}

// relink queues the URLs that are lost and to which kept pages link: of these
// the job has the keys, and the URLs are in their views.
func (r *repair) relink() error {
	if !r.torn {
		return nil
	}
	lost := func(in snapshot, _, keys []byte) (bool, error) {
		some, err := unknown(in.url, keys)
		return len(some) > 0, err
	}
	return r.inChunks(tableOutlinks, lost, func(t *txn, seq, keys []byte) error {
		some, err := unknown(func(k weburl.Key) (rec queue.Record, ok bool, err error) {
			got, err := t.queue.Get(k)
			return rec, got != nil, err
		}, keys)
		if err != nil || len(some) == 0 {
			return err
		}
		return r.relinkFrom(t, seqOf(seq), some)
	})
}

// unknown returns those of a page's links that the table does not know.
func unknown(url func(weburl.Key) (queue.Record, bool, error), keys []byte) (map[weburl.Key]bool, error) {
	some := make(map[weburl.Key]bool)
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
	p, _, err := t.page(seq)
	if err != nil {
		return err
	}
	view, err := r.s.viewIn(t.tx, seq)
	if err != nil || view == nil {
		return nil // there is none, or it is of another time: the page links to what it did
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
		rec.Score = t.s.priority.Score(rec.Signals)
		t.queue.Enqueue(u.Key(), &rec)
		r.relinked++
	}
	return nil
}

// reckon tells what became of the URLs, when entries of the table were lost.
func (r *repair) reckon() error {
	if !r.torn {
		return nil
	}
	var state jobState
	err := r.s.look(func(in snapshot) (err error) {
		state, err = in.state()
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
