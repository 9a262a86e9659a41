package dedup

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// kept is the truth of a gate in a test.
type keptSignatures map[DocID]Signature

func (k keptSignatures) Signature(doc DocID) (Signature, error) { return k[doc], nil }

func TestARevisedKeeperIsMetByItsNewSignatureAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, c := range []struct {
		name   string
		recent int // claims that the gate holds: above 1 it need not ask its truth
	}{
		{"while the gate holds the claim", 100},
		{"when only the store does", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := DefaultOptions()
			o.Recent = c.recent
			truth := keptSignatures{}
			g, err := NewGate(o, truth)
			if err != nil {
				t.Fatal(err)
			}
			claim := func(doc DocID, sig Signature) Verdict {
				t.Helper()
				v, err := g.Claim(doc, sig, nil)
				if err != nil {
					t.Fatal(err)
				}
				truth[doc] = sig
				return v
			}
			body, frame := text(r, 200), text(r, 150)
			before, after := SignText(frame+" "+body), SignText(body)
			before.Bytes, after.Bytes = DigestOf([]byte("page")), DigestOf([]byte("page"))
			claim(1, before)
			claim(2, SignText(text(r, 300)))

			for range 2 { // again changes nothing
				if err := g.Revise(1, after); err != nil {
					t.Fatal(err)
				}
				truth[1] = after
			}
			claim(3, SignText(text(r, 300)))

			words := strings.Fields(body)
			words[100] = "another"
			for name, q := range map[string]struct {
				sig   Signature
				level Level
				of    DocID
			}{
				"the same bytes":       {Signature{Bytes: before.Bytes}, LevelBytes, 1},
				"the new body":         {SignText(body), LevelBody, 1},
				"near the new body":    {SignText(strings.Join(words, " ")), LevelNear, 1},
				"the old body":         {SignText(frame + " " + body), 0, 0},
				"near the old body":    {SignText(frame + " " + strings.Join(words, " ")), 0, 0},
				"another kept page":    {truth[2], LevelBody, 2},
				"a kept page after it": {truth[3], LevelBody, 3},
			} {
				v, err := g.Check(q.sig, nil)
				if err != nil {
					t.Fatal(err)
				}
				if v.Of != Ref(q.of) || v.Level != q.level {
					t.Errorf("%s: Check = %+v, want level %d of %d", name, v, q.level, q.of)
				}
			}
		})
	}
}

func TestReviseRefusesAnotherPayload(t *testing.T) {
	g, err := NewGate(DefaultOptions(), keptSignatures{})
	if err != nil {
		t.Fatal(err)
	}
	sig := SignText("some words")
	sig.Bytes = DigestOf([]byte("a"))
	if _, err := g.Claim(1, sig, nil); err != nil {
		t.Fatal(err)
	}
	sig.Bytes = DigestOf([]byte("b"))
	if err := g.Revise(1, sig); err == nil {
		t.Error("Revise took a signature of another payload")
	}
}
