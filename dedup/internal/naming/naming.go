// Package naming reads the names of pages: the ends of their URLs, the names of folders, and the
// versions and dates in titles.
package naming

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/dedup/internal/slug"
	"gatecrawl.example/gatecrawl/dedup/internal/token"
)

// IsIdentifier reports whether the end of a URL is a program's identifier: it has an underscore or
// a capital within a word, or is a name in Dokka's pages: see Cased.
func IsIdentifier(name string) bool {
	if isOfDokka(name) {
		return true
	}
	var before rune
	for _, r := range bareName(name) {
		if (r == '_' || unicode.IsUpper(r)) && (unicode.IsLower(before) || unicode.IsDigit(before)) {
			return true
		}
		before = r
	}
	return false
}

// isOfDokka reports whether Cased has read a name of Dokka.
func isOfDokka(name string) bool {
	rest, ok := strings.CutPrefix(name, "-")
	rest = strings.TrimLeft(rest, "_")
	return ok && rest != "" && 'A' <= rest[0] && rest[0] <= 'Z'
}

// bareName returns the end of a URL without its last dot and what follows.
func bareName(name string) string {
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		return name[:i]
	}
	return name
}

// Cased returns the end of a URL with the capitals of the name in a Doxygen page. Where file names
// must not differ only in case, Doxygen writes a capital as an underscore and the letter:
// class_param_test-members.html is the page of ParamTest. It writes an underscore as two, and :: as
// _1_1.
//
// Dokka writes a capital as a hyphen and the letter: -http-client is the page of HttpClient. The first hyphen
// stays, as the mark of such a name, and is put in front of underscores: __-http-client is that of __HttpClient. Names that start
// with a small letter could be words of a title, and stay.
func Cased(name string) string {
	if rest := strings.TrimLeft(name, "_"); len(rest) > 1 && rest[0] == '-' && 'a' <= rest[1] && rest[1] <= 'z' {
		return "-" + dokkaCased(name)
	}
	rest := doxygenName(name)
	if rest == "" || rest[0] != '_' && !strings.Contains(rest, "_1_1") || !strings.HasSuffix(rest, ".html") || strings.ContainsFunc(rest, unicode.IsUpper) {
		return name
	}
	b := []byte(name[:len(name)-len(rest)])
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c != '_' || i+1 == len(rest):
			b = append(b, c)
		case rest[i+1] == '_':
			b = append(b, "__"...)
			i++
		case 'a' <= rest[i+1] && rest[i+1] <= 'z':
			b = append(b, rest[i+1]-'a'+'A')
			i++
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

// TitledCased returns the end of a URL with the capitals of the title, if that is this name without its hyphens:
// Dokka's page of resnet50v2Light is resnet50v2-light.html. A name that Cased has read keeps its mark.
func TitledCased(name, title string) string {
	stem, _, _ := strings.Cut(name, ".htm")
	if isOfDokka(name) || !IsIdentifier(title) || !strings.EqualFold(strings.ReplaceAll(stem, "-", ""), title) {
		return name
	}
	return title + name[len(stem):]
}

// dokkaCased returns a name of Dokka with each letter behind a hyphen as a capital, without the hyphens.
func dokkaCased(name string) string {
	var b strings.Builder
	capital := false
	for _, r := range name {
		switch {
		case r == '-':
			capital = true
			continue
		case capital:
			r = unicode.ToUpper(r)
		}
		capital = false
		b.WriteRune(r)
	}
	return b.String()
}

// IsType reports whether the end of a URL is that of a type's page in rustdoc, struct.Name.html, in
// Dokka, whose types are folders, -name, or in Doxygen, classSpace_1_1Name.html, or the list of its members.
func IsType(name string) bool {
	kind, _, ok := strings.Cut(name, ".")
	if !ok {
		return isOfDokka(name)
	}
	if !strings.HasSuffix(name, ".html") {
		return false
	}
	if kind == "struct" || kind == "enum" || kind == "trait" || kind == "union" {
		return true
	}
	rest := doxygenName(name)
	return rest != "" && !strings.HasPrefix(name, "namespace") && ('A' <= rest[0] && rest[0] <= 'Z' || strings.Contains(rest, "_1_1"))
}

// TypeName returns the name of the type whose page a URL that ends so has, as the page's title writes it but for capitals and
// the names around it; "" if the page is not of a type: see IsType. Of a type of Doxygen's whose name starts with a small letter
// the title must have the name: classroom.html is none.
func TypeName(name, title string) string {
	if !IsType(name) {
		return titledByDoxygen(name, title)
	}
	kind, rest, _ := strings.Cut(bareName(name), ".")
	if isOfDokka(name) {
		return kind[1:]
	}
	if rest == "" {
		rest = strings.TrimSuffix(doxygenName(kind), "-members")
		rest, _, _ = strings.Cut(rest, "_3_01") // <: the arguments of a template
		rest = rest[strings.LastIndex(rest, "_1_1")+1:]
		rest = strings.ReplaceAll(strings.TrimPrefix(rest, "1_1"), "__", "_")
	}
	return rest
}

// titledByDoxygen returns the name of a type whose page of Doxygen has it at the end of its URL and in its title: wxSail of
// classwx_sail-members.html, sail_t of structsail__t.html. "" if there is none.
func titledByDoxygen(name, title string) string {
	stem, ok := strings.CutSuffix(name, ".html")
	of := strings.TrimSuffix(doxygenName(stem), "-members")
	if !ok || of == "" || strings.HasPrefix(stem, "namespace") {
		return ""
	}
	words := strings.Fields(title)
	for i, w := range words {
		isNamed := IsIdentifier(w) || i+1 < len(words) && (slices.Contains(kinds, words[i+1]) || words[i+1] == "Member")
		if isNamed && (of == w || of == escaped(w)) {
			return w
		}
	}
	return ""
}

// escaped returns a name as Doxygen writes it where file names must not differ only in case: see Cased.
func escaped(name string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(name, "_", "__") {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return strings.ReplaceAll(b.String(), "::", "_1_1")
}

// doxygenName returns what follows the kind of thing in the name of a page of Doxygen; "" for other names.
func doxygenName(name string) string {
	for _, kind := range [...]string{"class", "struct", "union", "interface", "namespace", "exception", "protocol"} {
		if rest, ok := strings.CutPrefix(name, kind); ok {
			return rest
		}
	}
	return ""
}

// FolderWords returns the features of the words in a folder's name, and of the name without hyphens
// and underscores: -mock-response has those of MockResponse. Digits are left out, since they may be those of
// a version, but not in the name of a type, which also has the underscores at its start.
func FolderWords(t *token.List, name string) []uint64 {
	isType := isOfDokka(Cased(name))
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || unicode.IsDigit(r) && !isType })
	whole := strings.Join(parts, "")
	if isType {
		whole = name[:len(name)-len(strings.TrimLeft(name, "_"))] + whole
	}
	return hashset.Of(t.FeaturesOf(strings.Join(append(parts, whole), " ")))
}

