package store

import (
	"fmt"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/dedup/parts"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// An article may come after a list that shows it and little else, and a page after one that has its text in
// the folder of another language. The article is kept all the same, since its title and URL name the text for
// longer, and so are the page in the folder of its language and the one that the other names as canonical; what came first becomes the copy. Both happen in the
// transaction of the article's visit: before it the list is kept, and after it the article. And so may a page come after a
// copy of it with other bytes on the site of another owner, who must not take its place by a few words of his own.

// keepShown makes the page of a visit, which the gate has found to be a copy, a kept page if the one that
// it is a copy of only shows it. t.shownBy is the verdict on that page then.
func (t *settling) keepShown() error {
	v := t.visit
	if !t.verdict.Copy() || t.verdict.Level < dedup.LevelBody || t.old.Seq != 0 || t.s.partition != nil || v.View == nil {
		return nil
	}
	list := uint64(t.verdict.Of)
	if retired, err := group.Retired(t.tx, list); err != nil || retired {
		return err
	}
	may, err := t.s.groups.MayJoin(t.tx, list, t.record.Seq, t.verdict)
	if err != nil {
		return err
	}
	view, err := t.view(t.record.Seq)
	if err != nil {
		return err
	}
	shown, err := t.isShown(&v.Page, view, list)
	if err == nil && !may {
		shown, err = t.isArticleOf(shown, &v.Page, list)
	} else if err == nil && !shown {
		shown, err = t.isOfEarlierSeed(&v.Page, list)
	}
	if err != nil || !shown {
		return err
	}
	if !may {
		t.s.gate.Keep(dedup.DocID(t.record.Seq), *v.Sign)
		t.verdict = dedup.Verdict{}
		return nil
	}
	t.shownSays = t.saysTheSame()
	t.s.gate.Keep(dedup.DocID(t.record.Seq), *v.Sign)
	t.shownBy, t.verdict = t.verdict, dedup.Verdict{}
	return nil
}

// replaceList makes the list that shows the page of a visit the page's copy.
func (t *settling) replaceList() (bool, error) {
	if !t.shownBy.Copy() {
		return false, nil
	}
	list := uint64(t.shownBy.Of)
	t.shownBy.Of = dedup.Ref(t.record.Seq)
	if err := t.s.groups.Join(t.tx, list, t.record.Seq, t.shownBy); err != nil {
		return false, err
	}
	p, v, err := t.page(list)
	if err != nil {
		return false, err
	}
	p.Says = t.shownSays
	if d := t.shownDiffers; d != nil {
		p.Differs = &dedup.Difference{Here: d.There, There: d.Here}
	}
	t.putPage(list, &p, v)
	return false, parts.Forget(t.tx, list)
}

// isShown reports whether a page is one that a kept page only shows, or names as the canonical one: see dedup.Shows, dedup.Untranslated and
// dedup.IsCanonical.
func (t *txn) isShown(p *page.Record, view *purify.DocView, list uint64) (bool, error) {
	by, _, err := t.page(list)
	switch {
	case err != nil:
		return false, err
	case dedup.Untranslated(by.URL, by.Lang, p.URL, p.Lang):
		return true, nil
	case view == nil, weburl.HostOf(by.URL) != weburl.HostOf(p.URL):
		return false, nil
	}
	shows, err := t.view(list)
	if err != nil || shows == nil {
		return false, err
	}
	if dedup.IsCanonical(view, shows) {
		return true, nil
	}
	site, err := t.s.templates.In(t.tx, p.URL)
	return err == nil && dedup.Shows(shows, view, site), err
}

// isArticleOf reports whether a page that a kept page shows is an article, and that page a list: if the list has copies that the article
// cannot take over, both are kept.
func (t *txn) isArticleOf(shown bool, p *page.Record, list uint64) (bool, error) {
	if !shown || p.PageType != "article" {
		return false, nil
	}
	by, _, err := t.page(list)
	return by.PageType == "listing" || by.PageType == "collection", err
}

// isOfEarlierSeed reports whether a page with other bytes than another owner's kept page is on the host of a seed, and
// the kept one on that of a later seed or of none: a line that is on each of the other's pages is no part of what was compared. A page
// may say itself that the other is the original.
func (t *settling) isOfEarlierSeed(p *page.Record, kept uint64) (bool, error) {
	if t.verdict.Similarity == 1 { // what has been compared with the kept page stays with it: the words are the same
		if copies, err := copiesOf(t.tx, kept); err != nil || copies > 0 {
			return false, err
		}
	}
	by, _, err := t.page(kept)
	if theirs := weburl.DomainOf(by.URL); err != nil || theirs == weburl.DomainOf(p.URL) || theirs == weburl.DomainOf(p.Canonical) {
		return false, err
	}
	return t.s.twins.NamedBefore(t.tx, weburl.HostKeyOf(weburl.HostOf(p.URL)), weburl.HostKeyOf(weburl.HostOf(by.URL)))
}

// view returns the view of a page that is kept or about to be; nil: it has none.
func (t *txn) view(seq uint64) (*purify.DocView, error) {
	view, err := t.s.claimedView(seq)
	if err == nil && view == nil {
		view, err = t.s.archive.View(t.in(), seq)
	}
	if err != nil {
		return nil, fmt.Errorf("view of page %d: %w", seq, err)
	}
	return view, nil
}
