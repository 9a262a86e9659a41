package journal

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/owner"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
)

// Options say which folder is journaled in which log.
type Options struct {
	// Engine has the log and the blobs.
	Engine engine.Engine

	// Name is the name of the log. The names of its blobs start with it.
	Name string

	// Dir is the folder of the store. It need not exist.
	Dir string

	// File is the name of the store's file in Dir, and Tables are its tables.
	File   string
	Tables []*kv.Table

	// Grow are the folders in Dir with files that only grow. The names of these files end with a
	// rising number and an extension, and every byte of them is named by a commit.
	Grow []string

	// Derived are files and folders in Dir that the store rebuilds from its tables. They are
	// deleted when commits of other owners are applied.
	Derived []string

	// Owner sets the lease. Its Name is the name of the node; After and Apply are not used.
	Owner owner.Options

	// Snapshot is how many bytes the log may have after the last snapshot before another one is
	// stored; but at least as many as the rows of the last snapshot take. A lower value takes more
	// time of the owner and the engine, a higher one more of the engine's disk. Default 64 MiB.
	Snapshot int64

	// Log gets failures after which Journal tries again. Default: none.
	Log *slog.Logger
}

// A Journal appends the commits of a store to the log that this process owns.
type Journal struct {
	*owner.Owner

	o       Options
	log     engine.Log
	appends context.Context // ends with Abandon: an append that is broken off ends the ownership
	abandon context.CancelFunc
	ctx     context.Context // for snapshots; ends with Close
	end     context.CancelFunc
	work    sync.WaitGroup // the snapshot under way

	mu       sync.Mutex // held while an entry is appended, so that each mark has the snapshot that the log names before it
	mark     mark       // of the last commit that is in the log
	behind   int64      // bytes in the log after the last snapshot
	dumped   int64      // bytes of the rows of the last snapshot
	number   int        // number of snapshots that this owner has started
	snapping bool
}

var _ disk.Journal = (*Journal)(nil)

func newJournal(o Options, log engine.Log, own *owner.Owner, m mark) *Journal {
	j := &Journal{Owner: own, o: o, log: log, mark: m}
	j.appends, j.abandon = context.WithCancel(context.Background())
	j.ctx, j.end = context.WithCancel(j.appends)
	return j
}

// Commit implements disk.Journal. It waits until the engine has acknowledged the commit; while the
// engine is away the store commits nothing.
func (j *Journal) Commit(s *disk.Store, redo []byte) ([]byte, error) {
	m, err := j.commit(s, redo)
	if err != nil {
		return nil, err
	}
	return m.encode()
}

func (j *Journal) commit(s *disk.Store, redo []byte) (m mark, err error) {
	if j.mark.Lineage == "" {
		if err := j.start(s); err != nil {
			return m, fmt.Errorf("first snapshot: %w", err)
		}
	}
	j.mayStart(s)
	grown, tails, err := grownSince(j.o.Dir, j.o.Grow, j.mark.Tails)
	if err != nil {
		return m, err
	}
	c := commit{redo: redo}
	for _, s := range grown {
		b, err := s.read(j.o.Dir)
		if err != nil {
			return m, err
		}
		c.grown = append(c.grown, growth{s.Folder, s.Name, s.Offset, b})
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	at, size := uint64(0), int64(0)
	for _, part := range c.encode(partBytes) {
		if at, err = j.Append(j.appends, part); err != nil {
			return m, err
		}
		size += int64(len(part))
	}
	j.mark.At, j.mark.Tails = at, tails
	j.behind += size
	return j.mark, nil
}

// mayStart starts a snapshot if the log has grown enough. It is called before a commit, so that the
// previous commit is in the store with its mark.
func (j *Journal) mayStart(s *disk.Store) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.snapping || j.behind < max(j.o.Snapshot, j.dumped) {
		return
	}
	j.snapping = true
	j.work.Go(func() { // ends with the journal
		err := j.snapshot(s)
		j.mu.Lock()
		defer j.mu.Unlock()
		j.snapping = false
		if err != nil && j.ctx.Err() == nil {
			j.behind = 0 // tried again when the log has grown by as much
			j.o.Log.Warn("no snapshot could be put, and the log grows", "log", j.o.Name, "err", err)
		}
	})
}

