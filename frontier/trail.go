package frontier

import (
	"math"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A Trail is what the trap guards store from link to link.
//
// Calendars never end: each month links to the next. A calendar page is one
// whose path or query names a year with a month, week or day: /2024/05/,
// ?month=2024-05, ?year=2024&month=5, /events-31.05.2024.html, ?d=20240531. A
// step is a link between two calendar pages of one host whose URLs differ only
// in the date. Pages with titles, /2024/05/31/title, differ in more than the date and are
// not steps, so archives of articles have no limit.
//
// By its URLs the guard cannot tell a calendar from a series that has only a date for a
// name, such as one picture a day; if such a series is reached only by links to the day
// before, it too ends after ScopeOptions.MaxCalendarSteps. The guard does not recognize
// months written as words, years alone, dates in seconds, calendars with undated pages in
// between, and steps that also change the view, from a day's list to the next day's table.
type Trail struct {
	Calendar  uint8 // steps from one calendar page to the next, since the last page without a date
	Redirects uint8 // redirects in a row; a link resets it
}

// Redirect returns the trail of the target of a redirect.
func (t Trail) Redirect() Trail {
	if t.Redirects < math.MaxUint8 {
		t.Redirects++
	}
	return t
}

// Follow returns the trail of the page to, which is linked from the page from,
// whose own trail is t.
func (t Trail) Follow(from, to weburl.URL) Trail {
	next := datesIn(to.RequestURI())
	if next.n == 0 || from.Host() != to.Host() {
		return Trail{}
	}
	last := datesIn(from.RequestURI())
	if last.n == 0 {
		return Trail{}
	}
	if sameButForDates(from.RequestURI(), to.RequestURI(), &last, &next) && t.Calendar < math.MaxUint8 {
		t.Calendar++
	}
	return t
}

// dates are the positions of the numbers of dates in a URL, in order. Numbers beyond the
// twelfth count as differences.
type dates struct {
	n    int
	span [12]struct{ from, to int }
}

func (d *dates) add(from, to int) {
	if d.n < len(d.span) {
		d.span[d.n].from, d.span[d.n].to = from, to
		d.n++
	}
}

// sameButForDates reports whether a and b differ, and only in dates.
func sameButForDates(a, b string, ad, bd *dates) bool {
	if ad.n != bd.n || a == b {
		return false
	}
	i, j := 0, 0 // after the last date
	for n := range ad.n {
		if a[i:ad.span[n].from] != b[j:bd.span[n].from] {
			return false
		}
		i, j = ad.span[n].to, bd.span[n].to
	}
	return a[i:] == b[j:]
}

// datesIn finds the dates of a path and query.
func datesIn(uri string) dates {
	var d dates
	named := namedDate(uri)
	for i := 0; i < len(uri); {
		if !isDigit(uri[i]) {
			i++
			continue
		}
		end := digitsEnd(uri, i)
		if slices.Contains(named, i) {
			d.add(i, end)
		} else {
			end = max(end, writtenDate(uri, i, &d))
		}
		i = end
	}
	return d
}

// writtenDate adds the numbers of the date that starts at i, if one does, and returns its
// end. It knows yyyymm, yyyymmdd, y-m, y-m-d, m-y, d-m-y and m-d-y with any of the usual
// separators, and yyyy-Www.
func writtenDate(s string, i int, d *dates) int {
	end := digitsEnd(s, i)
	first := s[i:end]
	switch {
	case len(first) == 8 && isYear(first[:4]) && within(first[4:6], 12) && within(first[6:], 31),
		len(first) == 6 && isYear(first[:4]) && within(first[4:], 12):
		d.add(i, end)
		return end
	case isYear(first) && isISOWeek(s[end:]):
		week := end + strings.IndexAny(s[end:], "Ww") + 1
		d.add(i, end)
		d.add(week, week+2)
		return week + 2
	case isYear(first):
		at, mid := nextNumber(s, end)
		if !within(s[at:mid], 12) {
			return i
		}
		d.add(i, end)
		d.add(at, mid)
		if at, last := nextNumber(s, mid); within(s[at:last], 31) {
			d.add(at, last)
			return last
		}
		return mid
	case within(first, 31):
		at, mid := nextNumber(s, end)
		if isYear(s[at:mid]) && within(first, 12) {
			d.add(i, end)
			d.add(at, mid)
			return mid
		}
		year, last := nextNumber(s, mid)
		if within(s[at:mid], 31) && isYear(s[year:last]) {
			d.add(i, end)
			d.add(at, mid)
			d.add(year, last)
			return last
		}
	}
	return i
}

// isISOWeek reports whether s starts with a week as ISO 8601 writes it after the year.
func isISOWeek(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return len(s) >= 3 && s[0]|0x20 == 'w' && digitsEnd(s, 1) == 3 && within(s[1:3], 53)
}

// nextNumber returns the position of the number that follows s[:end] after one separator
// of dates, or an empty range.
func nextNumber(s string, end int) (from, to int) {
	if end == len(s) {
		return end, end
	}
	from = end
	switch {
	case strings.IndexByte("/-_.", s[end]) >= 0:
		from++
	case strings.HasPrefix(s[end:], "%2F"):
		from += len("%2F")
	default:
		return end, end
	}
	return from, digitsEnd(s, from)
}

// namedDate returns where the values of a query's year and of its months, weeks and days
// start, as in year=2024&month=5. Without a year it returns none.
func namedDate(uri string) []int {
	_, query, _ := strings.Cut(uri, "?")
	at := len(uri) - len(query)
	var starts []int
	year, part := false, false
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		most, isDate := dateParts[strings.ToLower(name)]
		switch {
		case !isDate:
		case most == 0 && isYear(value):
			year = true
			starts = append(starts, at+len(name)+1)
		case within(value, most):
			part = true
			starts = append(starts, at+len(name)+1)
		}
		at += len(pair) + 1
	}
	if !year || !part {
		return nil
	}
	return starts
}

// dateParts are the names that queries give to years and their parts, and the
// largest value of each part.
var dateParts = map[string]int{
	"year": 0, "yr": 0, "y": 0,
	"month": 12, "mon": 12, "mo": 12, "m": 12,
	"week": 53, "wk": 53, "w": 53,
	"day": 31, "d": 31,
}

// isYear reports whether s is a year from 1900 to 2199: a calendar that starts
// today is stopped long before it leaves that range, and fewer other numbers look
// like years.
func isYear(s string) bool {
	return len(s) == 4 && (s[:2] == "19" || s[:2] == "20" || s[:2] == "21") && isDigit(s[2]) && isDigit(s[3])
}

// within reports whether s is a number of one or two digits from 1 to most.
func within(s string, most int) bool {
	if len(s) == 0 || len(s) > 2 || digitsEnd(s, 0) != len(s) {
		return false
	}
	n := 0
	for _, c := range []byte(s) {
		n = n*10 + int(c-'0')
	}
	return 1 <= n && n <= most
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// digitsEnd returns the end of the digits that start at i.
func digitsEnd(s string, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}
