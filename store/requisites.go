package store

import (
	"fmt"

	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/requisite"
)

// requisites returns the commit for package requisite.
func (t *txn) requisites() requisite.Tx {
	return requisite.Tx{Tx: t.tx, Queue: t.queue, Totals: &t.state.Totals}
}

// settleRequisite makes the visit of a file durable: its URL leaves the queue, its record is
// stored, and its own requisites are queued.
func (s *Store) settleRequisite(v *page.Visit) error {
	l, err := s.queue.Hold(v.Lease, queue.Answer{Finished: v.Finished, Rest: v.Rest, Addr: v.Lease.Addr, Down: v.Down})
	if err != nil {
		return fmt.Errorf("settle %s: %w", v.Lease.URL, err)
	}
	err = s.write(func(t *txn) error { return s.requisites.Settle(t.requisites(), l, v) })
	if err != nil {
		return fmt.Errorf("settle %s: %w", v.Lease.URL, err)
	}
	return nil
}
