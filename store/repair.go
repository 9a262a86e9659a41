package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"gatecrawl"
	"gatecrawl/dedup"
	"gatecrawl/frontier"
	"gatecrawl/mirror/rules"
	"gatecrawl/store/runs"
)

// Repair mends a job on which nobody works, and tells fn what it did. All that
// is derived is made anew: the gate's index, the filter, queue, votes, groups,
// and the counts. A page of which a value is altered or gone leaves the job, and
// its address is queued again; so are the copies of a kept page that leaves, for
// what they are copies of is not known any more.
//
// Of a bbolt file whose pages do not hang together it copies what can be read. A
// repair that was interrupted can be done again.
func Repair(ctx context.Context, dir string, o Options, fn func(gatecrawl.Breach) error) error {
	if err := o.Validate(); err != nil {
		return err
	}
	if !Exists(dir) {
		return fmt.Errorf("%s: %w", dir, ErrNoJob)
	}
	o.ReadOnly = false
	if err := mend(ctx, dir, o, fn); err != nil {
		return fmt.Errorf("repair of %s: %w", dir, err)
	}
	s, err := Open(dir, o) // fills the index and the filter
	if err != nil {
		return fmt.Errorf("repair of %s: %w", dir, err)
	}
	return s.Close()
}

// mend does all but the filling of index and filter.
func mend(ctx context.Context, dir string, o Options, fn func(gatecrawl.Breach) error) (err error) {
	if err := mendPages(dir, fn); err != nil {
		return err
	}
	if err := mendJob(dir, fn); err != nil {
		return err
	}
	s, err := openFile(dir, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.closeFiles()) }()
	if err := s.loadState(); err != nil {
		s.state = jobState{} // it is counted anew
	}
	r := &repair{s: s, o: o, ctx: ctx, fn: fn, gone: make(map[uint64]string)}
	for _, step := range []func() error{
		r.table, r.derivedFiles, r.keys, r.numbers, r.hosts, s.loadQueue, r.urls, r.judge, r.takeAway, r.outlinks, r.reinstate, r.aliases, r.learned, r.states, r.relink, r.sites, r.votes, r.counts, r.reckon,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// mendPages copies what can be read where the pages of a job's file do not hang
// together. Nobody may begin to work on the job meanwhile.
func mendPages(dir string, fn func(gatecrawl.Breach) error) error {
	hold, err := openDB(dir, true)
	if err != nil && !errors.As(err, new(*LockedError)) { // not even bbolt can open it, so nobody can
		hold, err = nil, nil
	}
	if err != nil {
		return err
	}
	fault, err := checkFile(dir, everyBucket, true)
	if hold != nil && fault == nil && err == nil {
		fault = checkNames(hold)
	}
	if err == nil && fault != nil {
		err = fn(gatecrawl.Breach{Invariant: "the file", Detail: fmt.Sprintf(
			"the pages of %s do not hang together (%v): what can be read is copied; the old file is %s", fileDB, fault, fileDamaged)})
		if err == nil {
			err = salvage(dir)
		}
	}
	if hold != nil {
		err = errors.Join(err, hold.Close())
	}
	return err
}

// mendJob makes the buckets that are gone, and a job's record that cannot be read
// anew: its versions are taken to be this program's.
func mendJob(dir string, fn func(gatecrawl.Breach) error) error {
	db, err := openDB(dir, false)
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range buckets {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		meta := tx.Bucket(bucketMeta)
		if json.Unmarshal(meta.Get(keyJob), new(jobRecord)) == nil {
			return nil
		}
		b, err := json.Marshal(newJobRecord(""))
		if err == nil {
			err = meta.Put(keyJob, b)
		}
		if err == nil {
			err = fn(gatecrawl.Breach{Invariant: "the job's record", Detail: "altered, and made anew with the versions of this program"})
		}
		return err
	})
	return errors.Join(err, db.Close())
}

