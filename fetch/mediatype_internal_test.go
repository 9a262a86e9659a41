package fetch

import (
	"math/rand/v2"
	"testing"
)

// Eight bytes at a time are looked at, and counted one by one where one of them may count.
func TestControlCharactersAreCountedOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 3000 {
		body := make([]byte, r.IntN(90))
		for i := range body {
			body[i] = byte(r.IntN(256))
			if r.IntN(8) < n%9 {
				body[i] = "text\n \x1f\x7f\x80 \xff"[r.IntN(11)]
			}
		}
		want, zeros := 0, [2]int{}
		for i, b := range body {
			switch {
			case b == 0:
				zeros[i%2]++
			case b <= 0x08, b == 0x0b, 0x0e <= b && b <= 0x1a, 0x1c <= b && b <= 0x1f:
				want++
			}
		}
		most, least := max(zeros[0], zeros[1]), min(zeros[0], zeros[1])
		utf16 := most > 0 && most >= len(body)/8 && least <= most/32 && want <= len(body)/64
		want += most + least
		if got, is := controlCharacters(body); got != want || is != utf16 {
			t.Fatalf("controlCharacters(%q) = %d, %v, want %d, %v", body, got, is, want, utf16)
		}
	}
}