// maxParts is how many parts at the end of a URL are combined to names.
const maxParts = 6

// SegmentWords returns the features of the words at the end of a URL, of the whole of it, and of
// its last words joined with underscores. Generators write identifiers with hyphens, underscores
// and numbers between their parts: classH5_1_1DataType is "classH5" and "DataType", and
// core-kites-sail-test is "sail_test" of core\kites. In a name with underscores all runs of words
// count: wind__rope_8h_source is the source of wind_rope.h. A number does not count as a name.
func SegmentWords(t *token.List, name string) []uint64 {
	name = bareName(name)
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	for i, w := range words {
		words[i] = strings.TrimLeftFunc(w, unicode.IsDigit)
	}
	names := append(words, strings.TrimLeftFunc(name, unicode.IsDigit))
	inner := strings.Contains(name, "_")
	for i := max(0, len(words)-maxParts); i+1 < len(words); i++ {
		names = append(names, strings.Join(words[i:], "_"))
		for end := i + 2; inner && end < len(words); end++ {
			names = append(names, strings.Join(words[i:end], "_"))
		}
	}
	return hashset.Of(t.FeaturesOf(strings.Join(names, " ")))
}

// LetterWords returns the features of the words at the end of a URL, without words that have a
// digit, except identifiers such as Base64Encoder and the codes of models. Doxygen's _1_1 stands for ::.
func LetterWords(t *token.List, name string) []uint64 {
	return t.FeaturesOf(strings.Join(letterWords(name), " "))
}

