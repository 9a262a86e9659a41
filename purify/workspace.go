package purify

import (
	"math"
	"sync"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/body"
	"gatecrawl.example/gatecrawl/purify/words"
)

// A workspace is the memory for reading one page: its outline, and what is made of that. It is used
// again for the next page; results do not depend on earlier pages.
type workspace struct {
	blocks.Outline
	body    body.Chooser
	digest  words.Digest
	set     linkSet
	site    siteBlocks
	scratch []byte
	bar     []byte   // of barForm
	anchors []uint16 // how many start in each block
	pinned  bool     // selectors have chosen the body
	end     int      // the block with which other articles start: see leaveFollowing
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// newWorkspace returns an empty workspace. The caller calls done.
func newWorkspace() *workspace {
	w := workspaces.Get().(*workspace)
	w.Outline.Reset()
	w.body.Outline = &w.Outline
	w.pinned, w.end = false, math.MaxInt
	return w
}

// done gives the workspace back. It must not be used after that.
func (w *workspace) done() {
	w.digest.Release()
	w.site.template, w.site.text = nil, ""
	if w.Outline.Release() && w.body.Release() {
		workspaces.Put(w)
	}
}
