package body

import (
	"bytes"
	"iter"
	"strings"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// A page of a manual about one function, method or constant declares it below its heading. To the forests the
// declaration is a short line without words, often in a table, and a page with one sentence lost it.

const (
	longestDeclaration = 1000 // bytes
	mostDeclarations   = 16   // of one name on a page
)

// keepDeclaration adds to a body the declarations of what the page's heading names: lines of code with that name below the
// heading, in the innermost element that has it and the body, with the rest of their table or definition. If they are in a list
// of terms, those whose definitions are in the body are so too.
func (ch *Chooser) keepDeclaration(kept []bool, heading int) {
	if heading < 0 {
		heading = ch.callHeading()
	}
	if heading < 0 {
		return
	}
	name := lastName(ch.BlockText(heading))
	if len(name) < 2 {
		return
	}
	place := int32(-1)
	for i, found := heading+1, 0; i < len(kept) && found < mostDeclarations; i++ {
		b := &ch.Blocks[i]
		if b.Size() > longestDeclaration || b.Hints&NotOwn != 0 || b.Tag.Heading() || !isDeclared(ch.BlockText(i), name) {
			continue
		}
		if place < 0 {
			place = ch.aroundBody(kept, heading)
		}
		if place < 0 || !ch.IsIn(b.Node, place) {
			continue
		}
		found++
		within := ch.cellAround(b.Node, place)
		if !kept[i] && within != place {
			ch.keepAll(kept, i, within)
		}
		kept[i] = true
		if ch.Nodes[within].Tag == markup.TagDd {
			ch.keepTerms(kept, ch.Nodes[within].Parent)
		}
	}
}

// aroundBody returns the innermost element that has a heading and the body, -1 if there is no body besides the heading.
func (ch *Chooser) aroundBody(kept []bool, heading int) int32 {
	place, any := ch.Blocks[heading].Node, false
	for i, k := range kept {
		if k && i != heading {
			place, any = ch.Around(place, ch.Blocks[i].Node), true
		}
	}
	if !any {
		return -1
	}
	return place
}

// keepAll adds to a body the blocks of an element, of which one is known.
func (ch *Chooser) keepAll(kept []bool, one int, place int32) {
	for one > 0 && ch.IsIn(ch.Blocks[one-1].Node, place) {
		one--
	}
	for ; one < len(kept) && ch.IsIn(ch.Blocks[one].Node, place); one++ {
		kept[one] = kept[one] || ch.Blocks[one].Hints&NotOwn == 0
	}
}

// keepTerms adds to a body the terms of a list whose definitions are in it.
func (ch *Chooser) keepTerms(kept []bool, list int32) {
	for i := len(kept) - 2; i >= 0; i-- {
		b, next := &ch.Blocks[i], &ch.Blocks[i+1]
		if b.Tag == markup.TagDt && kept[i+1] && ch.Nodes[b.Node].Parent == list && ch.IsIn(next.Node, list) && next.Tag != markup.TagDt {
			kept[i] = true
		}
	}
}

// callHeading returns the first heading that is in no frame and ends in a call that the page's title has, as "Method File()->read()"
// does on a page with the title "File()->read() - Manual"; -1 if there is none.
func (ch *Chooser) callHeading() int {
	for i := range ch.Blocks {
		b := &ch.Blocks[i]
		if text := ch.BlockText(i); b.Tag.Heading() && b.Hints&frame == 0 && bytes.HasSuffix(text, []byte(")")) {
			ch.scratch = markup.AppendLower(ch.scratch[:0], text[bytes.LastIndexByte(text, ' ')+1:])
			for k := range ch.census.titles {
				if bytes.Contains(ch.census.titles[k].get(), ch.scratch) {
					return i
				}
			}
		}
	}
	return -1
}

// cellAround returns the table or definition around a node, or the element place around it if there is none.
func (ch *Chooser) cellAround(node, place int32) int32 {
	for node > place && ch.Nodes[node].Tag != markup.TagTable && ch.Nodes[node].Tag != markup.TagDd {
		node = ch.Nodes[node].Parent
	}
	return max(node, place)
}

// lastName returns the last name of a heading as programs write it: get_baseline of "Method LayoutIter()->get_baseline()"; nil if
// another sign than those of a call follows it.
func lastName(heading []byte) []byte {
	end := len(bytes.TrimRight(heading, "()[]; ¶#"))
	from := end
	for from > 0 && inName(heading[from-1]) {
		from--
	}
	return heading[from:end]
}

func inName(c byte) bool { return markup.LetterOrDigit(c) || c == '_' || c == '$' }

// isDeclared reports whether a line of code declares a name: "int get(int at)", "const ROOM: Integer = 80;".
func isDeclared(line, name []byte) bool {
	last := line[len(line)-1]
	if last != ';' && last != ')' && last != '}' && last != '(' {
		return false
	}
	for at := range placesOf(line, name) {
		if rest := line[at+len(name):]; len(rest) > 0 && (rest[0] == '(' || last == ';' && isAssigned(rest)) {
			return true
		}
	}
	return false
}

// placesOf yields where code has a name that is not a part of a longer one.
func placesOf(code, name []byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		for from := 0; ; from += len(name) {
			i := bytes.Index(code[from:], name)
			if i < 0 {
				return
			}
			from += i
			to := from + len(name)
			if (from == 0 || !inName(code[from-1])) && (to == len(code) || !inName(code[to])) && !yield(from) {
				return
			}
		}
	}
}