// JoinedWords is LetterWords for all of these words as one, as a title may write a name: kite-tools is KiteTools.
func JoinedWords(t *token.List, name string) []uint64 {
	return t.FeaturesOf(strings.Join(letterWords(name), ""))
}

// PlainWords returns the words at the end of a URL that have no digit, in lower case. Keys of pages have digits.
func PlainWords(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(bareName(name)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.DeleteFunc(words, func(w string) bool { return strings.ContainsFunc(w, unicode.IsDigit) })
}

func letterWords(name string) []string {
	if doxygenName(name) != "" {
		name = strings.ReplaceAll(name, "_1_1", "_")
	}
	words := strings.FieldsFunc(bareName(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) })
	return slices.DeleteFunc(words, isNumbered)
}

// Keys returns the features of the numbers in the name of a page or a folder that are likely to be
// keys: those of four or more digits that are not years or days. Shorter ones may be versions.
func Keys(t *token.List, name string) []uint64 {
	numbers := numbersIn(bareName(name))
	return t.FeaturesOf(strings.Join(slices.DeleteFunc(numbers, func(n string) bool { return len(n) < leastKey || isYear(n) || isDay(n) }), " "))
}

const leastKey = 4 // digits

// isNumbered reports whether a word has a digit and is neither a code nor an identifier that ends
// in a letter.
func isNumbered(word string) bool {
	last, _ := utf8.DecodeLastRuneInString(word)
	return strings.ContainsFunc(word, unicode.IsDigit) && (unicode.IsDigit(last) || !IsIdentifier(word)) && !isCode(word)
}

// isCode reports whether a word is likely to be the code of a model: it has letters, and three
// consecutive digits that are not a year. EG8145V5 is a code; python3 and 2019a are not.
func isCode(word string) bool {
	digits := numbersIn(word)
	return len(WithoutDigits(word)) >= leastLetters && slices.ContainsFunc(digits, func(n string) bool { return len(n) >= leastCode && !isYear(n) })
}

const (
	leastLetters = 2 // bytes of a code that are not digits
	leastCode    = 3 // consecutive digits of a code
)

// Qualifiers returns, for two qualified names with the same last part, the parts that only one of
// them has: Extras.Ssh.Strings and Extras.Calendar.Strings are told apart by Ssh and Calendar. For
// other names both results are "".
func Qualifiers(name, other string) (mine, others string) {
	x, y := strings.Split(bareName(name), "."), strings.Split(bareName(other), ".")
	if min(len(x), len(y)) < leastQualified || x[len(x)-1] != y[len(y)-1] {
		return "", ""
	}
	without := func(list, than []string) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(list), func(part string) bool { return slices.Contains(than, part) }), "-")
	}
	return without(x, y), without(y, x)
}

// OfOneLastPart reports whether two qualified names end in one name: a method of two classes, or a module under an older
// name, too.
func OfOneLastPart(name, other string) bool {
	return name[strings.LastIndexByte(name, '.')+1:] == other[strings.LastIndexByte(other, '.')+1:]
}

const leastQualified = 3 // parts of a qualified name

// IsQualified reports whether a name is that of a program's thing with the names around it:
// Numerics.LinearAlgebra.Single, and no version, file or host. Hosts are in small letters: Data.Text.Read is none.
func IsQualified(name string) bool {
	if _, isHost := publicsuffix.PublicSuffix(name); isHost {
		return false
	}
	parts := 0
	for part := range strings.SplitSeq(name, ".") {
		if parts++; part == "" || part[0] >= '0' && part[0] <= '9' || strings.ContainsFunc(part, isOutsideName) {
			return false
		}
	}
	return parts >= leastQualified
}

