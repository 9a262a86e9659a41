package twins

import (
	"slices"
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

func TestHostRecordsReadBackAsTheyWereWritten(t *testing.T) {
	twin := &mirror.Twin{Origin: "http://a.test", To: "http://b.test", Class: mirror.Mirror, Checked: 4}
	moves := []movedSite{{From: "http://a.test", To: "http://b.test", Same: 6, Other: 1}}
	only := []byte("its one sampled do")
	for i, facts := range []hostFacts{{}, {Twins: []*mirror.Twin{twin}, Moves: moves}, {}, {Moves: moves}} {
		want := hostRecord{documents: 7, sampled: 5, deferred: 3, named: 2, met: 1, hostFacts: facts}
		if i >= 2 {
			want.only = only
		}
		b, err := want.encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeHost(b)
		if err != nil {
			t.Fatal(err)
		}
		if got.documents != 7 || got.sampled != 5 || got.deferred != 3 || got.named != 2 || got.met != 1 || !slices.Equal(got.only, want.only) ||
			len(got.Twins) != len(facts.Twins) || !slices.Equal(got.Moves, facts.Moves) {
			t.Fatalf("%+v reads back as %+v", want, got)
		}
		if len(got.Twins) > 0 && (got.Twins[0].To != twin.To || got.Twins[0].Class != twin.Class || got.Twins[0].Checked != twin.Checked) {
			t.Errorf("twin %+v reads back as %+v", twin, got.Twins[0])
		}
		for n := range 6 {
			if _, err := decodeHost(b[:n]); err == nil {
				t.Errorf("%d of %d bytes are read without an error", n, len(b))
			}
		}
	}
}

// Nearly equal pages of a stranger are not enough.
func TestAStrangerIsNotTrustedForNearlyEqualPages(t *testing.T) {
	r := &hostRecord{hostFacts: hostFacts{Twins: []*mirror.Twin{{Origin: "http://a.test", To: "http://b.test", Class: mirror.Mirror, Checked: 4}}}}
	if tw := r.trusted("http://a.test"); tw != nil {
		t.Errorf("%+v is trusted", tw)
	}
}

// A host that was left out for an altered copy, and then for another site, under whichever of its names, has its URLs counted for that one.
func TestDeferredURLsCountForTheSiteThatIsAsked(t *testing.T) {
	twin := func(from, to string, givenUp bool) *mirror.Twin {
		return &mirror.Twin{Origin: "http://" + from, To: "http://" + to, By: "equal", GivenUp: givenUp}
	}
	s, err := mem.Open(Tables())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ps := []mirror.Pair{{A: "altered.test", B: "copy.test"}, {A: "alias.test", B: "copy.test"}, {A: "site.test", B: "copy.test"}, {A: "site.test", B: "alias.test"}}
	err = s.Update(t.Context(), func(tx kv.Tx) error {
		for name, host := range map[string]hostRecord{
			"copy.test":  {deferred: 7, hostFacts: hostFacts{Twins: []*mirror.Twin{twin("copy.test", "altered.test", true), twin("copy.test", "alias.test", false)}}},
			"alias.test": {deferred: 2, hostFacts: hostFacts{Twins: []*mirror.Twin{twin("alias.test", "site.test", false)}}},
		} {
			b, err := host.encode()
			if err != nil {
				return err
			}
			h := weburl.HostKeyOf(name)
			if err := hostRows.Put(tx, h[:], b); err != nil {
				return err
			}
		}
		return AddTwins(tx, ps)
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{0, 7, 7, 2} {
		if ps[i].Deferred != want {
			t.Errorf("%d URLs of %s are counted for %s, want %d", ps[i].Deferred, ps[i].B, ps[i].A, want)
		}
	}
}
