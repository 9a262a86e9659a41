package naming

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/dedup/internal/token"
)

// A Series is a name whose versions and dates are replaced by "#", and these versions and dates:
// "Release 3.39.4" is "release #" and "3.39.4". The zero Series has none.
type Series struct {
	of   string
	that string // as they are written, with a space behind each
}

// SeriesOf finds the versions and dates in a name: numbers with dots, underscores, hyphens or
// slashes between them, or a day in eight digits. Any other single number does not count: it may be
// the key of a page or its place in a list. A time to the second in 14 digits does not count with what follows it, either: archives
// write into a URL when they fetched the page.
func SeriesOf(name string) Series {
	var of, that strings.Builder
	name = strings.ToLower(name)
	for i := 0; i < len(name); {
		inside := i > 0 && token.IsDigit(rune(name[i-1]))
		if !inside && isTime(name[i:]) {
			of.WriteByte('*')
			i += timeDigits
			continue
		}
		n := versionAt(name[i:])
		if n == 0 || inside {
			of.WriteByte(name[i])
			i++
			continue
		}
		of.WriteByte('#')
		that.WriteString(name[i:i+n] + " ")
		i += n
	}
	if that.Len() == 0 {
		return Series{}
	}
	return Series{of.String(), that.String()}
}

// timeDigits is how many digits a time to the second has.
const timeDigits = len("20060102150405")

// isTime reports whether a text starts with a time to the second in 14 digits, and no more: 20160409083233.
func isTime(s string) bool {
	if len(s) < timeDigits || !isYear(s[:4]) || len(s) > timeDigits && token.IsDigit(rune(s[timeDigits])) {
		return false
	}
	_, err := time.Parse("20060102150405", s[:timeDigits])
	return err == nil
}

// versionAt returns the length of the version or date at the start of a text, or 0. Two numbers
// with a hyphen or a slash between them count only if one of the two is a year: a pair such as
// 388-96 at the end of a name mostly is a pair of keys.
func versionAt(s string) int {
	end, numbers, told := 0, 0, false
	for i := 0; ; i++ {
		from := i
		for i < len(s) && token.IsDigit(rune(s[i])) {
			i++
		}
		if i == from {
			break
		}
		numbers++
		told = told || isYear(s[from:i]) || numbers > 1 && strings.IndexByte("._", s[from-1]) >= 0
		if end = i; i == len(s) || strings.IndexByte(".-_/", s[i]) < 0 {
			break
		}
	}
	if numbers > 2 || numbers == 2 && told || numbers == 1 && isDay(s[:end]) {
		return end
	}
	return 0
}

// CountOf finds the numbers in a title that the end of the URL has too: "Kites, episode 12" at
// kites-episode-12 is "kites, episode #" and "12". A date is one number.
func CountOf(name, title string) Series {
	named := numbersIn(name)
	if len(named) == 0 {
		return Series{}
	}
	var of, that strings.Builder
	title = strings.ToLower(title)
	for i := 0; i < len(title); {
		if n := versionAt(title[i:]); n > 0 && len(daysOf(title[i:i+n])) > 0 && hasAll(named, numbersIn(title[i:i+n])) {
			of.WriteByte('#')
			that.WriteString(title[i:i+n] + " ")
			i += n
			continue
		}
		n := 0
		for i+n < len(title) && token.IsDigit(rune(title[i+n])) {
			n++
		}
		if number := title[i : i+n]; slices.Contains(named, number) {
			of.WriteByte('#')
			that.WriteString(number + " ")
		} else {
			n = max(n, 1)
			of.WriteString(title[i : i+n])
		}
		i += n
	}
	if that.Len() == 0 {
		return Series{}
	}
	return Series{of.String(), that.String()}
}

// OfTwoModels reports whether two titles each have a number of leastModel digits, no year, that the end of their page's URL has too, and
// that the other's title and URL lack: "Kite DJ2510" at kite-dj2510 and "How to fly a kite 5560" at kite-5560. So do words of letters
// and digits: "Kite C20" at kite-c20 and "Kite C20W" at kite-c20w.
func OfTwoModels(name, title, other, otherTitle string) bool {
	apart := func(in func(string) []string) bool {
		mine, others := modelsIn(name, title, in), modelsIn(other, otherTitle, in)
		return len(mine) > 0 && len(others) > 0 &&
			!hasAny(slices.Concat(in(other), in(otherTitle)), mine) && !hasAny(slices.Concat(in(name), in(title)), others)
	}
	return apart(numbersIn) || apart(codesIn)
}

// codesIn returns the words of letters and digits in a name, in small letters, apart from versions.
func codesIn(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !token.IsDigit(r) })
	return slices.DeleteFunc(words, func(w string) bool {
		return len(w) < leastModel || len(w) > mostCode || !strings.ContainsFunc(w, token.IsDigit) || WithoutDigits(w) == "" || WithoutDigits(w) == "v"
	})
}

