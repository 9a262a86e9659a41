package body

import (
	"bytes"

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
	for at := 0; ; {
		i := bytes.Index(line[at:], name)
		if i < 0 {
			return false
		}
		i += at
		at = i + len(name)
		if i > 0 && inName(line[i-1]) || at == len(line) || inName(line[at]) {
			continue
		}
		if line[at] == '(' || last == ';' && isAssigned(line[at:]) {
			return true
		}
	}
}

// isAssigned reports whether code after a name gives it a type or a value, or ends.
func isAssigned(after []byte) bool {
	after = bytes.TrimLeft(after, " ")
	return len(after) > 0 && (after[0] == ':' || after[0] == '=' || after[0] == ';' || after[0] == '(')
}