// HasCode reports whether a text has a name as programs write them: with signs within, such as numpy.matrix, std::list or wind_vane.
func HasCode(text string) bool {
	return slices.ContainsFunc(strings.Fields(text), func(word string) bool {
		return strings.ContainsAny(strings.TrimFunc(word, isOutsideName), "._:/$")
	})
}

// SaysQualified reports whether a text has a qualified name that is not the end or the start of a longer word.
func SaysQualified(text, name string) bool {
	for {
		before, after, ok := strings.Cut(text, name)
		if !ok {
			return false
		}
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		if (before == "" || last != '.' && isOutsideName(last)) && (after == "" || isOutsideName(next)) {
			return true
		}
		text = after
	}
}

// QualifiedBy returns the first qualified name in a text that ends in the given one, or that does so without the
// last part, which may be what makes it qualified: kites.rigs of kites.rigs.Sail. "" if there is none.
func QualifiedBy(text, end, last string) string {
	if end == "" {
		return ""
	}
	for from := 0; ; {
		i := strings.Index(text[from:], end)
		if i < 0 {
			return ""
		}
		i, from = from+i, from+i+len(end)
		after := strings.TrimPrefix(text[from:], "."+last)
		start := len(strings.TrimRightFunc(text[:i], func(r rune) bool { return r == '.' || !isOutsideName(r) }))
		next, _ := utf8.DecodeRuneInString(after)
		name, whole := text[start:from], text[start:len(text)-len(after)]
		if (start == i || text[i-1] == '.') && (after == "" || isOutsideName(next) && !strings.HasPrefix(after, ".")) && IsQualified(whole) {
			return name
		}
	}
}

// TitlesQualifyTwo reports whether two titles are the same words except for a qualified name, as a program
// writes them: "Uses of Class org.example.Test" and "Uses of Class org.example.Test.None", or a file of one
// name in two folders. The last part of the name may be a word of the title, too, and versions do not count.
func TitlesQualifyTwo(title, other string) bool {
	x, y := strings.Fields(title), strings.Fields(other)
	if len(x) != len(y) {
		return false
	}
	var mine, others string // the qualified names
	var parts [][2]string   // other words that differ
	for i := range x {
		a, b := strings.TrimFunc(x[i], isOutsideName), strings.TrimFunc(y[i], isOutsideName)
		switch {
		case strings.EqualFold(x[i], y[i]) || isNumbered(a) && isNumbered(b):
		case mine == "" && areQualified(a, b):
			mine, others = a, b
		default:
			parts = append(parts, [2]string{a, b})
		}
	}
	return mine != "" && !slices.ContainsFunc(parts, func(p [2]string) bool { return p[0] != lastPart(mine) || p[1] != lastPart(others) })
}

// areQualified reports whether two words are names of two things with the names around them. A method that a
// class inherits, and a thing that a program exports from several places, have several names with one last part:
// numpy.vander and numpy.ma.vander. A file has one path.
func areQualified(a, b string) bool {
	p, q := nameParts(a), nameParts(b)
	if len(p) > len(q) {
		p, q = q, p
	}
	switch {
	case len(p) == 0:
		return false
	case p[len(p)-1] == q[len(q)-1] && (!strings.Contains(a+b, "/") || slices.Equal(p, q[len(q)-len(p):])):
		return false
	}
	return len(p) > 1 || len(q) > 1 && p[0] == q[0]
}

func lastPart(name string) string {
	parts := nameParts(name)
	return parts[len(parts)-1]
}

// nameParts returns the parts of a path of names, such as org.example.Test, boost/hana/group.hpp or
// std::string; none: the word is something else, such as a version.
func nameParts(word string) []string {
	parts := strings.FieldsFunc(strings.ReplaceAll(word, "::", "."), func(r rune) bool { return r == '.' || r == '/' })
	for _, part := range parts {
		if r, _ := utf8.DecodeRuneInString(part); r != '_' && !unicode.IsLetter(r) {
			return nil
		}
	}
	return parts
}

