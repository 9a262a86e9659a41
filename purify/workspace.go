package purify

import (
	"math"
	"sync"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/body"
	"gatecrawl.example/gatecrawl/purify/words"
)

// A workspace is what one page needs to be read: its outline, and the memory of what is made of
// that. It is reused for the next page; what it says does not depend on the pages before.
type workspace struct {
	blocks.Outline
	body    body.Chooser
	digest  words.Digest
	set     linkSet
	site    siteBlocks
	scratch []byte
	anchors []uint16 // how many start in each block
	pinned  bool     // the body is what selectors keep
	end     int      // where other articles start, below the page's own: see leaveFollowing
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// newWorkspace returns an empty workspace. Whoever asks for one calls done.
func newWorkspace() *workspace {
	w := workspaces.Get().(*workspace)
	w.Outline.Reset()
	w.body.Outline = &w.Outline
	w.pinned, w.end = false, math.MaxInt
	return w
}

// done gives the workspace back. Nothing of it may be used after that.
func (w *workspace) done() {
	w.digest.Release()
	w.site.template = nil
	if w.Outline.Release() && w.body.Release() {
		workspaces.Put(w)
	}
}
