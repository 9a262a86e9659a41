package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A gatedJob implements dedup.Signatures and dedup.Texts for a job. Its gate numbers documents by
// the sequence numbers of their pages.
type gatedJob struct{ s *Store }

var _ dedup.Texts = gatedJob{}

// Signature implements dedup.Signatures with the stored signatures, from which the gate's tables
// can be rebuilt. The gate keeps its latest claims itself, so it never asks for one that is not
// durable yet: dedup.Options.Recent is far above disk.MaxBatch.
func (j gatedJob) Signature(doc dedup.DocID) (sig dedup.Signature, err error) {
	err = j.s.look(func(in snapshot) (err error) {
		sig, err = in.Signature(uint64(doc))
		return err
	})
	return sig, err
}

// Text implements dedup.Texts.
func (j gatedJob) Text(doc dedup.DocID) (dedup.Text, bool, error) { return j.s.Text(dedup.Ref(doc)) }

// openGate opens the gate's tables and adds the kept signatures that they lack, which happens after
// a crash and if the folder is older or was deleted.
func (s *Store) openGate(o dedup.Options) (*dedup.Gate, error) {
	last := uint64(0)
	err := s.look(func(in snapshot) (err error) {
		if last, err = job.LastPage.Get(in); err != nil {
			return err
		}
		e, ok, err := kv.First(in.Falling(tablePages, nil, nil))
		if ok {
			last = max(last, seqOf(e.Key))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	gate, complete, err := dedup.OpenGate(dedup.Folder{
		Dir: filepath.Join(s.dir, job.DirIndex), Job: s.job.Created.Format(time.RFC3339Nano),
		Last: dedup.DocID(last), ReadOnly: s.readOnly,
	}, o, gatedJob{s})
	if err != nil {
		return nil, s.advise(err)
	}
	err = s.fillGate(gate, uint64(complete)+1)
	if err == nil {
		err = s.loadRetired(gate)
	}
	if err == nil {
		err = s.loadRevised(gate)
	}
	if err != nil {
		gate.Close() // err has told the user already
		return nil, s.advise(err)
	}
	return gate, nil
}

// fillGate enters the signatures of kept pages into the gate, from a sequence number on.
func (s *Store) fillGate(gate *dedup.Gate, from uint64) error {
	err := s.look(func(in snapshot) error {
		n := 0
		for e, err := range in.Scan(tableSignatures, seqKey(from), nil) {
			if err != nil {
				return err
			}
			sig, err := decodeSignature(e.Value)
			if err != nil {
				return s.adviseRepair(fmt.Errorf("page %d: %w", seqOf(e.Key), err))
			}
			gate.Load(dedup.DocID(seqOf(e.Key)), sig)
			if n++; n%4096 == 0 {
				if err := gate.Commit(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return gate.Commit()
}

// loadRevised enters the signatures that pages got after they were claimed; the index has those
// that they were claimed with.
func (s *Store) loadRevised(gate *dedup.Gate) error {
	return s.look(func(in snapshot) error {
		return each(in, job.TableRevised, func(k, _ []byte) error {
			sig, err := in.Signature(seqOf(k))
			if err != nil {
				return s.adviseRepair(err)
			}
			gate.LoadRevised(dedup.DocID(seqOf(k)), sig)
			return nil
		})
	})
}

// advise adds to the error of a damaged file what the user can do.
func (s *Store) advise(err error) error {
	var damage *index.DamageError
	if errors.As(err, &damage) {
		return fmt.Errorf("%w: to rebuild the index from the job, run crawl check --job %s --repair", err, s.dir)
	}
	return err
}

// answering returns the gate. A job that was opened for reading opens the gate's tables at the
// first question, since most readers never ask one.
func (s *Store) answering() (*dedup.Gate, error) {
	if !s.readOnly {
		return s.gate, nil
	}
	s.readingMu.Lock()
	defer s.readingMu.Unlock()
	if s.reading == nil {
		o := s.gateOptions
		if s.gateOff {
			o.Mode = dedup.ModeMark // so that near pages can be found
		}
		gate, err := s.openGate(o)
		if err != nil {
			return nil, err
		}
		s.reading = gate
	}
	return s.reading, nil
}

// CheckBytes implements gatecrawl.Store.
func (s *Store) CheckBytes(d dedup.Digest) (dedup.Verdict, error) {
	gate, err := s.answering()
	if err != nil {
		return dedup.Verdict{}, err
	}
	v, err := gate.CheckBytes(d)
	if err != nil || v.Copy() || d.IsZero() || s.gateOff {
		return v, s.advise(err)
	}
	return s.aliasOf(gate, d)
}

// Check implements gatecrawl.Store.
func (s *Store) Check(sig dedup.Signature, text *dedup.Text) (dedup.Verdict, error) {
	gate, err := s.answering()
	if err != nil {
		return dedup.Verdict{}, err
	}
	v, err := gate.Check(sig, text)
	if err != nil || v.Level != dedup.LevelNear || text == nil {
		return v, s.advise(err)
	}
	if _, ok := text.Compared(v.Of); ok {
		return v, nil
	}
	kept, ok, err := s.Text(v.Of)
	if ok {
		text.SetCompared(v.Of, kept)
	}
	return v, err
}

var errGateOff = errors.New("the crawl runs with dedup off, and its gate knows no pages: ask again when it has ended")

// askGate returns the gate for questions about pages that are read with today's templates.
func (s *Store) askGate() (*dedup.Gate, error) {
	if !s.readOnly {
		if s.gateOff {
			return nil, errGateOff
		}
		return s.gate, nil
	}
	for part, v := range map[string][2]int{
		"purify":    {s.job.Purify, purify.Version},
		"signature": {s.job.Sign, dedup.SignatureVersion},
	} {
		if v[0] != v[1] {
			return nil, &job.VersionError{Dir: s.dir, Part: part, Got: v[0], Want: v[1]}
		}
	}
	return s.answering()
}