// isAssigned reports whether code after a name gives it a type or a value, or ends.
func isAssigned(after []byte) bool {
	after = bytes.TrimLeft(after, " ")
	return len(after) > 0 && (after[0] == ':' || after[0] == '=' || after[0] == ';' || after[0] == '(')
}

// declaresItself reports whether the page is about one class, function or the like: code below its heading declares a name that the
// heading has.
func (ch *Chooser) declaresItself() bool {
	heading := ch.nameBlock()
	if heading < 0 {
		heading = max(ch.census.h1, 0)
	}
	if heading >= len(ch.Blocks) || ch.Blocks[heading].Size() > longestHeading {
		return false
	}
	names := bytes.FieldsFunc(ch.BlockText(heading), func(r rune) bool { return r >= utf8.RuneSelf || !inName(byte(r)) })
	for i := heading + 1; i < len(ch.Blocks); i++ {
		b := &ch.Blocks[i]
		code := b.Hints&hint.InPre != 0
		if b.Size() > longestDeclaration || b.Tag.Heading() || b.Hints&hint.InNav != 0 || !code && (b.Hints&outsideNames != 0 || i > heading+mostToDeclaration) {
			continue
		}
		for _, name := range names {
			if len(name) >= leastName && isDefined(ch.BlockText(i), name, code) {
				return true
			}
		}
	}
	return false
}

const (
	leastName         = 3
	longestHeading    = 200 // bytes of a heading that may be one
	mostToDeclaration = 3   // blocks from a heading to a declaration that is not marked as code
)

// isDefined reports whether code says what a name is: "public class Kite : Toy", "Task<Kite> GetKite(int at)". A line that is not marked as
// code has to start as code does: "class Kite extends Toy".
func isDefined(code, name []byte, marked bool) bool {
	for at := range placesOf(code, name) {
		before, after := bytes.TrimRight(code[:at], " "), bytes.TrimLeft(code[at+len(name):], " ")
		if len(before) == at || len(before) == 0 {
			continue
		}
		word := before[bytes.LastIndexByte(before, ' ')+1:]
		switch last := before[len(before)-1]; {
		case kinds[string(word)]:
			if marked || areOfCode(before) {
				return true
			}
		case marked && !uses[string(word)] && (inName(last) || strings.IndexByte(">]*&", last) >= 0): // a type
			if len(after) > 0 && strings.IndexByte("({=;:", after[0]) >= 0 {
				return true
			}
		}
	}
	return false
}

// areOfCode reports whether all words of a text may stand before a name in its declaration.
func areOfCode(text []byte) bool {
	for word := range bytes.FieldsSeq(text) {
		if !kinds[string(word)] && !access[string(word)] {
			return false
		}
	}
	return true
}

// Words of programming languages: what a name is, before that who may use it, and what may stand before a name that is declared elsewhere.
var (
	kinds  = setOf("class interface trait enum struct record object protocol namespace module delegate function func fun def fn type")
	access = setOf("public protected private internal static final abstract sealed open export")
	uses   = setOf("new return throw await import using use from extends implements")
)

func setOf(list string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		m[word] = true
	}
	return m
}