// mostCode is how long the code of a model is at most: longer ones are keys of a program.
const mostCode = 12

// modelsIn returns the numbers, or codes, of leastModel signs and more that the end of a URL and a title have, apart from years.
func modelsIn(name, title string, in func(string) []string) []string {
	named := in(name)
	return slices.DeleteFunc(in(title), func(n string) bool { return len(n) < leastModel || isYear(n) || !slices.Contains(named, n) })
}

const leastModel = 3

func hasAny(list, some []string) bool {
	return slices.ContainsFunc(some, func(s string) bool { return slices.Contains(list, s) })
}

func hasAll(list, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(list, s) })
}

// numbersIn returns the runs of digits in a name.
func numbersIn(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return !token.IsDigit(r) })
}

// OfTwoLetters reports whether two ends of URLs are the same except for a letter, of any script, that is their last word:
// functions_a.html and functions_m.html, parts of an index, or functions_0x61.html and functions_0x6d.html by older programs.
// The first part of what is called an index may be without a letter: doc-index.html and doc-index-G.html.
func OfTwoLetters(name, other string) bool {
	list, letter := endsInLetter(bareName(name))
	others, another := endsInLetter(bareName(other))
	switch {
	case letter == 0 && another == 0:
		return false
	case letter == 0:
		return isFirstOf(others, name)
	case another == 0:
		return isFirstOf(list, other)
	}
	return letter != another && list == others
}

// OfTwoIndexes reports whether two ends of URLs are the same letter of two indexes of one thing: functions_a.html, with all members, and
// functions_func_a.html, with the functions among them. So are two lists of Doxygen as it names them: hierarchy.html and annotated.html.
func OfTwoIndexes(name, other string) bool {
	if name != other && isDoxygenList(name) && isDoxygenList(other) {
		return true
	}
	list, letter := endsInLetter(bareName(name))
	others, another := endsInLetter(bareName(other))
	return letter != 0 && letter == another && list != others && firstWord(list) == firstWord(others)
}

// doxygenLists are the lists of a whole program in a manual by Doxygen, which has lists of some kinds of members, too: functions_vars.
var doxygenLists = []string{"annotated", "classes", "hierarchy", "inherits", "files", "namespaces", "functions", "globals", "namespacemembers"}

func isDoxygenList(name string) bool {
	stem, isFile := strings.CutSuffix(name, ".html")
	list, kind, ofKind := strings.Cut(stem, "_")
	return isFile && slices.Contains(doxygenLists, list) && (!ofKind || slices.Contains([]string{"func", "vars", "type", "enum", "eval", "prop", "rela", "evnt", "dup", "defs"}, kind))
}

// OfTwoViews reports whether two ends of URLs are those of a file or a class and of another page about it, as Doxygen names them: the source of
// sail_8h.html is sail_8h_source.html, and the list of the members of classSail.html is classSail-members.html.
func OfTwoViews(name, other string) bool {
	stem, _ := stemOf(name)
	others, _ := stemOf(other)
	for _, end := range []string{"_source", "-members"} {
		if stem == others+end || others == stem+end {
			return true
		}
	}
	return false
}

// firstWord returns what is in front of the first sign in a name.
func firstWord(name string) string { return name[:max(0, strings.IndexAny(name, "_-."))] }

// isFirstOf reports whether the end of a URL is the part of an index without a letter, where list stands in front of
// the letters of the others. A site's first page is none: index-e.html may be the same in another language.
func isFirstOf(list, name string) bool {
	const index = "index"
	bare := bareName(name)
	return len(bare) > len(index) && strings.HasSuffix(bare, index) && list == bare+list[max(0, len(list)-1):]
}

// endsInLetter cuts a name before its last word, if that is a letter or the hexadecimal number of one, and returns the
// letter, as a small one; 0: it is none.
func endsInLetter(name string) (before string, letter rune) {
	i := strings.LastIndexAny(name, "_-.") + 1
	if i <= 1 {
		return "", 0
	}
	last := name[i:]
	letter, size := utf8.DecodeRuneInString(last)
	if code, ok := strings.CutPrefix(last, "0x"); ok {
		n, err := strconv.ParseUint(code, 16, 7)
		if err != nil {
			return "", 0
		}
		letter, size = rune(n), len(last)
	}
	if size != len(last) || !unicode.IsLetter(letter) {
		return "", 0
	}
	return name[:i], unicode.ToLower(letter)
}

