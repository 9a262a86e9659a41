package methods

import (
	"math/bits"

	"gatecrawl.example/gatecrawl/dedup"
)

// A rabin makes fingerprints of the bytes of w tokens, as they slide over a text: the
// remainder of the text, as a polynomial over the field of two elements, by an irreducible
// one (Rabin 1981; Broder 1993 has the tables). Two texts of n bytes have one fingerprint
// with a chance of less than 8n / 2^bits, whoever wrote them; a product or a sum of bytes
// promises nothing of the kind.
type rabin struct {
	bits  int
	words int
	byTop [256]uint64 // of a byte that is shifted out at the top, what it leaves
	poly  uint64      // without its highest power
}

// newRabin finds the first irreducible polynomial of the degree above a fixed start.
func newRabin(degree, words int) *rabin {
	r := &rabin{bits: degree, words: words}
	mask := uint64(1)<<degree - 1
	for p := 0x9E3779B97F4A7C15&mask | 1; ; p = (p + 2) & mask {
		if isIrreducible(p, degree) {
			r.poly = p
			break
		}
	}
	for top := range r.byTop {
		// top is the byte above the degree: x^degree times it, modulo the polynomial.
		for bit := range 8 {
			if top>>bit&1 == 1 {
				r.byTop[top] ^= r.times(r.poly, power(bit))
			}
		}
	}
	return r
}

// power is x to the power of n.
func power(n int) uint64 { return 1 << n }

// times multiplies modulo the polynomial.
func (r *rabin) times(a, b uint64) uint64 { return product(a, b, r.poly, r.bits) }

// product multiplies two polynomials modulo another of a degree.
func product(a, b, poly uint64, degree int) (p uint64) {
	for ; b != 0; b >>= 1 {
		if b&1 == 1 {
			p ^= a
		}
		carry := a >> (degree - 1) & 1
		a = a << 1 & (1<<degree - 1)
		if carry == 1 {
			a ^= poly
		}
	}
	return p
}

// isIrreducible is Rabin's test: x^(2^n) = x, and for each prime divisor q of the degree n
// nothing is in common with x^(2^(n/q)) - x.
func isIrreducible(poly uint64, degree int) bool {
	raised := func(n int) uint64 { // x^(2^n)
		x := uint64(2)
		for range n {
			x = product(x, x, poly, degree)
		}
		return x
	}
	if raised(degree) != 2 {
		return false
	}
	for q := 2; q <= degree; q++ {
		if degree%q != 0 || !isPrime(q) {
			continue
		}
		if common := divisor(poly|1<<degree, raised(degree/q)^2); common != 1 {
			return false
		}
	}
	return true
}

func isPrime(n int) bool {
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			return false
		}
	}
	return true
}

// divisor is the greatest common divisor of two polynomials.
func divisor(a, b uint64) uint64 {
	for b != 0 {
		for bits.Len64(a) >= bits.Len64(b) && a != 0 {
			a ^= b << (bits.Len64(a) - bits.Len64(b))
		}
		a, b = b, a
	}
	return a
}

// appended is the fingerprint of a text with one byte more.
func (r *rabin) appended(f uint64, c byte) uint64 {
	top := f >> (r.bits - 8)
	return (f<<8&(1<<r.bits-1) | uint64(c)) ^ r.byTop[top]
}

// shingles returns the fingerprints of every run of words tokens, in their order; all tokens
// are one shingle if there are fewer. Tokens are separated by a byte that none of them has.
func (r *rabin) shingles(body string) []uint64 {
	var text []byte
	var ends []int
	for w := range dedup.Words(body) {
		text = append(append(text, w...), 0)
		ends = append(ends, len(text))
	}
	if len(ends) == 0 {
		return nil
	}
	w := min(r.words, len(ends))
	list := make([]uint64, 0, len(ends)-w+1)
	from := 0
	for i := range len(ends) - w + 1 {
		f := uint64(1) // a leading one: a text that starts with zeros is another
		for _, c := range text[from:ends[i+w-1]] {
			f = r.appended(f, c)
		}
		list = append(list, f)
		from = ends[i]
	}
	return list
}
