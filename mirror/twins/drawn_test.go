package twins

import (
	"slices"
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// The sample of a host with one document is in the host's record; it stays in the sample when more come, and none is drawn twice.
func TestTheOnlyDocumentOfAHostStaysInItsSample(t *testing.T) {
	tables, err := mem.Open(Tables())
	if err != nil {
		t.Fatal(err)
	}
	var m *Learner
	if err := tables.View(t.Context(), func(r kv.Reader) (err error) {
		m, err = Load(r, mirror.ModeOn, nil, false)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	var want []weburl.Key
	for i, address := range []string{"http://a.test/one", "http://a.test/one", "http://a.test/two", "http://a.test/one", "http://a.test/three"} {
		u, err := weburl.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		h := u.Key().Host()
		if !slices.Contains(want, u.Key()) {
			want = append(want, u.Key())
		}
		var got []weburl.Key
		if err := tables.Update(t.Context(), func(tx kv.Tx) error {
			host, err := m.host(tx, h)
			if err == nil {
				err = draw(tx, host, u, u.Key())
			}
			if err == nil {
				got, err = m.drawn(tx, h)
			}
			if err != nil || host.sampled != uint64(len(want)) {
				t.Errorf("after %d documents %d are sampled, want %d: %v", i+1, host.sampled, len(want), err)
			}
			return m.Finish(tx)
		}); err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) || slices.ContainsFunc(want, func(k weburl.Key) bool { return !slices.Contains(got, k) }) {
			t.Errorf("after %d documents the sample is %v, want %v", i+1, got, want)
		}
	}
}