// SignOf returns the signs with which a title in brackets ends: "!" of "Kites (Index - !)", a part of an index of
// operators; "" for other titles.
func SignOf(title string) string {
	title, ok := strings.CutSuffix(title, ")")
	sign := title[strings.LastIndexByte(title, ' ')+1:]
	if !ok || strings.ContainsFunc(sign, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	return sign
}

// OperatorOf returns the signs of the operator that a title names: "<=" of "Function template operator<=" and of
// "Operator: <=", "()" of "Sail::operator()(int)", and "`-" of "Kites.Sail()->`-()"; "" for other titles.
func OperatorOf(title string) string {
	const word = "operator"
	if signs := signsBehind(title); signs != "" {
		return signs
	}
	before, signs, ok := strings.Cut(title, word)
	if !ok {
		before, signs, ok = strings.Cut(title, "Operator")
	}
	if last, _ := utf8.DecodeLastRuneInString(before); !ok || before != "" && !isOutsideName(last) {
		return ""
	}
	if strings.HasPrefix(signs, "()") {
		return "()"
	}
	if apart := strings.TrimLeft(signs, ": "); apart != signs { // a dash may follow the word in prose, so nothing may follow the signs
		bare := apart
		if place, rest, ok := strings.Cut(apart, " "); ok && slices.Contains(operatorPlaces, place) {
			bare = rest
		}
		if sign, kind, ok := strings.Cut(bare, " "); ok && (kind == "method" || strings.HasPrefix(kind, "method ")) { // as dartdoc writes it
			apart, bare = sign, sign
		}
		if strings.Trim(bare, operatorSigns+"?.") != "" {
			return ""
		}
		return apart
	}
	if end := strings.IndexFunc(signs, func(r rune) bool { return !strings.ContainsRune(operatorSigns, r) }); end >= 0 {
		signs = signs[:end]
	}
	return signs
}

// signsBehind returns the operator that is all of a title but for the kind of thing, the names around it and the arguments: "<=>" of
// "Sail#<=>", "`-" of "Method Kites.Sail()->`-()", "==" of "==(_:_:)"; "" if there is none. Signs right behind a word, or alone, may be
// anything.
func signsBehind(title string) string {
	title = behindKind(title)
	name := title
	if i := strings.LastIndexByte(title, '('); i > 0 && strings.HasSuffix(title, ")") {
		name = title[:i]
	}
	around := strings.TrimRight(name, operatorSigns+"`?")
	signs, isMember := strings.CutPrefix(name[len(around):], "->")
	switch {
	case strings.Trim(signs, "`?") == "", around == "" && name == title, strings.ContainsFunc(around, unicode.IsSpace):
		return ""
	case around != "" && !isMember && signs[0] != '`' && !strings.ContainsAny(around[len(around)-1:], ".:#"):
		return ""
	}
	return signs
}

// operatorPlaces say where an operator stands: the "prefix -" is another one than "-".
var operatorPlaces = []string{"prefix", "postfix", "infix", "unary", "binary"}

// operatorSigns are the signs that names of operators are made of.
const operatorSigns = "+-*/%^&|~!=<>[]"

// WithoutDigits returns a name without its digits.
func WithoutDigits(name string) string {
	return strings.Map(func(r rune) rune {
		if token.IsDigit(r) {
			return -1
		}
		return r
	}, name)
}

// DifferInKeys reports whether the ends of two URLs differ only in digits, which are neither those of two versions nor those of
// hashes that a program has given to two builds of a file: sail-62b0271293.html and sail-b283177855.html. Nor do those of one page that
// an archive has fetched at two times: 20040118190723_04b1c706.html and 20041113202313_04b1c706.html.
func DifferInKeys(name, other string) bool {
	if name == other || capturedOf(name) != "" && capturedOf(name) == capturedOf(other) || WithoutDigits(name) != WithoutDigits(other) || IsVersion(name) && IsVersion(other) {
		return false
	}
	mine, others := strings.FieldsFunc(name, isOutsideName), strings.FieldsFunc(other, isOutsideName)
	return len(mine) != len(others) || !slices.ContainsFunc(mine, func(w string) bool {
		return isHash(w) && slices.ContainsFunc(others, func(o string) bool { return len(o) == len(w) && o[0] != w[0] && isHash(o) })
	})
}

// capturedOf returns a name that starts with a time and has the hash of an address behind it, without the time; "" for others. A time
// alone, or with a word, may be the key of a page.
func capturedOf(name string) string {
	if !isTime(name) || !slices.ContainsFunc(strings.FieldsFunc(name[timeDigits:], isOutsideName), func(w string) bool { return isHash(strings.Trim(w, "_")) }) {
		return ""
	}
	return name[timeDigits:]
}

// IsKey reports whether the end of a URL is a number or hexadecimal digits, by which a program knows the page: 4711, d95ea23fb423.html.
func IsKey(name string) bool {
	stem, _ := stemOf(name)
	return strings.ContainsFunc(stem, token.IsDigit) && strings.Trim(strings.ToLower(stem), "0123456789abcdef-") == ""
}

// OfTwoHashes reports whether two URLs end in two hexadecimal keys, in folders of which only those of one sign differ: 7/d/d87d87d0b5.html and
// c/2/d7da5b0f85.html, as programs spread their pages.
func OfTwoHashes(folder, name, otherFolder, other string) bool {
	mine, _ := stemOf(name)
	others, _ := stemOf(other)
	return mine != others && isHash(mine) && isHash(others) && withoutShort(folder) == withoutShort(otherFolder)
}

// withoutShort returns a path without the folders whose names are one sign long.
func withoutShort(folder string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(folder, "/"), func(f string) bool { return len(f) == 1 }), "/")
}

