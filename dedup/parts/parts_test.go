package parts_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/parts"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// prose returns some paragraphs in words that no other name has.
func prose(name string, paragraphs int) (list []string) {
	for i := range paragraphs {
		var words []string
		for j := range 40 {
			words = append(words, fmt.Sprintf("%s%dx%d", name, i, j))
		}
		list = append(list, strings.Join(words, " ")+".")
	}
	return list
}

// noSite is the template of sites without one.
func noSite(uint64) (*purify.Template, error) { return nil, nil }

// A job has texts by place, from 1.
type job struct {
	texts  []dedup.Text
	recent *parts.Recent
	read   int // texts
}

func (j *job) PartText(doc dedup.Ref) (*dedup.PartText, error) {
	j.read++
	return j.texts[doc-1].ForParts(), nil
}

func (j *job) add(t testing.TB, s kv.Store, paragraphs ...[]string) uint64 {
	t.Helper()
	var all []string
	for _, p := range paragraphs {
		all = append(all, p...)
	}
	j.texts = append(j.texts, dedup.Text{Body: strings.Join(all, "\n")})
	seq := uint64(len(j.texts))
	err := s.Update(context.Background(), func(tx kv.Tx) error {
		page.Put(tx, seq, &page.Record{URL: fmt.Sprintf("http://a.example/%d", seq), Verdict: page.VerdictNew}, dedup.Verdict{})
		tx.Put(page.TableSignatures, page.Key(seq), page.EncodeSignature(&dedup.Signature{}))
		return parts.Add(tx, seq, &j.texts[seq-1], j.recent)
	})
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func open(t testing.TB) kv.Store {
	t.Helper()
	s, err := mem.Open(append(page.Tables(), parts.Tables()...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, b := range breaches(t, s) {
			t.Error(b)
		}
		s.Close()
	})
	return s
}

func breaches(t testing.TB, s kv.Store) (list []string) {
	t.Helper()
	err := s.View(context.Background(), func(r kv.Reader) error {
		return parts.Check(r, func(what string, err error) error {
			list = append(list, what+": "+err.Error())
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func find(t testing.TB, s kv.Store, j *job, want int) {
	t.Helper()
	if n, err := parts.Find(context.Background(), s, t.TempDir(), j, j.recent); err != nil || n != want {
		t.Errorf("Find = %d, %v; want %d", n, err, want)
	}
}

// told returns what the record of a page says of parts.
func told(t testing.TB, s kv.Store, seq uint64) string {
	t.Helper()
	var b strings.Builder
	err := s.View(context.Background(), func(r kv.Reader) error {
		p, err := page.Full(r, seq)
		if err == nil {
			err = parts.Tell(r, &p)
		}
		for _, x := range p.PartOf {
			fmt.Fprintf(&b, "%.1f on %s;", x.Share, x.URL[len(x.URL)-1:])
		}
		for _, x := range p.Contains {
			fmt.Fprintf(&b, "has %.1f of %s;", x.Share, x.URL[len(x.URL)-1:])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAWholeAHalfAndAListAreFound(t *testing.T) {
	s, j := open(t), new(job)
	a, b := prose("a", 10), prose("b", 10)
	j.add(t, s, a)
	j.add(t, s, b)
	j.add(t, s, prose("c", 12), a, prose("d", 8))     // a whole one
	j.add(t, s, prose("e", 10), b[:5], prose("f", 6)) // half of one
	find(t, s, j, 2)
	j.add(t, s, a, b) // a list, after the others were compared
	j.add(t, s, prose("g", 10))
	find(t, s, j, 3) // the list has half of the page with a whole one, too
	for seq, want := range map[uint64]string{
		1: "1.0 on 3;1.0 on 5;", 2: "1.0 on 5;0.5 on 4;", 3: "has 1.0 of 1;has 0.5 of 5;", 4: "", 5: "", 6: "",
	} {
		got := told(t, s, seq)
		if seq <= 2 && got != want || seq == 6 && got != "" || seq == 3 && !strings.HasPrefix(got, "has 1.0 of 1;") {
			t.Errorf("page %d: %q, want %q", seq, got, want)
		}
	}
	find(t, s, j, 0)
}

// The texts that samples were made of are compared without reading their pages again, unless another process has
// added them.
func TestRecentTextsAreNotReadAgain(t *testing.T) {
	a, b := prose("a", 10), prose("b", 10)
	var want string
	for _, recent := range []*parts.Recent{nil, parts.NewRecent(t.TempDir(), noSite)} {
		s, j := open(t), &job{recent: recent}
		j.add(t, s, a)
		j.add(t, s, prose("c", 12), a[:6], prose("d", 8))
		j.recent = nil // another process
		j.add(t, s, b)
		j.recent = recent
		j.add(t, s, b[2:], prose("e", 10))
		find(t, s, j, 2)
		var got string
		for seq := uint64(1); seq <= 4; seq++ {
			got += told(t, s, seq) + "\n"
		}
		if recent == nil {
			want = got
			if j.read != 4 {
				t.Errorf("%d texts are read without recent ones, want 4", j.read)
			}
		} else if got != want || j.read != 1 {
			t.Errorf("with recent texts %d are read, and the pages say\n%s, want 1 and\n%s", j.read, got, want)
		}
		if err := recent.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAForgottenPageIsNobodysPart(t *testing.T) {
	s, j := open(t), new(job)
	a := prose("a", 10)
	j.add(t, s, a)
	j.add(t, s, a, prose("b", 12))
	find(t, s, j, 1)
	if err := s.Update(context.Background(), func(tx kv.Tx) error { return parts.Forget(tx, 1) }); err != nil {
		t.Fatal(err)
	}
	if got := told(t, s, 2); got != "" {
		t.Errorf("page 2: %q of a page that was forgotten", got)
	}
}

func TestCheckFindsWhatRepairMends(t *testing.T) {
	s, j := open(t), new(job)
	a := prose("a", 10)
	j.add(t, s, a)
	j.add(t, s, a, prose("b", 12))
	j.add(t, s, prose("c", 10))
	find(t, s, j, 1)
	err := s.Update(context.Background(), func(tx kv.Tx) error {
		tx.Delete(parts.TableParts, page.Key(1))
		tx.Put(parts.TableSketches, page.Key(3), []byte{1, 2, 3})
		tx.Put(parts.TableSketches, page.Key(9), []byte{1, 0, 0, 0, 1})
		tx.Put(parts.TablePending, page.Key(8), []byte{1})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := breaches(t, s); len(got) != 4 {
		t.Errorf("Check: %q, want four breaches", got)
	}
	if err := parts.Repair(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	find(t, s, j, 1)
	if got := told(t, s, 1); got != "1.0 on 2;" {
		t.Errorf("page 1: %q after the repair", got)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte{1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 'a', 'b', 'c'}, []byte{1, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, row, sketch []byte) {
		s, err := mem.Open(append(page.Tables(), parts.Tables()...))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		err = s.Update(context.Background(), func(tx kv.Tx) error {
			tx.Put(parts.TableParts, page.Key(1), row)
			tx.Put(parts.TableSketches, page.Key(1), sketch)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		breaches(t, s)
	})
}

// BenchmarkAdd1000Words is what a visit pays for.
func BenchmarkAdd1000Words(b *testing.B) {
	s, err := mem.Open(append(page.Tables(), parts.Tables()...))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	html := "<html><body><article><p>" + strings.Join(prose("a", 25), "</p><p>") + "</p></article></body></html>"
	text := dedup.TextOf(purify.Purify([]byte(html), "text/html"))
	text.Sign() // as a visit has done by then
	recent := parts.NewRecent(b.TempDir(), noSite)
	defer recent.Close()
	for i := uint64(1); b.Loop(); i++ {
		err := s.Update(context.Background(), func(tx kv.Tx) error { return parts.Add(tx, i%1000+1, &text, recent) })
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSample1000Words(b *testing.B) {
	html := "<html><body><article><p>" + strings.Join(prose("a", 25), "</p><p>") + "</p></article></body></html>"
	text := dedup.TextOf(purify.Purify([]byte(html), "text/html"))
	text.Sign()
	for b.Loop() {
		text.Sample()
	}
}

// A page that has a whole article of another one is told so when Find has compared them.
func ExampleFind() {
	s, err := mem.Open(append(page.Tables(), parts.Tables()...))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	article := strings.Join(prose("a", 10), "\n")
	j := &job{texts: []dedup.Text{{Body: article}, {Body: article + "\n" + strings.Join(prose("b", 20), "\n")}}}
	ctx := context.Background()
	err = s.Update(ctx, func(tx kv.Tx) error {
		for i := range j.texts {
			seq := uint64(i + 1)
			page.Put(tx, seq, &page.Record{URL: fmt.Sprintf("http://a.example/%d", seq), Verdict: page.VerdictNew}, dedup.Verdict{})
			if err := parts.Add(tx, seq, &j.texts[i], nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(parts.Find(ctx, s, "", j, nil))
	err = s.View(ctx, func(r kv.Reader) error {
		p, err := page.Full(r, 2)
		if err == nil {
			err = parts.Tell(r, &p)
		}
		for _, x := range p.Contains {
			fmt.Printf("%s holds %.0f%% of %s\n", p.URL, 100*x.Share, x.URL)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1 <nil>
	// http://a.example/2 holds 100% of http://a.example/1
}
