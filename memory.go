package gatecrawl

import (
	"bytes"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/fetch/feed"
)

const (
	// keptBytes is what is reserved for a page that was read, for each byte of it: its
	// body, and packed for the store body and view. linkBytes is what each of its links
	// takes until it is settled.
	keptBytes = 3
	linkBytes = 600

	// treeBytes is what the elements of a page take where selectors ask for them: a tree
	// has css.MaxElements at most (go test ./purify -run HostilePagesWithSelectors).
	treeBytes = 64 << 20

	// freePage is what a page may take until it is settled without reserving memory:
	// nine in ten pages take less.
	freePage = 1 << 20
)

// inHand returns the most memory that a page takes until it is settled, not counting its body,
// if that is more than is free.
func inHand(r *fetch.Response, maxLinks int) int64 {
	links := min(bytes.Count(r.Body, []byte{'<'}), maxLinks)
	if feed.SitemapOf(r.Body) != "" {
		links = feed.MaxItems // what is packed has more than it shows
	}
	n := (keptBytes-1)*int64(len(r.Body)) + linkBytes*int64(links)
	if n <= freePage {
		return 0
	}
	return n
}

// blocked calls fn, which waits for other pages, without the slot of a worker.
func (c *Crawler) blocked(fn func()) { c.slots.WhileBlocked(true, fn) }

// atOnce calls fn where no slot is held.
func atOnce(fn func()) { fn() }
