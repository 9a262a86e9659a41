package page

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestReadSameIsByteByByte compares readSame with a loop that takes no eight bytes at once.
func TestReadSameIsByteByByte(t *testing.T) {
	slowly := func(page, s []byte) (n, end int) {
		for at := 0; n < len(s) && at < len(page); {
			switch b := page[at]; {
			case b == '<':
				length := bytes.IndexByte(page[at:], '>')
				if length < 0 {
					return n, end
				}
				at += length + 1
			case isSpace(b):
				says := n == 0 || s[n-1] != ' '
				if says && s[n] != ' ' {
					return n, end
				}
				for at < len(page) && isSpace(page[at]) {
					at++
				}
				if says {
					n++
					end = at
				}
			case s[n] == b:
				n++
				at++
				end = at
			default:
				return n, end
			}
		}
		return n, end
	}
	random := rand.New(rand.NewPCG(3, 4))
	text := func(of string, most int) []byte {
		b := make([]byte, random.IntN(most+1))
		for i := range b {
			b[i] = of[random.IntN(len(of))]
		}
		return b
	}
	long := 0
	for range 200_000 {
		page := text("aaaaaaaaaaaaaaaaaaa\xe4\x80    \n<b>", 40)
		s := bytes.ReplaceAll(bytes.ReplaceAll(page, []byte("\n"), []byte(" ")), []byte("<b>"), nil)
		if s = bytes.ReplaceAll(s, []byte("  "), []byte(" ")); len(s) > 0 && random.IntN(3) == 0 {
			s[random.IntN(len(s))] = 'x'
		}
		c := pageCoder{page: page, left: 1000}
		n, end := c.readSame(s, 0)
		if wantN, wantEnd := slowly(page, s); n != wantN || end != wantEnd {
			t.Fatalf("readSame of %q on %q is %d, %d, want %d, %d", s, page, n, end, wantN, wantEnd)
		}
		if n > 16 {
			long++
		}
	}
	if long < 1000 {
		t.Errorf("%d texts of 200,000 are longer than two steps: the test says too little", long)
	}
}