// isOutsideName reports whether a character is not of an identifier.
func isOutsideName(r rune) bool {
	return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// SpelledWords returns the features of the words of a title and a heading that the end of a URL
// spells in ASCII.
func SpelledWords(t *token.List, name, title, heading string) (list []uint64) {
	for _, word := range append(slug.Words(name, title), slug.Words(name, heading)...) {
		list = append(list, t.FeaturesOf(word)...)
	}
	return list
}

// TitledName returns the name of something in a program by which both the end of a page's URL and its title
// call the page, without the names around it and without hyphens, capitals and underscores but for those at its start; "" if there is none.
// The file's name has the capitals of the title's: wind-vane.html is the page of wind_vane, and not of a tag WindVane.
// It may have the names around it as well: the page of Sail<Rope> is kites.Sail.html.
// Of a qualified name it is the last part, since a library may have a module under an older name, too, and one method on
// the pages of two classes, Kite.fly and Boat.fly. Of a class within another one, Kite.Sail, it is all of it.
// Words without an underscore or a capital within are such names if they are all of the title, or all but the kind of
// thing and the name of the manual: "class Sail", "Sail (Kites 1.2 API)". One with a capital within may start with a small letter if
// it is all of the title: trimSail. A folder is the page of a thing if the title
// says of which kind: "Interface: Sail" of /kites.Sail/. See isOfJSDoc for another. A page of rustdoc has the kind of thing in its file's name: fn.trim.html.
// A function may be any word, with the names around it in front and brackets behind: trim.html of "Kites.Sail()->trim()".
// Behind the kind the names around it may be in front: "Module Kites.Sail".
func TitledName(name, title string) string {
	stem, isFile := strings.CutSuffix(name, ".html")
	scala := strings.IndexByte(stem, '$') > 0
	stem = strings.TrimRight(stem, "$")
	if i := strings.LastIndexByte(stem, '$'); i >= 0 {
		stem = stem[i+1:]
	}
	if withoutMarks(stem) == "" {
		return ""
	}
	title, _, _ = strings.Cut(title, "<") // what follows are the arguments of a template
	words := strings.Fields(withoutBrackets(title))
	if isFile && isOfDartdoc(stem, words) {
		return lowered(words[0])
	}
	if isFile && isFunction(stem, behindKind(title)) || kindQualified(stem, words) != "" {
		return lowered(stem)
	}
	thing := withoutRustKind(stem)
	ofRust := isFile && thing != stem
	for i, w := range words {
		w = strings.Trim(w, "$(),:;")
		if ofRust && w[strings.LastIndexByte(w, ':')+1:] == thing || isOfJSDoc(stem, words[:i], w) {
			return lowered(w[strings.LastIndexByte(w, ':')+1:])
		}
		if !isEndOf(stem, w) || !isFile && (i == 0 || i+1 < len(words) || !areKinds(words[:i])) {
			continue
		}
		first, _ := utf8.DecodeRuneInString(w)
		switch {
		case strings.Contains(w, "_"),
			(unicode.IsUpper(first) || len(words) == 1) && IsIdentifier(w),
			i+1 == len(words) && areKinds(words[:i]) && (scala || unicode.IsUpper(first)):
			if stem == w && isNested(w) {
				return lowered(w)
			}
			return lowered(w[strings.LastIndexByte(w, '.')+1:])
		}
	}
	return ""
}

// isFunction reports whether a title is a name, with the names around it or alone, and a pair of brackets behind it.
func isFunction(name, title string) bool {
	around, ok := strings.CutSuffix(title, name+"()")
	return ok && !strings.ContainsFunc(around, unicode.IsSpace) && (around == "" || strings.ContainsAny(around[len(around)-1:], ".:>#\\/"))
}

// withoutBrackets returns a title without what it ends with in brackets: the manual, or the arguments.
func withoutBrackets(title string) string {
	if before, _, ok := strings.Cut(title, " ("); ok && strings.HasSuffix(title, ")") {
		return before
	}
	return title
}

// isOfJSDoc reports whether a file has the name that JSDoc gives to the page of a module or of a class in one: module-kites_rigs_Sail of
// "Module: kites/rigs/Sail", module-kites_rigs-Sail of "Class: Sail".
func isOfJSDoc(stem string, before []string, word string) bool {
	of, ok := strings.CutPrefix(stem, "module-")
	if !ok || len(before) != 1 || !strings.HasSuffix(before[0], ":") || !areKinds(before) {
		return false
	}
	return of == strings.ReplaceAll(word, "/", "_") || strings.HasSuffix(of, "-"+word)
}

// IsOfKind reports whether a folder is one of those in which programs put the pages of one kind of thing: docs/classes.
func IsOfKind(folder string) bool {
	return slices.Contains(kindFolders, strings.ToLower(folder[strings.LastIndexByte(folder, '/')+1:]))
}

// IsFileOfType reports whether the end of a URL is a file with the name of a type, in capitals as a program writes it: Sail.html.
func IsFileOfType(name string) bool {
	stem, ok := strings.CutSuffix(name, ".html")
	return ok && stem != "" && 'A' <= stem[0] && stem[0] <= 'Z' && !strings.ContainsFunc(stem, isOutsideName)
}

// kindFolders are folders of phpDocumentor, TypeDoc and jazzy.
var kindFolders = []string{"classes", "interfaces", "traits", "enums", "enumerations", "structs", "protocols", "extensions", "modules", "namespaces", "functions", "types"}

// NameOfKind returns the name of a thing in a program, with the names around it and without the signs between, if the file's name ends in
// the first word of the title: kites-rigs-wind-vane.html and kites.rigs.windvane.html under "Wind_Vane extends Gauge" or "WindVane<Rope>".
// "" if it does not.
func NameOfKind(name, title string) string {
	stem, isFile := strings.CutSuffix(name, ".html")
	title, _, _ = strings.Cut(strings.TrimSpace(title), "<") // what follows are the arguments of a template
	word, rest, _ := strings.Cut(title, " ")
	isName := IsIdentifier(word) || rest == "" || strings.ContainsAny(rest[:1], "|(-:") || strings.HasPrefix(rest, "extends ") || strings.HasPrefix(rest, "implements ")
	bare := withoutMarks(word)
	if !isFile || bare == "" || !isName {
		return ""
	}
	for end := stem; ; {
		if strings.EqualFold(withoutMarks(end), bare) {
			return strings.ToLower(withoutMarks(stem))
		}
		i := strings.IndexAny(end, "-.")
		if i < 0 {
			return ""
		}
		end = end[i+1:]
	}
}

// NameOfSource returns the name of a file of PHP, with its folders and without the signs between, if a page in phpDocumentor's folder of files is
// that of the file by the end of the URL and the title: src-rigs-windvane.html under "WindVane.php". "" if it is not.
func NameOfSource(folder, name, title string) string {
	stem, ofPHP := strings.CutSuffix(title, ".php")
	file, isFile := strings.CutSuffix(name, ".html")
	if !ofPHP || !isFile || stem == "" || !endsIn(folder, "files") || !strings.HasSuffix("-"+strings.ToLower(file), "-"+strings.ToLower(stem)) {
		return ""
	}
	return strings.ToLower(file)
}

// isNested reports whether a name is that of a class within another one, as Java writes it: Kite.Sail. All of its parts start
// with a capital, and so it is no method and no package.
func isNested(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || part[0] < 'A' || part[0] > 'Z' {
			return false
		}
	}
	return strings.Contains(name, ".")
}

