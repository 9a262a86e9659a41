package words_test

import (
	"testing"

	"gatecrawl.example/gatecrawl/purify/words"
)

func TestACutTextEndsWithAWholeCharacter(t *testing.T) {
	for n := range len("кайт") + 1 {
		if got, want := words.Cut("кайт", n), "кайт"[:n/2*2]; got != want {
			t.Errorf("words.Cut(кайт, %d) = %q, want %q", n, got, want)
		}
	}
}
