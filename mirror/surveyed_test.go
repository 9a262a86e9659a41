package mirror_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"gatecrawl.example/gatecrawl/mirror"
)

// The sites of two surveys that were sent to a third have the relations that they have in one.
func TestSitesOfSeveralSurveysAreComparedAsThoseOfOne(t *testing.T) {
	surveys := make([]*mirror.Survey, 4) // all sites, the even ones, the odd ones, and what they make together
	for i := range surveys {
		v, err := mirror.NewSurvey(mirror.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		surveys[i] = v
	}
	for i := range 6 {
		origin := fmt.Sprintf("http://m%d.test", i)
		for _, v := range []*mirror.Survey{surveys[0], surveys[1+i%2]} {
			s := v.Site(origin)
			s.Named, s.Met = uint64(i), uint64(10-i)
			s.Canonical("http://m3.test")
			for k := range uint64(300) { // more than a sample has
				v.Add(s, mirror.Document{Path: fmt.Sprintf("/p/%d.html", k), Group: k%250 + 1 + 1000*uint64(i/4), SimHash: k * 0x9e3779b97f4a7c15, Tokens: 100, Body: k})
			}
		}
	}
	for _, v := range surveys {
		v.SetIPs(func(origin string) string { return "10.0.0." + origin[len("http://m"):][:1] })
	}
	for _, v := range surveys[1:3] {
		err := v.Each(func(f mirror.Surveyed) error {
			b, err := json.Marshal(f)
			if err != nil {
				return err
			}
			var back mirror.Surveyed
			if err := json.Unmarshal(b, &back); err != nil {
				return err
			}
			surveys[3].Take(back)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	lib := &shelf{docs: map[string]mirror.Document{}, known: func(string) bool { return false }}
	want, err := surveys[0].Relations(t.Context(), lib)
	if err != nil || len(want) < 3 {
		t.Fatalf("%d relations, %v: too few to say anything", len(want), err)
	}
	got, err := surveys[3].Relations(t.Context(), lib)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Relations = %+v, %v, want %+v", got, err, want)
	}
	if got, want := surveys[3].Hosts(), surveys[0].Hosts(); !reflect.DeepEqual(got, want) {
		t.Errorf("Hosts = %v, want %v", got, want)
	}
}
