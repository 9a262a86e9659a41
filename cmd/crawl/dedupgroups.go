package main

import (
	"fmt"
	"net/url"

	"gatecrawl"
	"gatecrawl/dedup"
)

// maxJoined is how many kept pages one page can join to a group; they are near
// it, and each other hardly.
const maxJoined = 64

// joins are groups of pages as union-find has them: the page with the smallest
// number is the root of its group. It takes 4 bytes a page.
type joins struct{ up []dedup.DocID }

// join makes one group of those of two pages.
func (j *joins) join(a, b dedup.DocID) {
	a, b = j.root(a), j.root(b)
	j.grow(max(a, b))
	j.up[max(a, b)] = min(a, b)
}

// root returns the first page of a page's group.
func (j *joins) root(n dedup.DocID) dedup.DocID {
	j.grow(n)
	for j.up[n] != n {
		j.up[n] = j.up[j.up[n]]
		n = j.up[n]
	}
	return n
}

// grow makes every page up to n a group of its own.
func (j *joins) grow(n dedup.DocID) {
	for len(j.up) <= int(n) {
		j.up = append(j.up, dedup.DocID(len(j.up)))
	}
}

// members calls visit with the pages of each group of two or more, by number,
// the groups by their first.
func (j *joins) members(visit func(pages []dedup.DocID) error) error {
	// The pages of a group hang on each other, the last on none.
	next, last := make([]dedup.DocID, len(j.up)), make([]dedup.DocID, len(j.up))
	for i := 1; i < len(j.up); i++ {
		n := dedup.DocID(i)
		root := j.root(n)
		if root != n {
			next[last[root]] = n
		}
		last[root] = n
	}
	var pages []dedup.DocID
	for i := 1; i < len(j.up); i++ {
		if j.up[i] != dedup.DocID(i) || next[i] == 0 {
			continue
		}
		pages = pages[:0]
		for n := dedup.DocID(i); n != 0; n = next[n] {
			pages = append(pages, n)
		}
		if err := visit(pages); err != nil {
			return err
		}
	}
	return nil
}

// A batchGroup is a kept page with its copies, and the kept pages that those
// join to it.
type batchGroup struct {
	URL    string        `json:"url"`
	Seq    uint64        `json:"seq"`
	Degree int           `json:"degree"` // distinct other hosts
	Copies []batchMember `json:"copies"`
}

// A batchMember is a page of a group beside the first. Its class and the rest
// are about Of, which in a joined group may be another than the first; of a page
// that was new, and is in the group only by a copy of both, they are empty.
type batchMember struct {
	gatecrawl.Member
	Of    string      `json:"of"`
	OfSeq dedup.DocID `json:"of_seq"`
}

func (b *batch) printGroups() error {
	return b.joined.members(func(pages []dedup.DocID) error {
		g, err := b.group(pages)
		if err != nil {
			return err
		}
		if b.asJSON {
			return encodeLine(b.out, g)
		}
		return b.showBatchGroup(g)
	})
}

// group gathers what is printed of a group.
func (b *batch) group(pages []dedup.DocID) (batchGroup, error) {
	_, first, err := b.spool.page(pages[0])
	if err != nil {
		return batchGroup{}, err
	}
	g := batchGroup{URL: first, Seq: uint64(pages[0])}
	hosts := map[string]bool{urlHost(first): true}
	for _, n := range pages[1:] {
		p, address, err := b.spool.page(n)
		if err != nil {
			return g, err
		}
		hosts[urlHost(address)] = true
		m := batchMember{Member: gatecrawl.Member{URL: address, Seq: uint64(n)}, OfSeq: p.Of}
		if v := p.verdict(); v.Copy() {
			m.Class, m.Level, m.Distance, m.Similarity = v.Class.String(), int(v.Level), v.Distance, v.Similarity
			if _, m.Of, err = b.spool.page(p.Of); err != nil {
				return g, err
			}
		}
		g.Copies = append(g.Copies, m)
	}
	g.Degree = len(hosts) - 1
	return g, nil
}

// urlHost returns the host of an address, "" for a file.
func urlHost(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

func (b *batch) showBatchGroup(g batchGroup) error {
	fmt.Fprintf(b.out, "%s  (%s, on %s)\n", oneLine(g.URL), many(len(g.Copies), "copy", "copies"), many(g.Degree, "other host", "other hosts"))
	for _, m := range g.Copies {
		note := "joined by a copy of both"
		if m.OfSeq != 0 {
			note = likeness(m.Class, m.Level, m.Distance, m.Similarity)
		}
		if m.OfSeq != 0 && uint64(m.OfSeq) != g.Seq {
			note += ", of " + oneLine(m.Of)
		}
		if _, err := fmt.Fprintf(b.out, "  %s  (%s)\n", oneLine(m.URL), note); err != nil {
			return err
		}
	}
	return nil
}