// lowered returns a name in small letters without the signs that part its words. Underscores at its start do not: DirPort
// and __DirPort are two names.
func lowered(name string) string {
	bare := strings.TrimLeft(name, "_")
	return name[:len(name)-len(bare)] + strings.ToLower(withoutMarks(bare))
}

// isEndOf reports whether a word is a file's name, or what follows one of its dots, but for the signs that part its
// words, or a name with capitals behind its last hyphen: kites-rigs-WindVane.
func isEndOf(file, word string) bool {
	bare := withoutMarks(word)
	if len(bare) > len(file) || bare == "" {
		return false
	}
	if i := strings.LastIndexByte(file, '-'); file[i+1:] == word && IsIdentifier(word) {
		return true
	}
	for {
		if withoutMarks(file) == bare {
			return true
		}
		_, rest, ok := strings.Cut(file, ".")
		if !ok {
			return false
		}
		file = rest
	}
}

// areKinds reports whether the words of a title in front of its last one are none, or say what kind of thing that is
// the name of: one word in small letters, or words that programs write with a capital.
func areKinds(words []string) bool {
	if len(words) == 1 && isLower(words[0]) {
		return true
	}
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(kinds, strings.TrimSuffix(w, ":")) })
}

// behindKind returns a title without the kind of thing in front of its last word, if that is all: "trim()" of "Method trim()".
func behindKind(title string) string {
	words := strings.Fields(title)
	if n := len(words); n > 1 && areKinds(words[:n-1]) {
		return words[n-1]
	}
	return title
}

