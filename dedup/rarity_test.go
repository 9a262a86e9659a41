package dedup

import (
	"math"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

func TestATableSaysHowRareAWordIs(t *testing.T) {
	table := tableOf(t, "the pier", "the lamp O'Brien", "the pier 灯塔 O'Brien", "the 灯塔")
	for _, c := range []struct {
		word string
		with float64
	}{
		{"the", 4}, {"pier", 2}, {"o'brien", 2}, {"灯塔", 2},
		{"lamp", 1}, {"never", 1}, {"塔灯", 1},
	} {
		if got, want := table.Rarity(c.word), math.Log(4/c.with); math.Abs(got-want) > 0.01 {
			t.Errorf("Rarity(%s) = %.3f, want ln(4/%v) = %.3f", c.word, got, c.with, want)
		}
	}
}

func TestKeywordsAreWeighedByATable(t *testing.T) {
	var c []string
	for range 9 {
		c = append(c, "the lighthouse 气候变化")
	}
	v := purify.Purify([]byte("<p>lighthouse, lighthouse and keeper. 气候变化和粮食安全，气候变化和粮食安全。"), "text/html; charset=utf-8")
	v.Weigh(tableOf(t, append(c, v.Body)...))
	has := map[string]bool{}
	for _, k := range v.Keywords {
		has[k.Word] = true
	}
	if has["lighthouse"] || has["气候变化"] || !has["keeper"] || !has["粮食安全"] {
		t.Errorf("keywords are %v, want keeper and 粮食安全 and not what every page of the table has", v.Keywords)
	}
}