// checkNames returns an error if a bucket is not there that every job has, or one
// has almost the name of another.
func checkNames(db *bbolt.DB) (fault error) {
	_ = db.View(func(tx *bbolt.Tx) error { // it fails of nothing
		_ = tx.ForEach(func(name []byte, _ *bbolt.Bucket) error {
			if right := rightName(name); !bytes.Equal(right, name) {
				fault = fmt.Errorf("bucket %s is called %q", right, name)
			}
			return nil
		})
		for _, name := range buckets {
			young := slices.ContainsFunc(youngBuckets, func(b []byte) bool { return bytes.Equal(b, name) })
			if tx.Bucket(name) == nil && !young {
				fault = fmt.Errorf("bucket %s is not there", name)
			}
		}
		return nil
	})
	return fault
}

// A repair mends one job, in transactions of some thousand changes.
type repair struct {
	s    *Store
	o    Options
	ctx  context.Context
	fn   func(gatecrawl.Breach) error
	gone map[uint64]string // pages that leave the job, and why

	torn     bool  // entries of the table are lost
	seen     int64 // addresses before; 0: not known
	relinked int64 // addresses that pages told again
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
	tx, err := r.s.db.Begin(true)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	t := r.s.begin(tx)
	defer t.table.Close()
	if err := fn(t); err != nil {
		return err
	}
	slab, err := t.finish()
	if err != nil {
		return err
	}
	if err := r.s.publish(tx, slab); err != nil {
		return err
	}
	r.s.state = t.state
	r.s.sched.committed(t.changes, t.urls, t.settled, t.waiting, t.waitTill)
	return r.s.spill()
}