// kinds are kinds of things in a program, as manuals of classes name them in their titles.
var kinds = []string{"Class", "Interface", "Enum", "Enumeration", "Record", "Annotation", "Exception", "Struct", "Union", "Trait", "Protocol", "Mixin", "Module", "Namespace", "Object", "Function", "Method", "Template", "Type", "Abstract"}

// rustKinds are kinds of things as the names of rustdoc's files start.
var rustKinds = []string{"fn", "struct", "enum", "union", "trait", "traitalias", "type", "constant", "static", "macro", "attr", "derive", "primitive", "keyword"}

// isLower reports whether a word has only small letters.
func isLower(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLower(r) })
}

// TitledQualifier returns the names around that of a page's thing, as the title writes them with double colons in front
// of the end of the URL and the folders have them: "kites::rigs" for Sail.html in kites/rigs under "Class: kites::rigs::Sail",
// and as rustdoc writes it for struct.Sail.html under "kites::rigs::Sail" or "Sail in kites::rigs", and for a folder sails of
// kites/rigs under "kites::rigs::sails". "" if there are none.
func TitledQualifier(folder, name, title string) string {
	if folder == "" {
		return ""
	}
	stem := withoutRustKind(strings.TrimSuffix(name, ".html"))
	words := strings.Fields(title)
	for i, w := range words {
		around, ok := strings.CutSuffix(w, "::"+stem)
		if !ok && i == 2 && words[0] == stem && words[1] == "in" {
			around, ok = w, true
		}
		if path := strings.ReplaceAll(around, "::", "/"); ok && path != "" && (endsIn(path, folder) || endsIn(folder, path)) {
			return around
		}
	}
	return ""
}

// KindQualifier returns the names around that of a page's thing, without digits, as the title writes them with dots behind the kind of thing and
// in front of the end of the URL, and the folders have them: "Kites.Rigs" for Sail of Kites/Rigs under "Module Kites.Rigs.Sail".
// "" if there are none.
func KindQualifier(folder, name, title string) string {
	around := kindQualified(strings.TrimSuffix(name, ".html"), strings.Fields(title))
	if path := strings.ReplaceAll(around, ".", "/"); path == "" || folder == "" || !endsIn(path, folder) && !endsIn(folder, path) {
		return ""
	}
	return WithoutDigits(around)
}

// kindQualified returns what a title has between the kind of thing and the name: "Kites.Rigs" of "Module Kites.Rigs.Sail"; "" if it is no such title.
func kindQualified(name string, title []string) string {
	n := len(title) - 1
	if n < 1 || name == "" || strings.ContainsAny(name, ".:") || !slices.Contains(kinds, strings.TrimSuffix(title[0], ":")) || !areKinds(title[:n]) {
		return ""
	}
	around, ok := strings.CutSuffix(title[n], "."+name)
	if !ok || strings.ContainsFunc(strings.ReplaceAll(around, ".", ""), isOutsideName) {
		return ""
	}
	return around
}

