package corpus

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/methods"
)

// aTable counts the words of texts.
func aTable(t *testing.T, texts []string) *dedup.IDF {
	t.Helper()
	var count dedup.IDFCount
	for _, text := range texts {
		count.Add(text)
	}
	var b bytes.Buffer
	if _, err := count.Write(&b); err != nil {
		t.Fatal(err)
	}
	table, err := dedup.ReadIDF(&b)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// shared returns texts of which many are copies of others, on three sites, and their lines.
func shared(t *testing.T) (texts []string, lines [3]string) {
	for n := range 60 {
		list := strings.Fields(words(uint64(n%40), 120))
		for i := 0; i < len(list); i += 5 {
			list[i] = "is the" // where SpotSigs starts a spot
		}
		text := strings.Join(list, " ")
		if n%7 == 0 {
			text = strings.Replace(text, " ", " changed ", 2)
		}
		texts = append(texts, text)
		lines[n*3/60] += lineOf(t, fmt.Sprintf("http://h%d.example/%d", n*3/60, n), text)
	}
	return texts, lines
}

// paired runs a batch by run, and returns the pairs that it finds, and its verdicts.
func paired(t *testing.T, o Options, run func(*Batch) (Counts, error)) (pairs, verdicts []string) {
	t.Helper()
	o.Dedup = dedup.DefaultOptions()
	b, err := NewBatch(o)
	if err != nil {
		t.Fatal(err)
	}
	b.Paired = func(l PairLine) error {
		pairs = append(pairs, fmt.Sprintf("%s %s %.4f", l.A, l.B, l.Score))
		return nil
	}
	b.Judged = func(r Result) error {
		verdicts = append(verdicts, fmt.Sprintf("%s %s %s", r.URL, r.Record.Verdict, r.Record.Of))
		return nil
	}
	if _, err := run(b); err != nil {
		t.Fatal(err)
	}
	return pairs, verdicts
}

func aSource(text string) *Source {
	return &Source{Names: []string{"-"}, Stdin: strings.NewReader(text)}
}

// Whatever the method, shares that are signed apart and merged have the pairs and verdicts of
// the whole, and so have the parts of the keys together.
func TestSharesSignedApartAreComparedAsAWhole(t *testing.T) {
	texts, lines := shared(t)
	table := aTable(t, texts)
	for _, m := range methods.All(0.8) {
		m, ok := m.(methods.Scalable)
		if !ok || methods.NewCollection(m, table).Passes() > 0 {
			continue // the gate, and what learns of the links of all pages
		}
		t.Run(m.Name(), func(t *testing.T) {
			o := Options{Method: m, Words: table}
			wantPairs, want := paired(t, o, func(b *Batch) (Counts, error) { return b.Run(aSource(strings.Join(lines[:], ""))) })
			if len(wantPairs) == 0 {
				t.Fatal("no pairs: the test says nothing")
			}
			var names []string
			for i, share := range lines {
				name := filepath.Join(t.TempDir(), fmt.Sprint(i))
				f, err := os.Create(name)
				if err != nil {
					t.Fatal(err)
				}
				paired(t, o, func(b *Batch) (Counts, error) { return b.Sketch(aSource(share), f) })
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
				names = append(names, name)
			}
			spec, err := ShareMethod(names[0])
			if err != nil {
				t.Fatal(err)
			}
			made, err := methods.Parse(spec, 0.8)
			if err != nil || made != methods.Method(m) {
				t.Fatalf("the method of the share is %v, %v, want %v", made, err, m)
			}
			pairs, got := paired(t, Options{Method: made}, func(b *Batch) (Counts, error) { return b.Merge(names) })
			if !slices.Equal(pairs, wantPairs) || !slices.Equal(got, want) {
				t.Errorf("pairs and verdicts\n%v\n%v\nwant\n%v\n%v", pairs, got, wantPairs, want)
			}
			var parts []string
			for part := range 3 {
				some, _ := paired(t, Options{Method: made, Part: part + 1, Parted: 3}, func(b *Batch) (Counts, error) { return b.Merge(names) })
				if len(some) == len(wantPairs) && len(some) > 20 {
					t.Errorf("part %d of 3 has all %d pairs", part+1, len(some))
				}
				parts = append(parts, some...)
			}
			slices.Sort(parts)
			slices.Sort(wantPairs)
			if parts = slices.Compact(parts); !slices.Equal(parts, wantPairs) {
				t.Errorf("the pairs of three parts are\n%v\nwant\n%v", parts, wantPairs)
			}
		})
	}
}

func TestAMethodThatLearnsOfAllPagesSignsNoShare(t *testing.T) {
	for name, want := range map[string]string{"docview": "--idf", "projection-links": "links of all pages"} {
		m, err := methods.Parse(name, 0.8)
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewBatch(Options{Method: m, Dedup: dedup.DefaultOptions()})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := b.Sketch(aSource("{}"), &out); err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("%s: %v and %d bytes, want an error with %q", name, err, out.Len(), want)
		}
	}
}

