package naming

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// stemOf returns a file's name without the ending of a page, and whether it has one.
func stemOf(name string) (stem string, isFile bool) {
	for _, ending := range []string{".html", ".htm", ".xhtml"} {
		if stem, ok := strings.CutSuffix(name, ending); ok {
			return stem, true
		}
	}
	return name, false
}

// EntryOf returns the name of a thing in a program whose page has it in its title, and a file's name that a generator of manuals makes
// of it; "" if there is none:
//
//   - Sandcastle: Properties_T_Kites_Sail.htm of "Sail Properties", M_Kites_Sail_1_Trim.htm of "Sail<Rope>.Trim Method";
//   - gi-docgen: property.Sail.trim.html of "Kites.Sail:trim";
//   - class pages of PHP: Kites_Rigs_Sail.html of `Class Kites\Rigs\Sail`, class.wind-vane.html of "The WindVane class",
//     class.kites-sail.html of "Sail";
//   - a qualified name as it is: kites.Sail.trim.html of "kites.Sail.trim", of which the last part is returned, since a library may have one
//     thing under several names;
//   - manual pages: kite-trim.1.html of "KITE-TRIM" or "kite-trim(1)".
func EntryOf(name, title string) string {
	stem, isFile := stemOf(name)
	words := strings.Fields(title)
	if !isFile || len(words) == 0 {
		return ""
	}
	if of := cmp.Or(sandcastleName(stem, title), docgenName(stem, title)); of != "" {
		return of
	}
	if stem == title && IsQualified(stem) {
		return strings.ToLower(lastPart(stem))
	}
	command, section, isManual := strings.Cut(stem, ".")
	isManual = isManual && section != "" && '1' <= section[0] && section[0] <= '9'
	ofPHP, isOfPHP := strings.CutPrefix(stem, "class.")
	for i, w := range words {
		w = strings.TrimFunc(w, isOutsideName)
		if strings.Contains(w, `\`) && strings.ReplaceAll(w, `\`, "_") == stem {
			return strings.ToLower(w)
		}
		if isOfPHP && (IsIdentifier(w) && strings.EqualFold(withoutMarks(w), withoutMarks(ofPHP)) || i == 0 && w != "" && strings.HasSuffix(ofPHP, "-"+strings.ToLower(w))) {
			return strings.ToLower(withoutMarks(ofPHP))
		}
		if of, _, _ := strings.Cut(w, "("); isManual && (i == 0 || i+1 == len(words)) && strings.EqualFold(of, command) {
			return strings.ToLower(of)
		}
	}
	return ""
}

// ModulePath returns the name of a thing in a module, with the names of all modules around it and without digits, by the folders of its page: "Kites.Rigs.Make.Rope"
// for argument-1-Rope in kites/Kites/Rigs/Make under "Parameter Make.Rope". The title names the kind of thing, the innermost module and
// the thing; modules start with capitals, or have their kind in front of a hyphen. "" if there is none.
func ModulePath(folder, name, title string) string {
	words := strings.Fields(title)
	if n := len(words); n != 2 && n != 3 || words[0] != "Parameter" && !slices.Contains(kinds, words[0]) {
		return ""
	}
	of := func(folder string) string { return folder[strings.LastIndexByte(folder, '-')+1:] }
	folders := strings.Split(folder, "/")
	path := of(name)
	if words[len(words)-1] != of(folders[len(folders)-1])+"."+path {
		return ""
	}
	for _, f := range slices.Backward(folders) {
		if kind, _, _ := strings.Cut(f, "-"); !isClass(f) && !slices.Contains(moduleKinds, kind) {
			break
		}
		path = of(f) + "." + path
	}
	return WithoutDigits(path)
}

// moduleKinds are how the folders of odoc start that are not those of plain modules.
var moduleKinds = []string{"argument", "module", "class"}

// isOfDartdoc reports whether a page of dartdoc has a name and a title that starts so.
func isOfDartdoc(stem string, title []string) bool {
	return len(title) > 1 && slices.Contains(dartKinds, title[1]) && (stem == title[0] || stem == title[0]+"-"+title[1])
}

// dartKinds are kinds of things in a program, as dartdoc writes them behind their names.
var dartKinds = []string{"class", "mixin", "enum", "extension", "typedef", "constructor", "method", "property", "constant", "function", "library", "operator"}

// MembersOfTwo reports whether two pages of dartdoc with one name and title are of members of two classes, by the folders: Sail/trim.html and
// Kite/trim.html, each under "trim method". So are pages under their name alone in folders with the names of types: TopSail/Trim.html.
func MembersOfTwo(name, title, class, other string) bool {
	stem, isFile := stemOf(name)
	return isFile && class != other && isClass(class) && isClass(other) && (isOfDartdoc(stem, strings.Fields(title)) || OperatorOf(title) != "" ||
		stem == title && IsIdentifier(class) && IsIdentifier(other))
}

// isClass reports whether a folder has the name of a class: letters, digits and underscores, the first a capital.
func isClass(folder string) bool {
	return folder != "" && 'A' <= folder[0] && folder[0] <= 'Z' && !strings.ContainsFunc(folder, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// sandcastleName returns the name at the start of a title that Sandcastle has in the name of the file, too, in small letters; "" if there is
// none. The file's name is a letter for the kind of thing, and the names around it; a number behind a name is how many arguments that has.
func sandcastleName(stem, title string) string {
	for {
		kind, rest, ok := strings.Cut(stem, "_")
		switch {
		case !ok:
			return ""
		case len(kind) == 1:
			if !strings.Contains("TMPFEN", kind) {
				return ""
			}
			return startIn(netWords(title), withoutCounts(rest))
		case !slices.Contains(netKinds, kind) && kind != "Overload" && kind != "AllMembers":
			return ""
		}
		stem = rest
	}
}

// startIn returns the most words at the start of a title that a name has one after the other between underscores, and the rest of the name
// if it is one of the other words, in small letters.
func startIn(words []string, name string) string {
	for n := len(words); n > 0; n-- {
		of := strings.Join(words[:n], "_")
		_, rest, ok := strings.Cut("_"+name+"_", "_"+of+"_")
		if !ok {
			continue
		}
		if rest = strings.TrimSuffix(rest, "_"); slices.Contains(words[n:], rest) {
			of += "_" + rest
		}
		return strings.ToLower(of)
	}
	return ""
}

// withoutCounts returns a name without the parts between its underscores that are numbers.
func withoutCounts(name string) string {
	parts := strings.Split(name, "_")
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p != "" && WithoutDigits(p) == "" }), "_")
}

// netWords returns the names in a title of a .NET manual, without arguments and the kind of thing.
func netWords(title string) []string {
	depth := 0
	title = strings.Map(func(r rune) rune {
		switch r {
		case '(', '<', '[':
			depth++
			return -1
		case ')', '>', ']':
			depth = max(0, depth-1)
			return -1
		}
		if depth > 0 {
			return -1
		}
		return r
	}, title)
	names, _ := cutNetKind(title)
	return names
}

// cutNetKind returns the names in a title, between spaces and dots, without the kind of thing with which manuals of .NET end it, and
// whether it ends with one.
func cutNetKind(title string) (names []string, ok bool) {
	names = strings.FieldsFunc(title, func(r rune) bool { return r == ' ' || r == '.' })
	last := len(names) - 1
	if last < 1 || !slices.Contains(netKinds, names[last]) {
		return names, false
	}
	return names[:last], true
}

// docgenName returns the name of a thing whose page gi-docgen has named by its kind and the names around it, if the title ends in that
// name: sail.trim of property.Sail.trim under "Kites.Sail:trim".
func docgenName(stem, title string) string {
	kind, name, _ := strings.Cut(stem, ".")
	if name == "" || !slices.Contains(docgenKinds, kind) {
		return ""
	}
	parts := strings.FieldsFunc(title, func(r rune) bool { return r == ' ' || r == '.' || r == ':' })
	if !strings.HasSuffix("."+strings.Join(parts, "."), "."+name) {
		return ""
	}
	return strings.ToLower(name)
}

// docgenKinds are kinds of things in a library as the names of gi-docgen's files start.
var docgenKinds = []string{"alias", "callback", "class", "class_method", "const", "ctor", "enum", "error", "flags", "func", "iface", "method", "property", "signal", "struct", "type_func", "union", "vfunc"}

// NetName returns the words of a title in front of the kind of thing with which manuals of .NET end it, in small letters: "sail trim" of
// "Sail.Trim Method", "sail" of "Sail Properties". The arguments in brackets do not count. "" for other titles, and for those without a
// program's name if the file's is no key: Sandcastle names files by keys unless told otherwise.
func NetName(file, title string) string {
	names, ok := cutNetKind(withoutBrackets(title))
	if !ok || len(names) == 0 || len(names) > mostNetNames || !IsKey(file) && !slices.ContainsFunc(names, IsIdentifier) {
		return ""
	}
	return strings.ToLower(strings.Join(names, " "))
}

// NetOverload returns NetName of a title without the arguments that it has in brackets, and these; "" if it has none. Overloads of a method
// differ in them alone.
func NetOverload(file, title string) string {
	from, to := strings.IndexByte(title, '('), strings.LastIndexByte(title, ')')
	if from <= 0 || to < from {
		return ""
	}
	name := NetName(file, strings.TrimRight(title[:from], " ")+title[to+1:])
	if name == "" {
		return ""
	}
	return name + title[from:to+1]
}

// mostNetNames is how many names the title of a thing has at most: those of a class around it and its own.
const mostNetNames = 4

// netKinds are kinds of things as titles of .NET manuals end.
var netKinds = []string{"Class", "Structure", "Interface", "Enumeration", "Delegate", "Method", "Methods", "Property", "Properties", "Field", "Fields", "Event", "Events", "Operator", "Operators", "Constructor", "Constructors"}
