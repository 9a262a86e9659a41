package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/owner"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
)

// An AheadError says that a folder has commits that its log does not have.
type AheadError struct {
	Dir, Log string
}

func (e *AheadError) Error() string {
	return fmt.Sprintf("%s belongs to another log than %s, or the engine has lost entries: if the engine was set up again, move the folder away or give the job another name", e.Dir, e.Log)
}

func (o Options) filled() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Snapshot == 0 {
		o.Snapshot = 64 << 20
	}
	return o
}

// Take brings the folder up to date, waits until the log has no owner, and takes it over. Then the
// store may be opened with the journal; if the folder does not exist the store is new. Errors that
// callers may want to distinguish are *AheadError and those of owner.Take.
func Take(ctx context.Context, o Options) (*Journal, error) {
	o = o.filled()
	log, err := o.Engine.Log(ctx, o.Name)
	if err != nil {
		return nil, err
	}
	for {
		j, err := take(ctx, o, log)
		if !errors.Is(err, engine.ErrTrimmed) && !errors.Is(err, errAgain) {
			return j, err
		}
	}
}

func take(ctx context.Context, o Options, log engine.Log) (*Journal, error) {
	r, err := openReplica(ctx, o, log)
	if err != nil {
		return nil, err
	}
	opts := o.Owner
	opts.After, opts.Apply = r.at, r.take
	own, err := owner.Take(ctx, log, opts)
	if errors.Is(err, owner.ErrShort) {
		err = &AheadError{o.Dir, o.Name}
	}
	if closing := r.close(); err != nil || closing != nil {
		if own != nil {
			own.Close()
		}
		return nil, errors.Join(err, closing)
	}
	return newJournal(o, log, own, r.mark), nil
}

// Follow brings the folder up to date and keeps it up to date, until ctx ends or the log cannot be
// followed. The store must not be open.
func Follow(ctx context.Context, o Options) error {
	o = o.filled()
	log, err := o.Engine.Log(ctx, o.Name)
	if err != nil {
		return err
	}
	for {
		r, err := openReplica(ctx, o, log)
		if err == nil {
			err = errors.Join(log.Follow(ctx, r.at, r.take), r.close())
		}
		if !errors.Is(err, engine.ErrTrimmed) && !errors.Is(err, errAgain) {
			return err
		}
	}
}

var (
	errAgain = errors.New("the log has another snapshot by now")
	errLost  = errors.New("its snapshot is not there, and the folder cannot be made")
)

// A replica is a folder that is being brought up to date with its log.
type replica struct {
	o    Options
	ctx  context.Context
	at   uint64 // the last entry that was read
	mark mark   // of the folder, including what is pending

	db *disk.Store // nil if it is not open

	epoch   uint64
	parts   []byte // of a commit whose last part has not arrived yet
	next    uint64 // how many parts are still to come
	partial bool

	since       time.Time // when the first pending change arrived
	pending     [][]byte  // changes that are not applied yet
	grown       []growth  // bytes that are not written yet
	pendingSize int
}

// openReplica finds out which entries a folder has. If the folder is missing, or the log no longer
// has what the folder lacks, it creates the folder from the snapshot.
func openReplica(ctx context.Context, o Options, log engine.Log) (*replica, error) {
	r := &replica{o: o, ctx: ctx}
	first, err := log.First(ctx)
	if err != nil {
		return nil, err
	}
	damage := r.look()
	if damage != nil {
		if !errors.As(damage, new(*kv.DamageError)) {
			return nil, damage
		}
		o.Log.Warn("the folder is damaged, and is rebuilt if its log has a snapshot", "folder", o.Dir, "err", damage)
	}
	if r.mark.Lineage != "" && r.mark.At+1 >= first {
		r.at = r.mark.At
		return r, nil
	}
	r.mark = mark{}
	tried := ""
	for {
		p, err := lastPointer(ctx, log, first)
		switch {
		case err != nil:
			return nil, err
		case p.Blob == "" && first > 1, p.Blob != "" && p.Blob == tried:
			return nil, fmt.Errorf("log %s: %w", o.Name, errLost)
		case p.Blob == "" && damage != nil:
			return nil, fmt.Errorf("%s is damaged, and log %s has nothing to make it from: delete the folder if nothing in it matters: %w", o.Dir, o.Name, damage)
		case p.Blob == "": // nothing was committed
			return r, nil
		}
		err = r.restore(p)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return r, err
		}
		tried = p.Blob // a later snapshot may have replaced it in the meantime
	}
}

var errRead = errors.New("read to the end")

// lastPointer returns the last snapshot that a log names.
func lastPointer(ctx context.Context, log engine.Log, first uint64) (p pointer, err error) {
	last, _, err := log.Last(ctx)
	if err != nil || last == 0 {
		return p, err
	}
	err = log.Follow(ctx, max(first, 1)-1, func(seq uint64, e engine.Entry) (err error) {
		if len(e.Batch) > 0 && e.Batch[0] == kindSnapshot {
			p, err = decodePointer(e.Batch)
		}
		if err == nil && seq >= last {
			err = errRead
		}
		return err
	})
	if errors.Is(err, errRead) {
		err = nil
	}
	return p, err
}