// A share's file that is cut anywhere, or of another method or table, is refused by name.
func TestABrokenShareIsRefused(t *testing.T) {
	texts, lines := shared(t)
	signed := func(name string, table *dedup.IDF) []byte {
		m, err := methods.Parse(name, 0.8)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		paired(t, Options{Method: m, Words: table}, func(batch *Batch) (Counts, error) { return batch.Sketch(aSource(lines[0]), &b) })
		return b.Bytes()
	}
	merge := func(shares ...[]byte) error {
		var names []string
		for i, b := range shares {
			names = append(names, filepath.Join(t.TempDir(), fmt.Sprint("share", i)))
			if err := os.WriteFile(names[i], b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		spec, err := ShareMethod(names[0])
		if err != nil {
			return err
		}
		m, err := methods.Parse(spec, 0.8)
		if err != nil {
			return err
		}
		b, err := NewBatch(Options{Method: m, Dedup: dedup.DefaultOptions()})
		if err != nil {
			t.Fatal(err)
		}
		b.Judged = func(Result) error { return nil }
		_, err = b.Merge(names)
		return err
	}
	whole := signed("supershingle", nil)
	if err := merge(whole, whole); err != nil {
		t.Errorf("two whole shares: %v", err)
	}
	for cut := 0; cut < len(whole); cut += 1 + cut/9 {
		if err := merge(whole[:cut]); err == nil || !strings.Contains(err.Error(), "cut short") {
			t.Errorf("the first %d of %d bytes: %v", cut, len(whole), err)
		}
	}
	for i := range whole {
		for _, bit := range []byte{1, 0x80} {
			whole[i] ^= bit
			if err := merge(whole); err == nil || !strings.Contains(err.Error(), "share0: ") {
				t.Errorf("a share with an altered byte %d: %v", i, err)
			}
			whole[i] ^= bit
		}
	}
	if err := merge(bytes.Replace(whole, []byte("sketches 2"), []byte("sketches 1"), 1)); err == nil || !strings.Contains(err.Error(), "another version") {
		t.Errorf("a share of an earlier build: %v", err)
	}
	if err := merge(slices.Concat(whole, whole)); err == nil || !strings.Contains(err.Error(), "share0: something follows") {
		t.Errorf("two shares in one file: %v, want a refusal, since the second would not be read", err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(whole)
	z.Close()
	packed.Bytes()[packed.Len()-6] ^= 1 // of the checksum
	if err := merge(packed.Bytes()); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a compressed share whose checksum is wrong: %v", err)
	}
	if err := merge(whole, signed("supershingle:equal=3", nil)); err == nil || !strings.Contains(err.Error(), "share1: it was signed by supershingle:") {
		t.Errorf("a share of another method: %v", err)
	}
	if err := merge(signed("docview", aTable(t, texts)), signed("docview", aTable(t, texts[1:]))); err == nil || !strings.Contains(err.Error(), "another table") {
		t.Errorf("a share with other words: %v", err)
	}
}
