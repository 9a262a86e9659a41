package markup

import "regexp"

// maxStamp is how many bytes a line has at most that says when its page was made.
const maxStamp = 200

var (
	clock = regexp.MustCompile(`\d:[0-5]\d:[0-5]\d`)
	year  = regexp.MustCompile(`\b(19|20)\d\d\b`)
)

// IsStamp reports whether a line says when its page was made: it has a time of day to the second and a year, as in "Generated
// on Sun Feb 4 20:29:34 2024 by yard". It is another line on each page, so that no template has it.
func IsStamp[T string | []byte](line T) bool {
	return len(line) <= maxStamp && clock.MatchString(string(line)) && year.MatchString(string(line))
}
