package markup

// maxStamp is how many bytes a line has at most that says when its page was made.
const maxStamp = 200

// IsStamp reports whether a line says when its page was made: it has a time of day to the second and a year, as in "Generated
// on Sun Feb 4 20:29:34 2024 by yard". It is another line on each page, so that no template has it.
func IsStamp[T string | []byte](line T) bool {
	return len(line) <= maxStamp && hasClock(line) && hasYear(line)
}

// hasClock reports whether a line has a time of day to the second, as in 7:05:59.
func hasClock[T string | []byte](line T) bool {
	for i := 1; i+5 < len(line); i++ {
		if line[i] == ':' && line[i+3] == ':' && Digit(line[i-1]) &&
			Digit(line[i+1]) && line[i+1] < '6' && Digit(line[i+2]) && Digit(line[i+4]) && line[i+4] < '6' && Digit(line[i+5]) {
			return true
		}
	}
	return false
}

// hasYear reports whether a line has a year from 1900 to 2099 that is not part of a longer number or word of ASCII.
func hasYear[T string | []byte](line T) bool {
	inWord := func(i int) bool {
		return i >= 0 && i < len(line) && (Digit(line[i]) || Letter(line[i]) || line[i] == '_')
	}
	for i := 0; i+3 < len(line); i++ {
		if (line[i] == '1' && line[i+1] == '9' || line[i] == '2' && line[i+1] == '0') &&
			Digit(line[i+2]) && Digit(line[i+3]) && !inWord(i-1) && !inWord(i+4) {
			return true
		}
	}
	return false
}
