package template

import (
	"testing"

	"gatecrawl.example/gatecrawl/store/kv"
)

func TestAPageIsPurifiedOnceMoreWhoseHostGetsATemplateMeanwhile(t *testing.T) {
	j := newJob(t)
	j.visitNew("a.test", 1, 2, 3, 4, 5)
	j.expectLent(1, 2, 3, 4, 5)
	v := j.visit("a.test", 3) // purified with the first template
	v.Page.Seq = 3
	j.visitNew("a.test", 6, 7)
	if g := j.of("a.test").Generation(); g != 2 {
		t.Fatalf("the template has generation %d, and the test needs the second", g)
	}
	for _, want := range []bool{false, true} {
		j.update(func(tx kv.Tx) error {
			wanted, err := j.learner.Revise(tx, v)
			if wanted != want {
				t.Errorf("Revise of a page that was purified with template %d = %v, want %v", v.Template, wanted, want)
			}
			return err
		})
		if !want {
			j.expectLent(3)
		}
		v.Template = 2
	}
	j.expectLent()
}