// isHash reports whether a word may be a hash in hexadecimal digits: it has leastHash of them, letters and others.
func isHash(word string) bool {
	return len(word) >= leastHash && strings.Trim(word, "0123456789abcdef") == "" && WithoutDigits(word) != "" && strings.ContainsFunc(word, token.IsDigit)
}

const leastHash = 8

// IsVersion reports whether a text is only a version: numbers with dots between them, none of which
// is a year.
func IsVersion(text string) bool {
	numbers := strings.Split(strings.TrimPrefix(text, "v"), ".")
	return len(numbers) > 1 && !slices.ContainsFunc(numbers, func(n string) bool { return !isNumber(n) || isYear(n) })
}

// isNumber reports whether a text is digits.
func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// isDay reports whether a number is a day in eight digits: 20230110.
func isDay(number string) bool {
	if len(number) != 8 || !isYear(number[:4]) {
		return false
	}
	_, err := time.Parse("20060102", number)
	return err == nil
}

// IsDate reports whether the last two folders of a path are those of a year and a month, or of a month and a day: 2016/07, 07/12.
func IsDate(folders string) bool {
	first, last, ok := strings.Cut(folders, "/")
	return ok && isNumber(first) && isNumber(last) && len(last) <= 2 && (len(first) <= 2 || isYear(first))
}

// isYear reports whether a number is a year of 1900 to 2099.
func isYear(number string) bool {
	return len(number) == 4 && (number[:2] == "19" || number[:2] == "20")
}

// Apart reports whether two names are the same except for their versions, dates or numbers.
func (s Series) Apart(other Series) bool {
	return s.of != "" && s.of == other.of && s.that != other.that && !slices.EqualFunc(strings.Fields(s.that), strings.Fields(other.that), areSame)
}

// AreOneSection reports whether two headings are the same behind the numbers of their sections: "3.6.5. Ropes" and "3.7.5. Ropes".
func AreOneSection(heading, other string) bool {
	of, ok := section(heading)
	others, too := section(other)
	return ok && too && of == others
}

// section returns a heading without the number of its section, which ends in a dot, and whether it has one.
func section(heading string) (string, bool) {
	rest := strings.TrimLeft(heading, "0123456789.")
	number, ends := strings.CutSuffix(heading[:len(heading)-len(rest)], ".")
	title := strings.TrimSpace(rest)
	return title, ends && number != "" && title != "" && title != rest
}

// areSame reports whether two versions or dates are the same but for the signs between their numbers, or two dates one day:
// 2023-03-31, 31.03.2023 and 03/31/2023. In one form 03/04/2023 and 04/03/2023 are two days.
func areSame(that, other string) bool {
	if strings.Map(dotted, that) == strings.Map(dotted, other) {
		return true
	}
	days, others := daysOf(that), daysOf(other)
	if form(that) == form(other) && len(days)+len(others) > 2 {
		return false
	}
	return slices.ContainsFunc(days, func(day string) bool { return slices.Contains(others, day) })
}

func dotted(r rune) rune {
	if token.IsDigit(r) {
		return r
	}
	return '.'
}

// form returns in which order a date is written, and with which signs.
func form(date string) string {
	signs := WithoutDigits(date)
	if year, _, _ := strings.Cut(date, signs[:min(1, len(signs))]); isYear(year) {
		return "year" + signs
	}
	return signs
}

// daysOf returns the days that a date may be, as YYYYMMDD: one or, where the year comes last and not behind a dot, up to two;
// none: it is no date.
func daysOf(date string) (days []string) {
	numbers := numbersIn(date)
	add := func(year, month, day string) {
		for _, n := range []*string{&month, &day} {
			if len(*n) == 1 {
				*n = "0" + *n
			}
		}
		if at := year + month + day; isDay(at) && !slices.Contains(days, at) {
			days = append(days, at)
		}
	}
	switch {
	case len(numbers) == 1 && isDay(date):
		return []string{date}
	case len(numbers) != 3:
	case isYear(numbers[0]):
		add(numbers[0], numbers[1], numbers[2])
	case isYear(numbers[2]):
		add(numbers[2], numbers[1], numbers[0])
		if !strings.Contains(date, ".") {
			add(numbers[2], numbers[0], numbers[1])
		}
	}
	return days
}
