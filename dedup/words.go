package dedup

import (
	"bytes"
	"iter"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/dedup/internal/token"
)

// Words yields the tokens of a body as Sign uses them: words, folded in case and width, and, in
// scripts that are written without spaces, single characters, for which the second value is true. A
// token is valid until the next one.
func Words(body string) iter.Seq2[[]byte, bool] {
	return func(yield func([]byte, bool) bool) {
		w := signers.Get().(*signer)
		defer w.release()
		w.tokens.Read(body)
		for text := w.tokens.Text; len(text) > 0; {
			r, size := utf8.DecodeRune(text)
			if token.IsCharacter(r) {
				if !yield(text[:size], true) {
					return
				}
				text = text[size:]
				continue
			}
			word, rest, _ := bytes.Cut(text, []byte{' '})
			if !yield(word, false) {
				return
			}
			text = rest
		}
	}
}

// WordHashes appends a hash of each token of a body, as Words yields them.
func WordHashes(dst []uint64, body string) []uint64 {
	w := signers.Get().(*signer)
	defer w.release()
	w.tokens.Read(body)
	return append(dst, w.tokens.Hashes...)
}
