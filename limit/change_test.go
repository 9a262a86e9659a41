package limit

import (
	"testing"
	"testing/synctest"
)

func TestALimitThatIsRaisedLetsPagesBeAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		q := NewQuota(1, 0, 0, 0, func() { ended = true })
		if !q.Reserve() {
			t.Fatal("the first page may not be asked for")
		}
		got := make(chan bool)
		go func() { got <- q.Reserve() }() // ends when the limit is raised
		synctest.Wait()
		q.SetLimits(2, 0)
		if !<-got || ended {
			t.Errorf("after the limit was raised nobody may go on, ended %v", ended)
		}
		q.Use(1, 10)
		q.SetLimits(1, 0)
		if !ended || q.Reserve() || q.Reached() != Pages {
			t.Errorf("a limit that was lowered below what is there: ended %v", ended)
		}
	})
}

func TestSlotsAreTakenAndGivenWhileTheyAreUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(1)
		s.Acquire()
		second := false
		go func() { // ends when there are two slots
			s.Acquire()
			second = true
		}()
		synctest.Wait()
		if second {
			t.Fatal("two have the one slot")
		}
		s.Resize(2)
		synctest.Wait()
		if !second {
			t.Fatal("the second slot is not given")
		}
		s.Resize(1)
		s.Release()
		third := false
		go func() { // ends when the second slot is released
			s.Acquire()
			third = true
		}()
		synctest.Wait()
		if third {
			t.Fatal("a slot is given that was taken away")
		}
		s.Release()
		synctest.Wait()
		if !third {
			t.Fatal("the one slot is not given")
		}
		s.Release()
	})
}
