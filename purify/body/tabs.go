package body

import (
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// Of tabs, readers see one at a time. A program that documents source code puts what it says of a class into one and the code
// into another, which is nearly all text of the page, and the forests choose the code.

// A pane is one of several tabs. Sizes are in bytes.
type pane struct {
	node  int32
	code  int  // source code
	other int  // other text in no frame
	kept  int  // in the body
	says  bool // it has a sentence or a table
}

// keepTabs replaces a body that is the source code in a tab by what its siblings say, if one before it has a sentence or a table:
// the first tab is what readers see. Tabs that are all source code have one thing in several languages, and stay as they were chosen.
func (ch *Chooser) keepTabs(kept []bool) {
	panes := ch.panes()
	if panes == nil {
		return
	}
	all := 0
	at := reuse.Slice(ch.buf.pane, len(ch.Nodes)) // by node: the pane that it is in, from 1
	ch.buf.pane = at
	for i := range panes {
		at[panes[i].node] = int32(i) + 1
	}
	for n := int(panes[0].node); n < len(at); n++ {
		if at[n] == 0 {
			at[n] = at[ch.Nodes[n].Parent]
		}
	}
	for i := range ch.Blocks {
		b := &ch.Blocks[i]
		if kept[i] {
			all += b.Size()
		}
		if at[b.Node] == 0 {
			continue
		}
		p := &panes[at[b.Node]-1]
		if kept[i] {
			p.kept += b.Size()
		}
		switch {
		case b.Hints&hint.InPre != 0:
			p.code += b.Size()
		case b.Hints&NotInherited == 0: // tabs that readers do not see at first are hidden
			p.other += b.Size()
			p.says = p.says || b.IsProse() || b.Tag == markup.TagTd || b.Tag == markup.TagTh
		}
	}
	for i := range panes {
		if p := &panes[i]; p.isCode() && 2*p.kept > all {
			ch.leaveCode(kept, panes, at, p)
			return
		}
	}
}

// isCode reports whether a tab has hardly any text besides source code.
func (p *pane) isCode() bool { return p.code > codePart*p.other }

// leaveCode replaces a tab of source code by its siblings that say something.
func (ch *Chooser) leaveCode(kept []bool, panes []pane, at []int32, code *pane) {
	around := ch.Nodes[code.node].Parent
	says := false
	for i := range panes {
		p := &panes[i]
		says = says || p.node < code.node && p.says && !p.isCode() && ch.Nodes[p.node].Parent == around
	}
	if !says {
		return
	}
	for i := range kept {
		b := &ch.Blocks[i]
		if at[b.Node] == 0 {
			continue
		}
		if p := &panes[at[b.Node]-1]; ch.Nodes[p.node].Parent == around {
			kept[i] = !p.isCode() && (kept[i] || b.Hints&NotInherited == 0)
		}
	}
}

// panes returns the tabs that have siblings, in the order of the page, without those in others.
func (ch *Chooser) panes() (panes []pane) {
	last := int32(0) // end of the last one
	for n := range ch.Nodes {
		if ch.Nodes[n].Own&hint.Pane == 0 || last > 0 && ch.IsIn(int32(n), last) {
			continue
		}
		panes = append(panes, pane{node: int32(n)})
		last = int32(n)
	}
	return panes
}
