package purify

import (
	"strings"
)

// kindOf says what type of page this is: what it declares, where that is one
// of the seven; else what its blocks look like.
func (o *outline) kindOf(m *metadata, kept []bool) string {
	for _, s := range m.schema {
		switch s {
		case "DiscussionForumPosting", "QAPage", "Question":
			if s != "Question" || !strings.Contains(strings.Join(m.schema, " "), "FAQPage") {
				return "forum"
			}
		case "TechArticle", "APIReference":
			return "documentation"
		case "ProductGroup", "Product", "IndividualProduct":
			if strings.Contains(strings.Join(m.schema, " "), "ItemList") {
				return "collection"
			}
			return "product"
		}
	}
	for _, s := range m.schema {
		switch s {
		case "Article", "NewsArticle", "BlogPosting", "Recipe", "Review", "ReportageNewsArticle", "ScholarlyArticle":
			return "article"
		case "CollectionPage", "ItemList", "OfferCatalog":
			if o.says(saysShop) > 8 {
				return "collection"
			}
			return "listing"
		case "Service", "ProfessionalService", "SoftwareApplication":
			return "service"
		}
	}
	for _, g := range []string{"sphinx", "mkdocs", "docusaurus", "gitbook", "vitepress", "vuepress", "doxygen", "javadoc", "docbook", "asciidoctor", "mdbook", "starlight", "docutils", "hugo-book"} {
		if strings.Contains(m.generator, g) {
			return "documentation"
		}
	}
	for _, g := range []string{"vbulletin", "phpbb", "discourse", "xenforo", "discuz", "smf", "mybb", "flarum", "nodebb", "invision"} {
		if strings.Contains(m.generator, g) {
			return "forum"
		}
	}
	return o.looksLike(m, kept)
}

// says counts the containers whose own names give a hint.
func (o *outline) says(h hints) int {
	n := 0
	for i := range o.nodes {
		if o.nodes[i].own&h != 0 {
			n++
		}
	}
	return n
}

func (o *outline) looksLike(m *metadata, kept []bool) string {
	plain, linked, code, long, body, blocks := 0, 0, 0, 0, 0, 0
	for i := range o.blocks {
		b := &o.blocks[i]
		linked += int(b.linked)
		plain += b.size() - int(b.linked)
		if b.hints&inPre != 0 {
			code++
		}
		if kept[i] {
			body += b.size()
			blocks++
			if b.size() > 200 && int(b.linked)*3 < b.size() {
				long++
			}
		}
	}
	if blocks == 0 {
		return "other"
	}
	forum, shop, cards := o.says(saysForum|saysReply), o.says(saysShop), o.says(saysCard|saysItem)
	switch {
	case strings.HasPrefix(m.ogType, "product"):
		return "product"
	case forum > 25:
		return "forum"
	case code > 2 || o.says(saysDocs|saysToc) > 12 && long > 1:
		return "documentation"
	case m.ogType == "article" || m.date != "" || m.author != "":
		return "article"
	case shop > 60 && cards > 20 && long < 4:
		return "collection"
	case shop > 40:
		return "product"
	case long >= 3 && linked < 2*plain:
		return "article"
	case linked > plain && (cards > 30 || long == 0):
		return "listing"
	case long > 0 || body > 800:
		return "service"
	case cards > 30:
		return "listing"
	}
	return "other"
}

// roleOf tells a page with a topic from a hub, which mostly points elsewhere,
// and from a page that has no text to speak of.
func (o *outline) roleOf(kind string, kept []bool) string {
	plain, linked, body := 0, 0, 0
	for i := range o.blocks {
		b := &o.blocks[i]
		linked += int(b.linked)
		plain += b.size() - int(b.linked)
		if kept[i] {
			body += b.size() - int(b.linked)
		}
	}
	switch {
	case body == 0 && linked < 40:
		return "other"
	case kind == "listing" || kind == "collection":
		return "hub"
	case linked > plain && body*4 < linked+plain:
		return "hub"
	}
	return "topic"
}

// titleOf returns the page's h1 where its metadata agrees with it, and else
// the title without the site's name.
func (o *outline) titleOf(m *metadata) string {
	meta := m.ogTitle
	if meta == "" {
		meta = m.title
	}
	known := strings.ToLower(m.ogTitle + "\n" + m.title)
	only, count := "", 0
	for i := range o.blocks {
		b := &o.blocks[i]
		if b.tag != tagH1 || b.size() > 300 {
			continue
		}
		text := string(o.text[b.from:b.to])
		if strings.Contains(known, strings.ToLower(text)) && b.size() > 2 {
			return text
		}
		only = text
		count++
	}
	if meta == "" && count > 0 {
		return only
	}
	return withoutSite(meta)
}

// withoutSite takes "- Site name" off a title: the part after the last
// separator, if what is left is longer.
func withoutSite(title string) string {
	for _, sep := range []string{" | ", " – ", " — ", " - ", " :: ", " » ", " · ", "_", "｜", "|"} {
		i := strings.LastIndex(title, sep)
		if i > 0 && i >= len(title)-i-len(sep) {
			return strings.TrimSpace(title[:i])
		}
	}
	return title
}

// categoryOf returns the page's place on its site.
func (o *outline) categoryOf(m *metadata) []string {
	if len(m.crumbs) > 0 {
		return m.crumbs
	}
	var names []string
	for i := range o.links {
		a := &o.links[i]
		if int(a.block) < len(o.blocks) && o.blocks[a.block].hints&saysCrumb != 0 && a.to > a.from && len(names) < 8 {
			names = append(names, strings.TrimSpace(strings.ReplaceAll(string(o.text[a.from:min(a.to, a.from+maxWords)]), "\n", " ")))
		}
	}
	if len(names) > 0 {
		return names
	}
	if m.section != "" {
		return []string{m.section}
	}
	return nil
}
