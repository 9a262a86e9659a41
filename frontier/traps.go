package frontier

import "strings"

// longestRun bounds the runs that repeatedRun looks for, and so its time, which is
// proportional to it and to the number of segments. Longer cycles are stopped by the limit
// on the length of a URL.
const longestRun = 16

// repeatedRun looks in a path for a run of segments that follows itself too
// often: one segment more than limit times in a row, or several together one
// time less, but at least twice. It returns the run and how often it occurs, or
// 0.
//
// Such paths come from a relative link that lacks its leading slash: docs/a.html
// on a page of docs/ leads to docs/docs/a.html, and on. Heritrix refuses a run
// of any length from its third occurrence (PathologicalPathDecideRule,
// maxRepetitions 2), Nutch one segment at its third occurrence with one other
// between each (regex-urlfilter.txt), StormCrawler more than three of one segment
// (maxPathRepetition 3). Real paths do have a short segment three times in a
// row, such as tile numbers and the date /1/1/1/, so one segment alone gets one
// occurrence more here than a longer run.
func repeatedRun(path string, limit int) (run string, times int) {
	if strings.Count(path, "/") <= limit {
		return "", 0
	}
	// starts are the starts of segments; the last is where the next would start.
	var buf [64]int
	starts := append(buf[:0], 1)
	for i := 1; i < len(path); i++ {
		if path[i] == '/' {
			starts = append(starts, i+1)
		}
	}
	if path[len(path)-1] != '/' {
		starts = append(starts, len(path)+1)
	}
	segments := len(starts) - 1
	segment := func(i int) string { return path[starts[i] : starts[i+1]-1] }

	for length := 1; length <= min(longestRun, segments/2); length++ {
		most := limit
		if length > 1 {
			most = max(limit-1, 2)
		}
		same := 0 // segments in a row that equal the one a run's length before
		for i := length; i < segments; i++ {
			if segment(i) != segment(i-length) {
				same = 0
				continue
			}
			if same++; same == most*length {
				first := i + 1 - same - length
				return path[starts[first] : starts[first+length]-1], most + 1
			}
		}
	}
	return "", 0
}

// repeatedSegment looks in a path for a segment that occurs, anywhere, more than twice as
// often as it may in a row. If two relative links of a page lack their slash, they make
// paths in which no run follows itself. It returns the segment and how often it occurs, or
// 0.
func repeatedSegment(path string, limit int) (segment string, times int) {
	if strings.Count(path, "/") <= 2*limit {
		return "", 0
	}
	seen := make(map[string]int)
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "" {
			continue
		}
		if seen[segment]++; seen[segment] > 2*limit {
			return segment, seen[segment]
		}
	}
	return "", 0
}

// repeatedPair looks in a query for a name=value that occurs more than limit
// times, which happens if a page adds its parameters to its own URL once
// more. It returns the pair and how often it occurs, or 0. A name may occur as
// often as it likes: forms with many boxes do that.
func repeatedPair(query string, limit int) (pair string, times int) {
	if strings.Count(query, "&") < limit {
		return "", 0
	}
	seen := make(map[string]int)
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "" {
			continue
		}
		if seen[pair]++; seen[pair] > limit {
			return pair, seen[pair]
		}
	}
	return "", 0
}