// inChunks collects keys from a bucket, some thousand at a time, and hands them to
// change within a transaction.
func (r *repair) inChunks(bucket []byte, wanted func(in glance, k, v []byte) (bool, error), change func(t *txn, k []byte) error) error {
	var from []byte
	for {
		var keys [][]byte
		done := true
		err := r.s.look(func(in glance) error {
			c := in.Bucket(bucket).Cursor()
			for k, v := c.Seek(from); k != nil; k, v = c.Next() {
				if len(keys) == repairChunk {
					from, done = bytes.Clone(k), false
					return nil
				}
				yes, err := wanted(in, k, v)
				if err != nil {
					return err
				}
				if yes {
					keys = append(keys, bytes.Clone(k))
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(keys) > 0 {
			err := r.update(func(t *txn) error {
				for _, k := range keys {
					if err := change(t, k); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		if done {
			return nil
		}
	}
}

// forget deletes some of a bucket.
func (r *repair) forget(bucket []byte, wrong func(in glance, k, v []byte) (bool, error)) error {
	return r.inChunks(bucket, wrong, func(t *txn, k []byte) error { return t.tx.Bucket(bucket).Delete(k) })
}

// numbers takes away what stands at a number that was never given to a page: the
// numbers go up to that of the last page whose url knows it.
func (r *repair) numbers() error {
	top, given := uint64(0), uint64(0)
	err := r.s.look(func(in glance) error {
		given = in.Bucket(bucketPages).Sequence()
		return in.table.Range([]byte{kindURL}, nil, func(_, v []byte) bool {
			if rec, err := decodeURL(v); err == nil && in.Bucket(bucketPages).Get(seqKey(rec.seq)) != nil {
				top = max(top, rec.seq)
			}
			return true
		})
	})
	if err != nil {
		return err
	}
	const tail = 1000 // pages that may have been lost behind the last
	if given < top || given > top+tail {
		given = top
	}
	beyond := func(_ glance, k, _ []byte) (bool, error) {
		return len(k) != 8 || seqOf(k) == 0 || seqOf(k) > given, nil
	}
	for _, name := range append(slices.Clone(summedBuckets[:]), bucketGroups, bucketSums, bucketLost, bucketRevised) {
		if err := r.forget(name, beyond); err != nil {
			return err
		}
	}
	return r.s.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(bucketPages).SetSequence(given) })
}

// inTable does the same with the entries of a kind in the table.
func (r *repair) inTable(kind byte, wanted func(in glance, k, v []byte) (bool, error), change func(t *txn, k, v []byte) error) error {
	from := []byte{kind}
	for from != nil {
		var found [][2][]byte
		err := r.s.look(func(in glance) error {
			begin := from
			from = nil
			var fault error
			err := in.table.Range([]byte{kind}, begin, func(k, v []byte) bool {
				if len(found) == repairChunk {
					from = bytes.Clone(k)
					return false
				}
				yes, err := wanted(in, k, v)
				if yes {
					found = append(found, [2][]byte{bytes.Clone(k), bytes.Clone(v)})
				}
				fault = err
				return err == nil
			})
			return errors.Join(err, fault)
		})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		err = r.update(func(t *txn) error {
			for _, kv := range found {
				if err := change(t, kv[0], kv[1]); err != nil {
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

// forgetInTable deletes some entries of a kind from the table.
func (r *repair) forgetInTable(kind byte, wrong func(in glance, k, v []byte) (bool, error)) error {
	return r.inTable(kind, wrong, func(t *txn, k, _ []byte) error { t.batch.Delete(k); return nil })
}

// table opens the table of hosts, urls and queue, and brings that of an older job
// up to date.
func (r *repair) table() error {
	if err := errors.Join(r.log(), r.files()); err != nil {
		return err
	}
	if err := r.s.openTable(r.o.QueueMemory); err != nil {
		return err
	}
	if r.s.job.Version == versionBefore {
		return r.s.upgrade()
	}
	return nil
}

// log deletes the entries of the table's log that cannot be read. Settled pages
// tell what they said of them; what was only queued is found again where a page
// links to it.
func (r *repair) log() error {
	var bad [][]byte
	err := r.s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketLog).ForEach(func(k, v []byte) error {
			pad := len(k) == 9 && len(v) == 0
			if _, err := runs.ParseSlab(v); !pad && (err != nil || len(k) != 8) {
				bad = append(bad, bytes.Clone(k))
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	r.torn = len(bad) > 0
	for _, k := range bad {
		if err := r.tell("the log of the queue", "entry %x is altered, and gone", k); err != nil {
			return err
		}
		if err := r.s.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(bucketLog).Delete(k) }); err != nil {
			return err
		}
	}
	return nil
}

// derivedFiles deletes what Open makes anew.
func (r *repair) derivedFiles() error {
	if err := dedup.DropIndex(filepath.Join(r.s.dir, dirIndex)); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(r.s.dir, fileFilter)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return r.tell("the index and the filter", "are built anew")
}

// keys takes away what stands at a key of a wrong length.
func (r *repair) keys() error {
	for name, n := range keyLengths {
		wrong := func(_ glance, k, _ []byte) (bool, error) { return len(k) != n, nil }
		if err := r.forget([]byte(name), wrong); err != nil {
			return err
		}
	}
	return nil
}

// hosts takes away host records that cannot be read; counts makes them anew.
func (r *repair) hosts() error {
	bad := func(_ glance, k, v []byte) (bool, error) {
		if len(k) != len(hostKey(frontier.HostKey{})) {
			return true, nil
		}
		h, err := decodeHost(v)
		return err != nil || frontier.HostKey(k[1:]) != frontier.HostKeyOf(h.name), nil
	}
	return r.forgetInTable(kindHost, bad)
}

// urls mends records that cannot be read or stand at a wrong key. The key is a
// hash of the address, so an address that is still found in the record is the
// right one.
func (r *repair) urls() error {
	bad := func(_ glance, k, v []byte) (bool, error) {
		rec, err := decodeURL(v)
		if err != nil || len(k) != len(urlKey(frontier.Key{})) {
			return true, nil
		}
		u, err := frontier.Parse(rec.url)
		return err != nil || u.Key() != frontier.Key(k[1:]) || u.String() != rec.url, nil
	}
	return r.inTable(kindURL, bad, func(t *txn, key, v []byte) error {
		t.batch.Delete(key)
		if rec, err := decodeURL(v); err == nil {
			if u, err := frontier.Parse(rec.url); err == nil {
				if old, err := t.url(u.Key()); err != nil || old == nil || bytes.Equal(urlKey(u.Key()), key) {
					rec.url = u.String()
					t.put(u.Key(), &rec)
				}
				return nil
			}
		}
		u, ok := frontier.URL{}, false
		if len(key) == len(urlKey(frontier.Key{})) {
			u, ok = addressIn(v, frontier.Key(key[1:]))
		}
		if !ok {
			return r.tell("a url record", "%x: altered, and gone: its address is found again where a page links to it", key)
		}
		t.state.Order++
		t.enqueue(u.Key(), &urlRecord{url: u.String(), order: t.state.Order})
		return r.tell("a url record", "%s: altered, and made anew", u)
	})
}

// longestURL bounds the search for an address in a record, in bytes.
const longestURL = 4096

// addressIn looks for the address with a key in the bytes of a record.
func addressIn(b []byte, k frontier.Key) (frontier.URL, bool) {
	for at := range b {
		if !bytes.HasPrefix(b[at:], []byte("http")) {
			continue
		}
		for end := at + len("http://x"); end <= min(len(b), at+longestURL); end++ {
			if u, err := frontier.Parse(string(b[at:end])); err == nil && u.Key() == k {
				return u, true
			}
		}
	}
	return frontier.URL{}, false
}

// judge finds the pages that have to leave.
func (r *repair) judge() error {
	return r.s.look(func(in glance) error {
		tx := in.Tx
		seqs := tx.Bucket(bucketPages).Sequence()
		next := uint64(0)
		err := tx.Bucket(bucketPages).ForEach(func(k, v []byte) error {
			seq := seqOf(k)
			for next++; next < seq; next++ {
				r.missing(tx, next)
			}
			if why := r.fault(in, seq, v); why != "" {
				r.gone[seq] = why
			}
			return r.ctx.Err()
		})
		for next++; next <= seqs; next++ {
			r.missing(tx, next)
		}
		return err
	})
}

func (r *repair) missing(tx *bbolt.Tx, seq uint64) {
	if tx.Bucket(bucketLost).Get(seqKey(seq)) == nil {
		r.gone[seq] = "its record is not there"
	}
}

// fault says why a page has to leave, or "". Copies come behind the page that
// they are copies of.
func (r *repair) fault(in glance, seq uint64, record []byte) string {
	tx := in.Tx
	names, err := altered(tx, seq)
	if err != nil {
		names = nil // of the checksums: the values are looked at as those of an older job
	}
	for _, name := range names {
		if name != string(bucketOutlinks) {
			return "its value in " + name + " is altered"
		}
	}
	p, verdict, err := decodePage(record)
	if err != nil {
		return err.Error()
	}
	p.Seq = seq
	u, err := frontier.Parse(p.URL)
	if err != nil {
		return err.Error()
	}
	if rec, ok, err := in.url(u.Key()); err == nil && ok && rec.seq != 0 && !isRecordOf(&p, &rec) {
		return fmt.Sprintf("its address has page %d", rec.seq)
	}
	if why := r.leadsNowhere(in, &p); why != "" {
		return why
	}
	if verdict.Copy() {
		if why, gone := r.gone[uint64(verdict.Of)]; gone {
			return fmt.Sprintf("a copy of page %d, of which %s", verdict.Of, why)
		}
		if !mayBeOf(&p, verdict) || tx.Bucket(bucketSignatures).Get(seqKey(uint64(verdict.Of))) == nil {
			return fmt.Sprintf("page %d, of which it is a copy, is not kept", verdict.Of)
		}
		return ""
	}
	return r.keptFault(in, &p, seq)
}

// keptFault says what is wrong with what is kept of a page that is no copy.
func (r *repair) keptFault(in glance, p *gatecrawl.Page, seq uint64) string {
	tx := in.Tx
	b := tx.Bucket(bucketSignatures).Get(seqKey(seq))
	if b == nil {
		if p.Verdict == gatecrawl.VerdictNew {
			return "its signature is not there"
		}
		return ""
	}
	sig, err := decodeSignature(b)
	switch {
	case err != nil:
		return err.Error()
	case sig.Bytes.String() != p.Digest:
		return "record and signature have two digests"
	case sig.Tokens > 0 && tx.Bucket(bucketBodies).Get(seqKey(seq)) == nil:
		return "its bytes are not there"
	}
	broken, err := r.breaks(in, func(v *verifier) error { return v.signed(p, &sig) })
	if err != nil {
		return err.Error()
	}
	if broken {
		return "record, signature and view are not of one reading"
	}
	return ""
}

// breaks reports whether a check finds a breach.
func (r *repair) breaks(in glance, check func(*verifier) error) (bool, error) {
	n := 0
	v := &verifier{s: r.s, in: in, tx: in.Tx, ctx: r.ctx, fn: func(gatecrawl.Breach) error { n++; return nil }}
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
	for part := range slices.Chunk(seqs, repairChunk) {
		err := r.update(func(t *txn) error {
			for _, seq := range part {
				if err := r.tell("a page", "page %d: %s: its address is queued again", seq, r.gone[seq]); err != nil {
					return err
				}
				k := seqKey(seq)
				for _, b := range []interface{ Delete([]byte) error }{
					t.pages, t.signatures, t.views, t.bodies, t.outlinks, t.groups,
				} {
					if err := b.Delete(k); err != nil {
						return err
					}
				}
				if err := t.tx.Bucket(bucketRevised).Delete(k); err != nil {
					return err
				}
				if err := t.tx.Bucket(bucketLost).Put(k, []byte(r.gone[seq])); err != nil {
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

// reinstate makes a replaced page the record of its address again where the page
// that replaced it has left.
func (r *repair) reinstate() error {
	again := func(in glance, k, v []byte) (bool, error) {
		p, _, err := decodePage(v)
		if err != nil || p.ReplacedBy == 0 || r.gone[p.ReplacedBy] == "" {
			return false, nil
		}
		rec, err := recordOf(in.table, &p)
		return err == nil && rec.seq == p.ReplacedBy, nil
	}
	return r.inChunks(bucketPages, again, func(t *txn, k []byte) error {
		p, verdict, err := decodePage(t.pages.Get(k))
		if err != nil {
			return err
		}
		rec, err := recordOf(t.table, &p)
		if err != nil {
			return err
		}
		p.ReplacedBy, rec.seq = 0, seqOf(k)
		if retired := t.tx.Bucket(bucketRetired); retired != nil {
			if err := retired.Delete(k); err != nil {
				return err
			}
		}
		if err := t.pages.Put(k, encodePage(&p, verdict)); err != nil {
			return err
		}
		return r.putAt(t, &rec)
	})
}

// recordOf returns the url record of a page; an empty one if it has none.
func recordOf(t *runs.Reader, p *gatecrawl.Page) (urlRecord, error) {
	u, err := frontier.Parse(p.URL)
	if err != nil {
		return urlRecord{}, err
	}
	rec, _, err := urlIn(t, u.Key())
	return rec, err
}

// putAt puts a record at the key of its address.
func (r *repair) putAt(t *txn, rec *urlRecord) error {
	u, err := frontier.Parse(rec.url)
	if err == nil {
		t.put(u.Key(), rec)
	}
	return err
}

// outlinks deletes altered lists of links, which only raise scores, and makes
// altered checksums anew.
func (r *repair) outlinks() error {
	bad := func(in glance, k, _ []byte) (bool, error) {
		names, err := altered(in.Tx, seqOf(k))
		return err != nil || len(names) > 0, nil
	}
	return r.inChunks(bucketSums, bad, func(t *txn, k []byte) error {
		if names, err := altered(t.tx, seqOf(k)); err == nil && slices.Contains(names, string(bucketOutlinks)) {
			return t.outlinks.Delete(k)
		}
		for _, b := range []*summedBucket{t.pages, t.signatures, t.views, t.bodies, t.outlinks} {
			b.set(k, sumOf(b.Get(k)))
		}
		return nil
	})
}

// aliases takes away what leads to no copy of these bytes.
func (r *repair) aliases() error {
	none := true
	err := r.s.look(func(in glance) error {
		none = in.Bucket(bucketAliases) == nil
		return nil
	})
	if err != nil || none {
		return err
	}
	stray := func(in glance, d, k []byte) (bool, error) {
		p, _, err := decodePage(in.Bucket(bucketPages).Get(k))
		return err != nil || len(k) != 8 || p.Verdict != gatecrawl.VerdictCopy || fmt.Sprintf("%x", d) != p.Digest, nil
	}
	return r.inChunks(bucketAliases, stray, func(t *txn, d []byte) error { return t.tx.Bucket(bucketAliases).Delete(d) })
}

// states gives every url the state that its page, queue and later say, and every
// page its url.
func (r *repair) states() error {
	stray := func(in glance, k, v []byte) (bool, error) {
		if len(k) != len(queueKey(frontier.HostKey{}, 0, 0)) || len(v) != 10 {
			return true, nil
		}
		rec, ok, err := in.url(urlOfEntry(k, v))
		if err != nil || !ok || rec.state != queued {
			return true, nil
		}
		return !bytes.Equal(k, queueKey(frontier.HostKey(hostIn(k)), rec.score, rec.order)), nil
	}
	if err := r.forgetInTable(kindQueue, stray); err != nil {
		return err
	}
	early := func(in glance, k, _ []byte) (bool, error) {
		rec, ok, err := in.url(frontier.Key(k[8:]))
		return err != nil || !ok || rec.state != later || rec.notTill != laterTime(k), nil
	}
	if err := r.forget(bucketLater, early); err != nil {
		return err
	}
	homeless := func(in glance, k, v []byte) (bool, error) {
		p, _, err := decodePage(v)
		if err != nil {
			return false, nil
		}
		p.Seq = seqOf(k)
		rec, err := recordOf(in.table, &p)
		return err != nil || rec.url == "" || !isRecordOf(&p, &rec), nil
	}
	if err := r.inChunks(bucketPages, homeless, r.rehouse); err != nil {
		return err
	}
	adrift := func(in glance, k, v []byte) (bool, error) {
		rec, err := decodeURL(v)
		if err != nil {
			return false, err
		}
		if pageless(in.Tx, &rec) {
			return true, nil
		}
		return placeless(in, frontier.Key(k[1:]), &rec)
	}
	return r.inTable(kindURL, adrift, func(t *txn, key, _ []byte) error {
		k := frontier.Key(key[1:])
		rec, err := t.url(k)
		if err != nil || rec == nil {
			return err
		}
		if pageless(t.tx, rec) {
			rec.seq = 0
		}
		if rec.state == later {
			return t.wait(k, rec, time.Unix(0, rec.notTill))
		}
		rec.attempt = 0
		t.enqueue(k, rec)
		return nil
	})
}

// rehouse makes the url record of a page anew.
func (r *repair) rehouse(t *txn, seq []byte) error {
	p, _, err := decodePage(t.pages.Get(seq))
	if err != nil {
		return err
	}
	u, err := frontier.Parse(p.URL)
	if err != nil {
		return err
	}
	k := u.Key()
	rec, err := t.url(k)
	if err != nil {
		return err
	}
	if rec == nil {
		t.state.Order++
		rec = &urlRecord{url: p.URL, score: p.Score, order: t.state.Order}
		rec.signals.Depth = uint16(p.Depth)
	}
	if rec.state == queued && rec.seq == 0 {
		t.batch.Delete(queueKey(k.Host(), rec.score, rec.order))
	}
	rec.state, rec.seq, rec.notTill = done, seqOf(seq), 0
	t.put(k, rec)
	return nil
}

// pageless reports whether the page that a url names is not there, or another's.
func pageless(tx *bbolt.Tx, rec *urlRecord) bool {
	if rec.seq == 0 {
		return false
	}
	url, err := urlAt(tx, rec.seq)
	return err != nil || url != rec.url
}

// placeless reports whether a url has not what its state asks for.
func placeless(in glance, k frontier.Key, rec *urlRecord) (bool, error) {
	switch rec.state {
	case queued:
		_, ok, err := in.table.Get(queueKey(k.Host(), rec.score, rec.order))
		return !ok, err
	case later:
		return in.Bucket(bucketLater).Get(laterKey(rec.notTill, k)) == nil, nil
	case done:
		return rec.seq == 0, nil
	case refused:
		return false, nil
	}
	return true, nil
}

// sites forgets what a host repeats where that goes by pages that have left: it is
// learned again.
func (r *repair) sites() error {
	strange := func(in glance, k, b []byte) (bool, error) {
		site, err := decodeSite(b)
		if err != nil {
			return true, nil
		}
		return r.breaks(in, func(v *verifier) error { return v.siteOf(frontier.HostKey(k), &site) })
	}
	err := r.inChunks(bucketSites, strange, func(t *txn, k []byte) error {
		if err := t.tx.Bucket(bucketTemplates).Delete(k); err != nil {
			return err
		}
		return t.tx.Bucket(bucketSites).Delete(k)
	})
	if err != nil {
		return err
	}
	homeless := func(in glance, k, _ []byte) (bool, error) { return in.Bucket(bucketSites).Get(k) == nil, nil }
	if err := r.forget(bucketTemplates, homeless); err != nil {
		return err
	}
	pageless := func(in glance, k, _ []byte) (bool, error) {
		return r.breaks(in, func(v *verifier) error {
			return v.isOf(againKey(k).host(), againKey(k).seq(), "every page to be purified again is kept")
		})
	}
	return r.forget(bucketAgain, pageless)
}

// votes makes votes and groups what the copies say.
func (r *repair) votes() error {
	stray := func(in glance, k, _ []byte) (bool, error) {
		if len(k) != 8+len(frontier.Key{}) {
			return true, nil
		}
		rec, ok, err := in.url(frontier.Key(k[8:]))
		if err != nil || !ok || rec.seq == 0 {
			return true, nil
		}
		_, verdict, err := decodePage(in.Bucket(bucketPages).Get(seqKey(rec.seq)))
		return err != nil || uint64(verdict.Of) != seqOf(k), nil
	}
	if err := r.forget(bucketVotes, stray); err != nil {
		return err
	}
	silent := func(in glance, _, v []byte) (bool, error) {
		p, verdict, err := decodePage(v)
		if err != nil || !verdict.Copy() || p.ReplacedBy != 0 {
			return false, nil
		}
		u, err := frontier.Parse(p.URL)
		return err == nil && in.Bucket(bucketVotes).Get(voteKey(uint64(verdict.Of), u.Key())) == nil, nil
	}
	err := r.inChunks(bucketPages, silent, func(t *txn, seq []byte) error {
		p, verdict, err := decodePage(t.pages.Get(seq))
		if err != nil {
			return err
		}
		u, err := frontier.Parse(p.URL)
		if err != nil {
			return err
		}
		return t.votes.Put(voteKey(uint64(verdict.Of), u.Key()), present)
	})
	if err != nil {
		return err
	}
	if err := r.owners(); err != nil {
		return err
	}
	if err := r.forget(bucketGroups, wrongGroup); err != nil {
		return err
	}
	ungrouped := func(in glance, k, _ []byte) (bool, error) {
		return in.Bucket(bucketGroups).Get(k) == nil && hasVotes(in.Tx, seqOf(k)), nil
	}
	return r.inChunks(bucketSignatures, ungrouped, func(t *txn, k []byte) error {
		g, err := countVotes(glance{t.tx, t.table}, seqOf(k))
		if err != nil {
			return err
		}
		return t.groups.Put(k, g.encode())
	})
}

func wrongGroup(in glance, k, v []byte) (bool, error) {
	if !hasVotes(in.Tx, seqOf(k)) {
		return true, nil
	}
	want, err := countVotes(in, seqOf(k))
	return err != nil || decodeGroup(v) != want, nil
}

func hasVotes(tx *bbolt.Tx, of uint64) bool {
	k, _ := tx.Bucket(bucketVotes).Cursor().Seek(seqKey(of))
	return bytes.HasPrefix(k, seqKey(of))
}

// countVotes returns what a group has to count.
func countVotes(in glance, of uint64) (groupRecord, error) {
	url, err := urlAt(in.Tx, of)
	if err != nil {
		return groupRecord{}, err
	}
	domains, _, copies, err := in.countOwners(of, url)
	return groupRecord{degree: domains, copies: copies, byOwner: true}, err
}

// counts counts hosts and totals anew. What no record tells stays: retries, the
// time the crawl took, and requests to hosts that brought no page.
func (r *repair) counts() error {
	hosts := make(map[frontier.HostKey]*hostRecord)
	var state jobState
	err := r.s.look(func(in glance) error {
		tx := in.Tx
		t := &txn{s: r.s, tx: tx}
		if err := unmarshalState(tx, &t.state); err != nil {
			t.state = jobState{}
		}
		before := t.state.Totals
		t.state.Totals = gatecrawl.Totals{Retries: before.Retries, Revisits: before.Revisits}
		t.state = t.state.clone()
		if err := r.countLearned(in, &t.state.Totals, before); err != nil {
			return err
		}
		if err := r.countURLs(in, t, hosts); err != nil {
			return err
		}
		err := tx.Bucket(bucketPages).ForEach(func(k, v []byte) error {
			p, _, err := decodePage(v)
			if err != nil {
				return err
			}
			t.count(&p)
			return nil
		})
		t.state.Totals.Bytes = max(t.state.Totals.Bytes, before.Bytes) // of visits that left no record too
		t.state.Totals.Wire = max(t.state.Totals.Wire, before.Wire)
		t.state.Totals.Votes = int64(tx.Bucket(bucketVotes).Stats().KeyN)
		state = t.state
		return err
	})
	if err != nil {
		return err
	}
	err = r.update(func(t *txn) error {
		var fault error
		err := t.table.Range([]byte{kindHost}, nil, func(k, v []byte) bool {
			var was hostRecord
			if was, fault = decodeHost(v); fault != nil {
				return false
			}
			h := hosts[frontier.HostKey(k[1:])]
			if h == nil { // known by its robots.txt alone, or no more
				h = &hostRecord{}
				hosts[frontier.HostKey(k[1:])] = h
			}
			queued, fetched := h.queued, h.fetched
			*h = was
			h.queued, h.fetched = queued, max(fetched, was.fetched)
			return true
		})
		for k, h := range hosts {
			t.batch.Put(hostKey(k), h.encode())
		}
		return errors.Join(err, fault)
	})
	if err != nil {
		return err
	}
	return r.s.db.Update(func(tx *bbolt.Tx) error {
		v, err := json.Marshal(state)
		if err != nil {
			return err
		}
		return tx.Bucket(bucketMeta).Put(keyState, v)
	})
}

func (r *repair) countURLs(in glance, t *txn, hosts map[frontier.HostKey]*hostRecord) error {
	n := &t.state.Totals
	kinds := make(map[rules.ID]rules.Kind)
	if err := eachRule(in.table, func(rec *ruleRecord) error { kinds[rec.ID()] = rec.Kind; return nil }); err != nil {
		return err
	}
	var fault error
	err := in.table.Range([]byte{kindURL}, nil, func(key, v []byte) bool {
		var rec urlRecord
		if rec, fault = decodeURL(v); fault != nil {
			return false
		}
		k := frontier.Key(key[1:])
		h := hosts[k.Host()]
		if h == nil {
			h = &hostRecord{name: hostOf(rec.url)}
			hosts[k.Host()] = h
		}
		n.Seen++
		t.state.Order = max(t.state.Order, rec.order)
		switch rec.state {
		case queued:
			n.Queued++
			h.queued++
		case later:
			n.Later++
		case done:
			h.fetched++
		case refused:
			n.Rules[rec.refusal.Rule]++
			if rec.refusal.Rule == gatecrawl.RuleDust {
				var id rules.ID
				id, fault = leftBy(&rec)
				n.Avoided[string(kinds[id])]++
			}
		}
		return fault == nil
	})
	return errors.Join(err, fault)
}
