package passage

import "strings"

// A lineStart is the first words of a line.
type lineStart [3]string

// Quoted returns how many lines of a text the original has after fewer quotation marks (">"). Lines
// are compared by their first words, since the blocks of a page are not the lines of a mail.
func Quoted(text, original string) (n int) {
	marks := make(map[lineStart]int)
	eachStart(original, func(s lineStart, depth int) { marks[s] = max(marks[s], depth) })
	counted := make(map[lineStart]bool)
	eachStart(text, func(s lineStart, depth int) {
		if was, ok := marks[s]; ok && depth > was && !counted[s] {
			counted[s] = true
			n++
		}
	})
	return n
}

// eachStart calls f for every three consecutive words of a text, with the number of quotation marks
// before the first.
func eachStart(s string, f func(s lineStart, depth int)) {
	var at lineStart
	var depths [len(at)]int
	words, depth := 0, 0
	for word := range strings.FieldsSeq(s) {
		rest := strings.TrimLeft(word, ">")
		if depth += len(word) - len(rest); rest == "" {
			continue
		}
		copy(at[:], at[1:])
		copy(depths[:], depths[1:])
		at[len(at)-1], depths[len(at)-1] = rest, depth
		if words, depth = words+1, 0; words >= len(at) {
			f(at, depths[0])
		}
	}
}