// OfTwoPaths reports whether two qualified names of Rust are those of two things: neither is the other with parts left out, as that of a thing which
// an outer module exports too, nor do they differ in the first part alone, as where one library exports another's things. Digits may be those of
// versions.
func OfTwoPaths(name, other string) bool {
	within := func(name string) []string { return strings.Split(WithoutDigits(name), "::")[1:] }
	x, y := within(name), within(other)
	return !hasInOrder(x, y) && !hasInOrder(y, x)
}

// hasInOrder reports whether a list has the parts of another one in their order.
func hasInOrder(list, parts []string) bool {
	for _, p := range list {
		if len(parts) > 0 && p == parts[0] {
			parts = parts[1:]
		}
	}
	return len(parts) == 0
}

// OfTwoSources reports whether two pages are those of two files of Rust in rustdoc's folders of sources, by the ends of their URLs and their titles:
// trim.rs and reef.rs, or mod.rs in two folders. Folders above src may be those of versions.
func OfTwoSources(folder, name, title, in, other, otherTitle string) bool {
	const ending = ".rs"
	if name != title+".html" || other != otherTitle+".html" || !strings.HasSuffix(title, ending) || !strings.HasSuffix(otherTitle, ending) {
		return false
	}
	below := func(folder string) string {
		if _, inner, ok := strings.Cut("/"+folder+"/", "/src/"); ok {
			folder = inner
		}
		return strings.Trim(WithoutDigits(folder), "/")
	}
	return title != otherTitle || below(folder) != below(in)
}

// endsIn reports whether the last folders of a path are these.
func endsIn(path, folders string) bool { return strings.HasSuffix("/"+path, "/"+folders) }

// withoutRustKind returns the name of a thing in a file of rustdoc: Sail of struct.Sail.
func withoutRustKind(stem string) string {
	if kind, thing, ok := strings.Cut(stem, "."); ok && slices.Contains(rustKinds, kind) {
		return thing
	}
	return stem
}

// IsOfRust reports whether the end of a URL may be that of rustdoc's page of a thing or of a module.
func IsOfRust(name string) bool {
	stem, isFile := strings.CutSuffix(name, ".html")
	return isFile && withoutRustKind(stem) != stem || !strings.Contains(name, ".")
}

// withoutMarks returns a name without the signs that part its words.
func withoutMarks(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r == '$' {
			return -1
		}
		return r
	}, name)
}

// SharedStem returns the shorter of the names of two files, without their endings, if the longer one has no more than a sign or a word and a
// hyphen in front of it: Sail of _Sail and Sail, trim_sail of dot-trim_sail.html and trim_sail.html. "" if it does not.
func SharedStem(name, other string) string {
	long, _ := stemOf(name)
	short, _ := stemOf(other)
	if len(long) < len(short) {
		long, short = short, long
	}
	before, ok := strings.CutSuffix(long, short)
	last, _ := utf8.DecodeLastRuneInString(before)
	if !ok || before == "" || short == "" || strings.Count(before, "-") > 1 || !isOutsideName(last) && last != '_' {
		return ""
	}
	return short
}

// MarksBefore returns the signs in front of a name where a text has it first as a word with nothing else before it, without brackets and quotation
// marks: "." for trim_sail in "Usage: .trim_sail(rope)". ok is false if the text does not have it so.
func MarksBefore(text, name string) (marks string, ok bool) {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return "", false
		}
		at := from + i
		from = at + len(name)
		if next, _ := utf8.DecodeRuneInString(text[from:]); next == '_' || unicode.IsLetter(next) || unicode.IsDigit(next) {
			continue
		}
		before := text[:at]
		if i := strings.LastIndexFunc(before, unicode.IsSpace); i >= 0 {
			before = before[i:]
		}
		if before = strings.TrimSpace(before); !strings.ContainsFunc(before, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return strings.TrimLeft(before, "([{<\"'`“‘«"), true
		}
	}
}
