package store

import (
	"errors"
	"testing"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/revisit"
)

// TestAFaultIsNotAnEmptyQueue damages a note that is read when nothing else is left to visit: who asks for a URL must be
// told of it, and not that the crawl is done.
func TestAFaultIsNotAnEmptyQueue(t *testing.T) {
	for _, which := range []frontier.Leasable{frontier.LeaseAll, frontier.LeaseAgain} {
		s, err := Open(t.TempDir(), testOptions())
		if err != nil {
			t.Fatal(err)
		}
		err = s.kv.Update(t.Context(), func(tx kv.Tx) error {
			tx.Put(revisit.Tables()[1], make([]byte, 16), []byte{0xff})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		s.SetLeasable(which)
		if _, err := s.Next(t.Context()); err == nil || errors.Is(err, frontier.ErrEmpty) {
			t.Errorf("with %d a damaged note is told as %v", which, err)
		}
		s.Close() // with the same fault
	}
}