// Close implements disk.Journal. This process still owns the log.
func (j *Journal) Close() {
	j.end()
	j.work.Wait()
}

// Abandon makes Commit no longer wait for the engine. A commit whose outcome is then open stops the
// store.
func (j *Journal) Abandon() { j.abandon() }

// start stores the first snapshot of a log: the rows as they were before the commit under way. The
// growing files so far become part of that commit.
func (j *Journal) start(s *disk.Store) error {
	first := mark{Lineage: rand.Text(), At: j.First()}
	p, size, err := j.put(s, nil, func([]byte) (mark, []stretch, error) { return first, nil, nil })
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.point(p); err != nil {
		return err
	}
	first.Blob = p.Blob
	j.mark, j.dumped = first, size
	return nil
}

// point appends the entry that names a snapshot.
func (j *Journal) point(p pointer) error {
	b, err := p.encode()
	if err == nil {
		err = j.ctx.Err()
	}
	if err == nil {
		_, err = j.Append(j.appends, b)
	}
	return err
}

// snapshot stores a snapshot, names it in the log, and trims the log up to it.
func (j *Journal) snapshot(s *disk.Store) error {
	j.mu.Lock()
	old, behind := j.mark.Blob, j.behind
	j.mu.Unlock()
	files, tails, err := j.filesOf(old)
	if err != nil {
		return err
	}
	p, size, err := j.put(s, files, func(b []byte) (m mark, grown []stretch, err error) {
		if m, err = decodeMark(b); err != nil {
			return m, nil, err
		}
		grown, _, err = grownSince(j.o.Dir, j.o.Grow, tails)
		return m, clip(grown, m.Tails), err
	})
	if err != nil {
		return err
	}
	j.mu.Lock()
	if err = j.point(p); err == nil {
		j.mark.Blob, j.dumped = p.Blob, size
		j.behind -= behind
	}
	j.mu.Unlock()
	if err != nil {
		return err
	}
	return errors.Join(j.log.Trim(j.ctx, p.At), j.sweep(p.Blob))
}

// sweep deletes the blobs of the log that its snapshot does not name: those of the previous
// snapshot, and those of owners that were killed while they stored one. It leaves blobs of later
// owners alone, since this process may have lost the log in the meantime.
func (j *Journal) sweep(snapshot string) error {
	list, err := readFiles(j.ctx, j.o.Engine, snapshot)
	if err != nil {
		return err
	}
	named := map[string]bool{snapshot: true, filesBlob(snapshot): true}
	for _, s := range list.Stretches {
		named[s.Blob] = true
	}
	all, err := j.o.Engine.Blobs(j.ctx, j.o.Name+"-")
	errs := []error{err}
	for _, name := range all {
		end := blobEnd().FindStringSubmatch(strings.TrimPrefix(name, j.o.Name+"-"))
		if end == nil || named[name] {
			continue // of a log with a longer name, or in use
		}
		if epoch, err := strconv.ParseUint(end[1], 10, 64); err == nil && epoch <= j.Epoch() {
			errs = append(errs, j.o.Engine.Delete(j.ctx, name))
		}
	}
	return errors.Join(errs...)
}

// blobEnd is how the name of a blob ends, after the name of the log: the epoch of the owner, the
// number of its snapshot, and which part of the snapshot it is.
var blobEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d+)-\d+(?:-files|-\d+)?$`) })

// filesBlob is the name of the blob that lists the files of a snapshot.
func filesBlob(snapshot string) string { return snapshot + "-files" }

// A filesList says where the bytes of the growing files of a snapshot are.
type filesList struct {
	Stretches []stretch
	Tails     map[string]tail
}

// filesOf returns which bytes of the growing files are in blobs already. If the list is lost, all
// bytes are stored again.
func (j *Journal) filesOf(blob string) (all []stretch, tails map[string]tail, err error) {
	l, err := readFiles(j.ctx, j.o.Engine, blob)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	return l.Stretches, l.Tails, err
}

func readFiles(ctx context.Context, e engine.Engine, blob string) (l filesList, err error) {
	r, err := e.Get(ctx, filesBlob(blob))
	if err != nil {
		return l, err
	}
	defer r.Close()
	if err := json.NewDecoder(r).Decode(&l); err != nil {
		return l, fmt.Errorf("files of the snapshot %s: %w", blob, err)
	}
	return l, nil
}
