package dedup

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// tableOf counts bodies and reads the table of that.
func tableOf(t testing.TB, bodies ...string) *IDF {
	t.Helper()
	var c IDFCount
	for _, b := range bodies {
		c.Add(b)
	}
	var file bytes.Buffer
	version, err := c.Write(&file)
	if err != nil {
		t.Fatal(err)
	}
	table, err := ReadIDF(&file)
	if err != nil || table.Version() != version {
		t.Fatalf("ReadIDF = version %s, %v, want %s", table.Version(), err, version)
	}
	return table
}

func TestAWordOfEveryPageWeighsLeast(t *testing.T) {
	table := tableOf(t, "the harbour", "the pier the", "the pier", "!!", "")
	if table.Pages() != 3 || table.Words() != 2 {
		t.Fatalf("table of %d pages and %d words, want 3 and 2", table.Pages(), table.Words())
	}
	the, pier := table.weight(3), table.weight(2)
	if the != 256 || the >= pier || pier >= table.rare {
		t.Errorf("weights %d in every page, %d in two of three, %d rare; want 256 and rising", the, pier, table.rare)
	}
}

func TestATableChangesTheSimHashAndNothingElse(t *testing.T) {
	body := strings.Repeat("The harbour is deep and the pier is long. ", 3)
	view := &purify.DocView{Title: "Harbour", Body: body, Layout: 7}
	table := tableOf(t, body, "the pier is long", "the sea is deep and the sky is high")
	plain, got := SignView(Digest{1}, view), table.SignView(Digest{1}, view)
	if got.SimHash == plain.SimHash {
		t.Error("the table's SimHash is that without a table")
	}
	got.SimHash = plain.SimHash
	if got != plain {
		t.Errorf("SignView = %+v, want %+v but for the SimHash", got, plain)
	}
	var none *IDF
	if none.SignView(Digest{1}, view) != plain || none.Version() != "" {
		t.Error("no table signs otherwise than SignView")
	}
}

func TestTheSamePagesMakeTheSameTable(t *testing.T) {
	a, b := tableOf(t, "one two", "two three", "three one"), tableOf(t, "three one", "one two", "two three")
	if a.Version() != b.Version() {
		t.Errorf("versions %s and %s of one collection", a.Version(), b.Version())
	}
	if c := tableOf(t, "one two", "two three"); c.Version() == a.Version() {
		t.Errorf("version %s of two collections", c.Version())
	}
}

func TestADamagedTableIsRefused(t *testing.T) {
	var c IDFCount
	if _, err := c.Write(new(bytes.Buffer)); err == nil {
		t.Error("a table of no pages was written")
	}
	c.Add("one two")
	c.Add("two one")
	var file bytes.Buffer
	if _, err := c.Write(&file); err != nil {
		t.Fatal(err)
	}
	for cut := range file.Len() {
		if _, err := ReadIDF(bytes.NewReader(file.Bytes()[:cut])); err == nil {
			t.Errorf("a table cut to %d bytes of %d was read", cut, file.Len())
		}
	}
	for i := range file.Len() {
		b := bytes.Clone(file.Bytes())
		b[i] ^= 0x10
		if _, err := ReadIDF(bytes.NewReader(b)); err == nil {
			t.Errorf("a table whose byte %d is flipped was read", i)
		}
	}
}

func TestLogarithmsAreRight(t *testing.T) {
	for n := uint64(1); n < 1<<40; n += n/7 + 1 {
		if got, want := float64(log2(n))/256, math.Log2(float64(n)); got > want+1e-6 || got < want-1.0/200 {
			t.Errorf("log2(%d) = %v, want %v", n, got, want)
		}
	}
}

func FuzzReadIDF(f *testing.F) {
	f.Add([]byte(idfMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		table, err := ReadIDF(bytes.NewReader(b))
		if err == nil && (table.Version() == "" || table.Pages() == 0) {
			t.Errorf("ReadIDF(%q) = %+v", b, table)
		}
	})
}
