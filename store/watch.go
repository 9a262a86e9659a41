package store

import (
	"context"
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// SetDelay changes Options.Delay while the job is crawled. Rests that have started are kept.
func (s *Store) SetDelay(d time.Duration) { s.queue.SetDelay(d) }

// Park leaves a host alone until a time, also if the job is opened again before that; the zero
// time lets it be asked again, also if it was parked because it does not answer. The error is
// gatecrawl.ErrUnknown for a host that the job has never met.
func (s *Store) Park(_ context.Context, host string, till time.Time) error {
	u, err := weburl.Parse("http://" + host + "/")
	if err != nil {
		return fmt.Errorf("park: %q is not the name of a host", weburl.Shorten(host))
	}
	if !s.queue.Park(u.Key().Host(), till) {
		return fmt.Errorf("park %s: %w", u.Host(), gatecrawl.ErrUnknown)
	}
	err = s.write(func(t *txn) error {
		t.queue.TouchHost(u)
		return nil
	})
	if err != nil {
		return fmt.Errorf("park %s: %w", u.Host(), err)
	}
	return nil
}
