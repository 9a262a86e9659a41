package configs

// Nearest returns the name that a mistyped one is likely to mean; "" if there is none.
func Nearest(typed string, names []string) string {
	best, least := "", max(1, (len(typed)+1)/3)+1
	for _, n := range names {
		if d := edits(typed, n); d < least {
			best, least = n, d
		}
	}
	return best
}

// edits counts the letters to insert, delete or replace, and the neighbouring letters to exchange,
// that turn a into b: the optimal string alignment distance (Damerau 1964).
func edits(a, b string) int {
	before, above := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := above[j]
			if a[i] != b[j] {
				cost++
			}
			row[j+1] = min(cost, above[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, above = above, row
	}
	return above[len(b)]
}