// restore creates the folder from a snapshot.
func (r *replica) restore(p pointer) error {
	m, err := restore(r.ctx, r.o, p)
	if err != nil {
		return fmt.Errorf("snapshot %s: %w", p.Blob, err)
	}
	r.o.Log.Info("made from a snapshot", "folder", r.o.Dir, "snapshot", p.Blob)
	r.mark, r.at = m, max(r.at, m.At)
	return nil
}

// look reads the folder's mark.
func (r *replica) look() error {
	path := filepath.Join(r.o.Dir, r.o.File)
	if !disk.Exists(path) {
		return nil
	}
	db, err := disk.Open(path, r.o.Tables, disk.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	b, err := db.Mark()
	if err == nil {
		r.mark, err = decodeMark(b)
	}
	return errors.Join(err, db.Close())
}

const (
	applyAt    = 4 << 20     // how many bytes of commits are applied together, at least
	applyAfter = time.Second // after the first of them, even if there are fewer bytes; the heartbeats of an idle owner trigger it
)

// take reads an entry of the log.
func (r *replica) take(seq uint64, e engine.Entry) error {
	r.at = seq
	if e.Epoch != r.epoch { // what the previous owner did not complete was not acknowledged
		r.epoch, r.partial = e.Epoch, false
	}
	if len(r.pending) > 0 && time.Since(r.since) > applyAfter {
		if err := r.apply(); err != nil {
			return err
		}
	}
	if len(e.Batch) == 0 {
		return nil
	}
	switch e.Batch[0] {
	case kindSnapshot:
		return r.point(e.Batch)
	case kindChanges:
		return r.part(seq, e.Batch)
	}
	return fmt.Errorf("entry %d of %s: %w", seq, r.o.Name, errEntry)
}

// point reads the entry that names a snapshot. If the folder is unusable it is created from that.
func (r *replica) point(batch []byte) error {
	p, err := decodePointer(batch)
	if err != nil {
		return err
	}
	switch {
	case r.mark.Lineage == p.Lineage:
		r.mark.Blob = p.Blob
		return nil
	case r.mark.Lineage != "":
		return &AheadError{r.o.Dir, r.o.Name}
	}
	err = r.restore(p) // the first entry of the log: no commit precedes it
	if errors.Is(err, fs.ErrNotExist) {
		err = errAgain
	}
	return err
}

// part reads a part of a commit.
func (r *replica) part(seq uint64, batch []byte) error {
	follow, b, err := splitPart(batch)
	if err != nil {
		return err
	}
	if !r.partial {
		r.parts = r.parts[:0]
	} else if follow+1 != r.next {
		return fmt.Errorf("entry %d of %s: %w", seq, r.o.Name, errEntry)
	}
	r.parts, r.next, r.partial = append(r.parts, b...), follow, follow > 0
	if r.partial || r.mark.Lineage == "" || seq <= r.mark.At { // it is in the snapshot
		return nil
	}
	c, err := decodeCommit(r.parts)
	if err != nil {
		return fmt.Errorf("entry %d of %s: %w", seq, r.o.Name, err)
	}
	if len(r.pending) == 0 {
		r.since = time.Now()
	}
	r.pending, r.grown = append(r.pending, c.redo), append(r.grown, c.grown...)
	r.pendingSize += len(c.redo)
	r.mark.At = seq
	if r.mark.Tails == nil {
		r.mark.Tails = make(map[string]tail)
	}
	for _, g := range c.grown {
		r.pendingSize += len(g.Bytes)
		n, _ := numberOf(g.Name)
		r.mark.Tails[g.Folder] = tail{n, g.Offset + int64(len(g.Bytes))}
	}
	if r.pendingSize < applyAt {
		return nil
	}
	return r.apply()
}

// apply makes the pending changes durable in the folder: first the bytes, then the rows that name
// them.
func (r *replica) apply() (err error) {
	if len(r.pending) == 0 {
		return nil
	}
	if r.db == nil {
		for _, name := range r.o.Derived {
			if err := os.RemoveAll(filepath.Join(r.o.Dir, name)); err != nil {
				return err
			}
		}
		if r.db, err = disk.Open(filepath.Join(r.o.Dir, r.o.File), r.o.Tables, disk.Options{}); err != nil {
			return err
		}
	}
	slices.SortStableFunc(r.grown, func(a, b growth) int { // each file is opened and synced once
		return cmp.Or(strings.Compare(a.Folder, b.Folder), strings.Compare(a.Name, b.Name))
	})
	w := &writer{dir: r.o.Dir}
	for _, g := range r.grown {
		if err := w.write(g); err != nil {
			return errors.Join(err, w.close())
		}
	}
	if err := w.close(); err != nil {
		return err
	}
	b, err := r.mark.encode()
	if err == nil {
		err = r.db.Apply(b, r.pending...)
	}
	r.pending, r.grown, r.pendingSize = nil, nil, 0
	return err
}

// close applies what is pending, and closes the folder.
func (r *replica) close() error {
	err := r.apply()
	if r.db != nil {
		err = errors.Join(err, r.db.Close())
		r.db = nil
	}
	return err
}
