package query

import (
	"context"
	"errors"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/limit"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/job"
)

// errPassed ends a search that goes on in another transaction, or with other records.
var errPassed = errors.New("go on elsewhere")

// Find implements gatecrawl.Inspector.
func (q *Reader) Find(ctx context.Context, f gatecrawl.Find) (found gatecrawl.Found, err error) {
	for from := max(f.From, 1); from > 0; {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		from = f.Outline.Next(from, &f.Kind)
		if from, err = q.find(f, from, &found); err != nil {
			return found, err
		}
	}
	return found, nil
}

// find searches records from a place on, in one transaction. It returns the place where to go on, 0
// at the end.
func (q *Reader) find(f gatecrawl.Find, from uint64, found *gatecrawl.Found) (next uint64, err error) {
	err = q.each(from, func(in job.Snapshot, n int, seq uint64, value []byte) error {
		if len(found.Records) == f.Limit || found.Looked == f.Look {
			found.Next = seq
			return errPassed
		}
		if n == chunk || n > 0 && page.StartsBlock(seq) && f.Outline.Next(seq, &f.Kind) > seq {
			next = seq
			return errPassed
		}
		found.Looked++
		is, err := f.IsEncoded(value)
		if err != nil || !is {
			return err
		}
		p, err := page.FullOf(in, seq, value)
		if err == nil && f.Whole {
			err = tellOthers(in, &p)
		}
		found.Records = append(found.Records, p)
		return err
	})
	if errors.Is(err, errPassed) {
		err = nil
	}
	return next, err
}

// each calls fn for the values of records from a place on. n is how many it was called for before.
func (q *Reader) each(from uint64, fn func(in job.Snapshot, n int, seq uint64, value []byte) error) error {
	return q.look(func(in job.Snapshot) error {
		n := 0
		for e, err := range in.Scan(page.TableRecords, page.Key(from), nil) {
			if err != nil {
				return err
			}
			if err := fn(in, n, page.Seq(e.Key), e.Value); err != nil {
				return err
			}
			n++
		}
		return nil
	})
}

// Outline implements gatecrawl.Inspector.
func (q *Reader) Outline(ctx context.Context) (*page.Outline, error) {
	o := page.NewOutline()
	for next := uint64(1); next > 0; {
		if err := limit.Rest(ctx); err != nil {
			return nil, err
		}
		from := next
		next = 0
		err := q.each(from, func(_ job.Snapshot, n int, seq uint64, value []byte) error {
			if n == chunk {
				next = seq
				return errPassed
			}
			room, err := o.Add(seq, value)
			if err == nil && !room {
				return errPassed
			}
			return err
		})
		if err != nil && !errors.Is(err, errPassed) {
			return nil, err
		}
	}
	return o, nil
}
