package corpus

import (
	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
)

// maxJoined is how many kept pages one page can join into a group. They resemble that page,
// but hardly each other.
const maxJoined = 64

// A Group is a set of pages that are copies of one another: the first page and the others.
type Group struct {
	URL    string   `json:"url"`
	Seq    uint64   `json:"seq"`
	Degree int      `json:"degree"` // distinct other hosts
	Copies []Member `json:"copies"`
}

// A Member is a page of a group other than the first. Its class and similarity compare it
// with Of, which in a joined group may not be the first page. They are empty for a new page
// that is in the group only because a later page is a copy of both.
type Member struct {
	gatecrawl.Member
	Of    string      `json:"of"`
	OfSeq dedup.DocID `json:"of_seq"`
}

// group builds a Group.
func (b *Batch) group(pages []dedup.DocID) (Group, error) {
	_, first, err := b.spool.page(pages[0])
	if err != nil {
		return Group{}, err
	}
	g := Group{URL: first, Seq: uint64(pages[0])}
	hosts := map[string]bool{hostOf(first): true}
	for _, n := range pages[1:] {
		p, url, err := b.spool.page(n)
		if err != nil {
			return g, err
		}
		hosts[hostOf(url)] = true
		m := Member{Member: gatecrawl.Member{URL: url, Seq: uint64(n)}, OfSeq: p.Of}
		v := p.verdict()
		if b.found != nil {
			f := b.found[n]
			v = dedup.Verdict{Of: dedup.Ref(f.of), Similarity: float64(f.score)}
			m.OfSeq = f.of
		}
		if v.Copy() {
			m.Class, m.Level, m.Distance, m.Similarity = v.Class.String(), int(v.Level), v.Distance, v.Similarity
			if _, m.Of, err = b.spool.page(dedup.DocID(v.Of)); err != nil {
				return g, err
			}
		}
		g.Copies = append(g.Copies, m)
	}
	g.Degree = len(hosts) - 1
	return g, nil
}

// A unionFind has groups of pages: the page with the smallest number is the root of its
// group. It takes 4 bytes a page.
type unionFind struct{ up []dedup.DocID }

// join merges the groups of two pages.
func (u *unionFind) join(a, b dedup.DocID) {
	a, b = u.root(a), u.root(b)
	u.grow(max(a, b))
	u.up[max(a, b)] = min(a, b)
}

// root returns the first page of a page's group.
func (u *unionFind) root(n dedup.DocID) dedup.DocID {
	u.grow(n)
	for u.up[n] != n {
		u.up[n] = u.up[u.up[n]]
		n = u.up[n]
	}
	return n
}

// grow makes every page up to n a group of its own.
func (u *unionFind) grow(n dedup.DocID) {
	for len(u.up) <= int(n) {
		u.up = append(u.up, dedup.DocID(len(u.up)))
	}
}

// groups calls visit with the pages of each group of two or more, by number, the groups by
// their first.
func (u *unionFind) groups(visit func(pages []dedup.DocID) error) error {
	// The pages of a group are a list, in which the last has no next.
	next, last := make([]dedup.DocID, len(u.up)), make([]dedup.DocID, len(u.up))
	for i := 1; i < len(u.up); i++ {
		n := dedup.DocID(i)
		root := u.root(n)
		if root != n {
			next[last[root]] = n
		}
		last[root] = n
	}
	var pages []dedup.DocID
	for i := 1; i < len(u.up); i++ {
		if u.up[i] != dedup.DocID(i) || next[i] == 0 {
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
