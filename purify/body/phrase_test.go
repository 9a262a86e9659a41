package body

import "testing"

func TestWhatShortBlocksAskForIsCounted(t *testing.T) {
	for _, c := range []struct {
		text  string
		want  [phraseCount]int
		dates int
	}{
		{"Read more »", [phraseCount]int{asksOn: 1}, 0},
		{"阅读全文", [phraseCount]int{asksOn: 1}, 0},
		{"ADD TO CART", [phraseCount]int{asksBuy: 1}, 0},
		{"Get a quote today", [phraseCount]int{asksAct: 1}, 0},
		{"回复", [phraseCount]int{asksReply: 1}, 0},
		{"3 hours ago", [phraseCount]int{}, 1},
		{"12分钟前", [phraseCount]int{}, 1},
		{"Read more than that, and you will find out", [phraseCount]int{}, 0},
		{"They bought a cart.", [phraseCount]int{}, 0},
	} {
		var got census
		got.readPhrase([]byte(c.text), 1)
		if got.phrases != c.want || got.dates != c.dates {
			t.Errorf("readPhrase(%q) counts %v and %d times, want %v and %d", c.text, got.phrases, got.dates, c.want, c.dates)
		}
	}
}
