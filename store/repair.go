package store

import (
	"context"
	"errors"
	"fmt"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/store/folder"
	"gatecrawl.example/gatecrawl/store/integrity"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
)

// Repair repairs a job that no process has open, and calls fn for what it does. It rebuilds all
// derived data: the gate's index, the filter, queue, votes, groups, the counts, and which pages have
// parts of others. A page with a damaged or missing value is removed from the job, and its URL is
// queued again; so are the copies of a kept page that is removed, since it is no longer known what
// they are copies of.
//
// From a bbolt file with damaged pages it copies what can be read, including leaves that nothing
// refers to. A repair that was interrupted can be repeated. The result says how many documents are
// lost; that is not an error.
func Repair(ctx context.Context, dir string, o Options, fn func(gatecrawl.Breach) error) (Repaired, error) {
	if err := o.Validate(); err != nil {
		return Repaired{}, err
	}
	if !Exists(dir) {
		return Repaired{}, NoJob(dir)
	}
	if err := mayChange(dir, false); err != nil {
		return Repaired{}, fmt.Errorf("repair of %s: %w", dir, err)
	}
	o.ReadOnly = false
	done, idf, err := repairOpen(ctx, dir, o, fn)
	if err != nil {
		return done, fmt.Errorf("repair of %s: %w", dir, err)
	}
	o.IDF = idf
	s, err := Open(dir, o) // fills the index and the filter
	if err != nil {
		return done, fmt.Errorf("repair of %s: %w", dir, err)
	}
	_, err = s.FindParts(ctx)
	if err = errors.Join(err, s.Close()); err != nil {
		return done, fmt.Errorf("repair of %s: %w", dir, err)
	}
	return done, nil
}

// Repaired is the outcome of a repair.
type Repaired = integrity.Repaired

// repairOpen does all of Repair except filling index and filter. It returns the version of the
// table of words that the job was started with.
func repairOpen(ctx context.Context, dir string, o Options, fn func(gatecrawl.Breach) error) (done Repaired, idf string, err error) {
	stored, err := integrity.RepairTables(ctx, dir, tables, disk.Options{Memory: o.QueueMemory}, fn)
	switch {
	case errors.Is(err, kv.ErrLocked):
		return done, "", folder.LockedBy(dir, job.FileTables)
	case errors.Is(err, disk.ErrForeign):
		return done, "", job.Foreign(dir)
	case err != nil:
		return done, "", err
	}
	s, err := openTables(dir, o)
	if err != nil {
		return done, "", err
	}
	defer func() { err = errors.Join(err, s.closeFiles()) }()
	j := s.whole()
	if err := s.loadState(); err != nil {
		s.state, j.Unread = job.State{}, true // it is counted again
	}
	if err := s.openArchive(); err != nil {
		return done, "", err
	}
	j.State = s.state
	done, err = integrity.Repair(ctx, j, stored, fn)
	return done, s.job.IDF, err
}

// Verify implements gatecrawl.Inspector.
func (s *Store) Verify(ctx context.Context, fn func(gatecrawl.Breach) error) (gatecrawl.Verified, error) {
	return integrity.Check(ctx, s.whole(), fn)
}

// whole returns the job for package integrity.
func (s *Store) whole() integrity.Job {
	j := integrity.Job{
		Dir: s.dir, Tables: s.kv, ReadOnly: s.readOnly, Partition: s.partition != nil, IDF: s.job.IDF,
		Archive: s.archive, Requisites: s.requisites, Queue: s.queue, Groups: s.groups, Templates: s.templates,
		Links: s.links, Linked: graphedJob{s}, Settled: s.settled, Priority: s.priority,
		QueueOf:  func(tx kv.Tx) *queue.Tx { return s.txnOf(tx).queue },
		Mirrored: mirroredJob{s}, Ruled: ruledJob{s},
	}
	for _, l := range s.learners() {
		j.Learners = append(j.Learners, l)
	}
	if !s.gateOff && s.partition == nil { // in a partitioned job the job's gate has the index
		j.Gate = s.answering
	}
	return j
}

// settled implements integrity.Job.Settled.
func (s *Store) settled(check func(in snapshot) error) error {
	if s.readOnly {
		return s.look(check)
	}
	return s.write(func(t *txn) error { return check(t.in()) })
}
