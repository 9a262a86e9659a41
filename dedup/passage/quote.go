package passage

import "strings"

// A lineStart is what a line starts with.
type lineStart [3]string

// Quoted returns how many lines of a text another one has behind fewer marks. A line is known by its
// first words, since what a page is cut into is not its lines.
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

// eachStart calls f for every three words of a text that follow each other, with the number of marks
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
