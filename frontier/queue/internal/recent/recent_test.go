package recent

import (
	"encoding/binary"
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

func keyOf(i int) (k weburl.Key) {
	binary.BigEndian.PutUint64(k[8:], uint64(i))
	k[0] = 1
	return k
}

// TestURLsAreAsTheyWereMet remembers URLs of each kind, more than fit at the start.
func TestURLsAreAsTheyWereMet(t *testing.T) {
	c := New()
	want := make(map[weburl.Key]URL)
	for i := range 3 * fewSlots {
		k := keyOf(i)
		switch i % 3 {
		case 0:
			m := URL{Score: float32(i), Plain: float32(i) / 2, Cash: -1}
			c.Put(k, m)
			want[k] = m
		case 1:
			c.Put(k, c.Done(k, .25, uint16(i)))
			c.Linked(k)
			m := *c.Get(k)
			if !m.Done() || m.Rated != .25 || m.Links != uint32(i)+1 || !(m.Plain > 1e30) || m.Cash != 0 {
				t.Fatalf("Get(%d) = %+v", i, m)
			}
			want[k] = m
		case 2:
			c.Put(k, Refused())
			c.Linked(k)
			m := *c.Get(k)
			if !m.Decided() || m.Done() || m.Links != 0 || m.Rated != 0 {
				t.Fatalf("Get(%d) = %+v", i, m)
			}
			want[k] = m
		}
	}
	for k, m := range want {
		if got := c.Get(k); got == nil || *got != m {
			t.Errorf("Get(%x) = %+v, want %+v", k, got, m)
		}
	}
	if c.Get(keyOf(1<<30)) != nil {
		t.Error("a URL that was not met is remembered")
	}
}
