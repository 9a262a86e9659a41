package linkgraph

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"gatecrawl.example/gatecrawl/durable"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// A shelf is a graph with the tables under it, and a job that has the pages added last.
type shelf struct {
	t    *testing.T
	dir  string
	kv   kv.Store
	g    *Graph
	want map[uint64][]Link
}

func newShelf(t *testing.T) *shelf {
	s, err := mem.Open(Tables())
	if err != nil {
		t.Fatal(err)
	}
	sh := &shelf{t: t, dir: filepath.Join(t.TempDir(), "links"), kv: s, want: make(map[uint64][]Link)}
	sh.open()
	t.Cleanup(func() {
		sh.check(0)
		if err := errors.Join(sh.g.Close(), sh.kv.Close()); err != nil {
			t.Error(err)
		}
	})
	return sh
}

// open opens the graph, again after a crash.
func (s *shelf) open() {
	s.t.Helper()
	if s.g != nil {
		s.g.Close()
	}
	err := s.kv.View(s.t.Context(), func(r kv.Reader) (err error) {
		s.g, err = Open(s.dir, r, false)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// add adds pages with so many links each, in one commit.
func (s *shelf) add(links int, seqs ...uint64) {
	s.t.Helper()
	err := s.kv.Update(s.t.Context(), func(tx kv.Tx) error {
		for _, seq := range seqs {
			s.want[seq] = drawn(seq, links)
			s.g.Add(tx, seq, s.want[seq])
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// drawn returns links that a number decides.
func drawn(seq uint64, n int) []Link {
	r := rand.New(rand.NewPCG(seq, 1))
	links := make([]Link, n)
	for i := range links {
		u, err := weburl.Parse(fmt.Sprintf("http://h%d.example/%d/%d", r.IntN(4), seq, i))
		if err != nil {
			panic(err)
		}
		links[i] = Link{TargetOf(u.Key()), fmt.Sprintf("link %d of it", i), i%3 == 0, i%2 == 0}
	}
	return links
}

// Linked and Links make the shelf a Job.
func (s *shelf) Linked(_ kv.Reader, seq uint64) (bool, error) { return s.want[seq] != nil, nil }
func (s *shelf) Links(_ kv.Reader, seq uint64) ([]Link, error) {
	return s.want[seq], nil
}

// holds compares what the graph has with what was added.
func (s *shelf) holds() {
	s.t.Helper()
	got := make(map[uint64][]Link)
	err := s.kv.View(s.t.Context(), func(in kv.Reader) error {
		r := s.g.Reader(in)
		defer r.Close()
		return r.Each(s.t.Context(), true, func(seq uint64, links []Link) error {
			got[seq] = slices.Clone(links)
			one, ok, err := r.Of(seq)
			if err != nil || !ok || !slices.Equal(one, links) {
				s.t.Errorf("Of(%d) = %v, %v, %v; Each has %v", seq, one, ok, err, links)
			}
			return nil
		})
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if len(got) != len(s.want) {
		s.t.Errorf("%d pages have links, want %d", len(got), len(s.want))
	}
	for seq, want := range s.want {
		if !slices.Equal(got[seq], want) {
			s.t.Errorf("page %d has links %v, want %v", seq, got[seq], want)
		}
	}
}

// check runs the check, which should find so many breaches.
func (s *shelf) check(want int) {
	s.t.Helper()
	var found []string
	err := s.kv.View(context.Background(), func(r kv.Reader) error {
		return s.g.Check(context.Background(), r, s, func(what string, err error) error {
			found = append(found, what+": "+err.Error())
			return nil
		})
	})
	if err != nil || len(found) != want {
		s.t.Errorf("the check finds %q (%v), want %d breaches", found, err, want)
	}
}

func (s *shelf) repair() int64 {
	s.t.Helper()
	n, err := s.g.Repair(s.t.Context(), s.kv, s, func(_ kv.Reader, from uint64, fn func(uint64) (bool, error)) error {
		for seq := from; seq < 1000; seq++ {
			if s.want[seq] == nil {
				continue
			}
			if more, err := fn(seq); err != nil || !more {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *shelf) file(n int) string { return filepath.Join(s.dir, fmt.Sprintf("%06d.links", n)) }

func TestLinksAreReadAsTheyWereAdded(t *testing.T) {
	s := newShelf(t)
	s.add(0, 1)
	s.add(7, 2, 3)
	s.add(20_000, 9)
	s.add(5, 4)
	s.holds()
	s.open()
	s.holds()
	s.add(6, 3) // read again
	s.add(1, 12)
	s.holds()
	if err := s.kv.Update(t.Context(), func(tx kv.Tx) error { s.g.Remove(tx, 9); return nil }); err != nil {
		t.Fatal(err)
	}
	delete(s.want, 9)
	s.holds()
}

func TestOfLinksToOneTargetTheFirstIsKept(t *testing.T) {
	s := newShelf(t)
	twice := drawn(1, 2)
	twice[1].Target = twice[0].Target
	if err := s.kv.Update(t.Context(), func(tx kv.Tx) error { s.g.Add(tx, 1, twice); return nil }); err != nil {
		t.Fatal(err)
	}
	s.want[1] = twice[:1]
	s.holds()
}

func TestAnotherFileIsStartedWhereOneIsFull(t *testing.T) {
	s := newShelf(t)
	s.g.maxBytes = 1000
	for seq := range uint64(20) {
		s.add(30, seq+1)
	}
	s.holds()
	if files, _ := filepath.Glob(filepath.Join(s.dir, "*")); len(files) < 5 {
		t.Errorf("there are the files %v, want more", files)
	}
}

func TestWhatACrashLeftBehindIsCutOff(t *testing.T) {
	s := newShelf(t)
	s.add(9, 1, 2)
	if err := os.WriteFile(s.file(2), []byte("of a commit that never was"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(s.file(1))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.file(1), append(slices.Clone(before), "half an entry"...), 0o600); err != nil {
		t.Fatal(err)
	}
	s.open()
	if after, err := os.ReadFile(s.file(1)); err != nil || string(after) != string(before) {
		t.Errorf("the file has %d bytes (%v), want the %d that were committed", len(after), err, len(before))
	}
	if _, err := os.Stat(s.file(2)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file that no commit counts is there still: %v", err)
	}
	s.add(4, 3)
	s.holds()
}

func TestDamageIsFoundAndRepaired(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, path string){
		"a byte is another": func(t *testing.T, path string) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			b[len(b)/2] ^= 1
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"the file is cut short": func(t *testing.T, path string) {
			if err := os.Truncate(path, 100); err != nil {
				t.Fatal(err)
			}
		},
		"the file is gone": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t)
			s.add(30, 1, 2, 3)
			s.g.Close()
			damage(t, s.file(1))
			s.open()
			found := 0
			err := s.kv.View(t.Context(), func(r kv.Reader) error {
				return s.g.Check(t.Context(), r, s, func(string, error) error { found++; return nil })
			})
			if err != nil || found == 0 {
				t.Errorf("the check finds %d breaches (%v)", found, err)
			}
			if n := s.repair(); n == 0 {
				t.Error("the repair added nothing")
			}
			s.holds()
			s.check(0)
			s.add(3, 7)
			s.open()
			s.holds()
		})
	}
}

// A row says where a page's links are in three numbers: whatever bit of them is another, the repair goes on.
func TestAFlippedBitOfARowIsRepaired(t *testing.T) {
	s := newShelf(t)
	s.add(30, 1, 2, 3)
	row := func(change func(v []byte)) (n int) {
		err := s.kv.Update(t.Context(), func(tx kv.Tx) error {
			v, err := tx.Get(tableEntries, keyOf(2))
			v = slices.Clone(v)
			n = len(v)
			change(v)
			tx.Put(tableEntries, keyOf(2), v)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for bit := range 8 * row(func([]byte) {}) {
		row(func(v []byte) { v[bit/8] ^= 1 << (bit % 8) })
		s.repair()
		s.holds()
		s.check(0)
	}
	row(func(v []byte) { copy(v, "\xff\xff\xff") })
	s.repair()
	s.holds()
}

func TestARepairForgetsLinksOfOtherPages(t *testing.T) {
	s := newShelf(t)
	s.add(3, 1, 2)
	delete(s.want, 2)
	s.check(1)
	if n := s.repair(); n != 0 {
		t.Errorf("the repair added the links of %d pages", n)
	}
	s.holds()
}

func TestALinkTakes12BytesAtMostBesideItsWords(t *testing.T) {
	for _, n := range []int{20, 40, 200} {
		links := drawn(1, n)
		for i := range links {
			links[i].Text = ""
		}
		if got := float64(len(appendEntry(nil, 1, links))-len("words")) / float64(n); got > 12 {
			t.Errorf("a link of %d takes %.1f bytes", n, got)
		}
	}
}

func FuzzReadEntry(f *testing.F) {
	f.Add(appendEntry(nil, 3, drawn(3, 5)))
	f.Add(appendEntry(nil, 1, nil))
	f.Add([]byte{0, 0, 0, 1, 2})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > entryHead { // the sums are right: what is behind them is looked at
			fixed := slices.Clone(b)
			binary.BigEndian.PutUint32(fixed, uint32(len(b)-entryHead))
			binary.BigEndian.PutUint32(fixed[4:], durable.Sum(fixed[entryHead:]))
			b = fixed
		}
		seq, links, err := readEntry(b, true, nil)
		if err != nil {
			return
		}
		again, back, err := readEntry(appendEntry(nil, seq, links), true, nil)
		if err != nil || again != seq || !slices.Equal(back, links) {
			t.Errorf("the links of page %d, %v, come back as those of %d, %v (%v)", seq, links, again, back, err)
		}
	})
}

func TestHostsAreNumberedAsTheyAreMet(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 3))
	for range 200 {
		var list hostList
		want := map[weburl.HostKey]int{}
		for range r.IntN(120) {
			h := weburl.HostKey{5: byte(r.IntN(1 + r.IntN(60)))}
			n, ok := want[h]
			if !ok {
				n = len(want)
				want[h] = n
			}
			if got := list.numberOf(h); got != n {
				t.Fatalf("numberOf(%v) = %d, want %d of %d", h, got, n, len(want))
			}
		}
		if len(list.keys) != len(want) {
			t.Fatalf("the list has %d hosts, want %d", len(list.keys), len(want))
		}
	}
}

func TestLinksToOneTargetAreKeptOnceWhateverThePageBefore(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 4))
	g := new(Graph)
	for range 300 {
		links := make([]Link, r.IntN(1+r.IntN(2*mostReused)))
		var want []Link
		seen := map[Target]bool{}
		for i := range links {
			links[i] = Link{Target: Target{0: byte(r.IntN(9)), 12: byte(r.IntN(200))}, Text: strconv.Itoa(i)}
			if !seen[links[i].Target] {
				seen[links[i].Target] = true
				want = append(want, links[i])
			}
		}
		if got := g.each(links); !slices.Equal(got, want) {
			t.Fatalf("each of %d links = %v, want %v", len(links), got, want)
		}
	}
}
