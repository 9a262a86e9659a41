package purify

import (
	"math/bits"

	"gatecrawl.example/gatecrawl/purify/markup"
)

// Hints are what the names around a block say of it: the elements that it
// stands in, and the words in their class, id, role and itemprop.
type hints uint64

const (
	inNav hints = 1 << iota // elements and roles
	inHeader
	inFooter
	inAside
	inForm
	inButton
	inTable
	inList
	inArticle
	inMain
	inFigure
	inQuote
	inPre
	inFold // details
	inLabel
	inDl
	inSection
	inHeading
	inDialog
	inParagraph
	inArticleBody // itemprop
	inDescription // itemprop
	inNoscript
	inHidden  // hidden, or a style of display: none
	inSilence // aria-hidden

	saysMenu // words
	saysSide
	saysHeader
	saysFooter
	saysComment
	saysRelated
	saysShare
	saysPromo
	saysPopup
	saysMeta
	saysCrumb
	saysPager
	saysContent
	saysMain
	saysArticle
	saysProse
	saysPost
	saysShop
	saysReview
	saysForum
	saysReply
	saysToc
	saysCaption
	saysCard
	saysItem
	saysFold
	saysHero
	saysTitle
	saysControl
	saysFeature
	saysUnseen
	saysAction
	saysLead
	saysCode
	saysBio
	saysDocs
	saysTable
	saysRow
	hintCount = iota
)

var tagHints = [markup.TagCount]hints{
	markup.TagNav:        inNav,
	markup.TagMenu:       inNav,
	markup.TagHeader:     inHeader,
	markup.TagFooter:     inFooter,
	markup.TagAside:      inAside,
	markup.TagForm:       inForm,
	markup.TagFieldset:   inForm,
	markup.TagButton:     inButton,
	markup.TagTable:      inTable,
	markup.TagUl:         inList,
	markup.TagOl:         inList,
	markup.TagArticle:    inArticle,
	markup.TagMain:       inMain,
	markup.TagFigure:     inFigure,
	markup.TagFigcaption: inFigure,
	markup.TagBlockquote: inQuote,
	markup.TagPre:        inPre,
	markup.TagDetails:    inFold,
	markup.TagLabel:      inLabel,
	markup.TagLegend:     inLabel,
	markup.TagDl:         inDl,
	markup.TagSection:    inSection,
	markup.TagH1:         inHeading,
	markup.TagH2:         inHeading,
	markup.TagH3:         inHeading,
	markup.TagH4:         inHeading,
	markup.TagH5:         inHeading,
	markup.TagH6:         inHeading,
	markup.TagDialog:     inDialog,
	markup.TagNoscript:   inNoscript,
	markup.TagP:          inParagraph,
}

// hintWords are found anywhere in a class, id, role or itemprop; those that
// end in a dot only as whole words.
var hintWords = map[string]hints{
	"navigation": inNav, "nav.": saysMenu, "navig": saysMenu, "navbar": saysMenu, "menu": saysMenu, "dropdown": saysMenu, "topbar": saysMenu, "toolbar": saysMenu, "navlist": saysMenu, "mega.": saysMenu,
	"sidebar": saysSide, "sidenav": saysSide, "side.": saysSide, "widget": saysSide, "rail.": saysSide, "aside": saysSide, "complementary": inAside, "secondary": saysSide,
	"header": saysHeader, "masthead": saysHeader, "head.": saysHeader, "top.": saysHeader, "banner": saysPromo,
	"footer": saysFooter, "foot.": saysFooter, "bottom": saysFooter, "copyright": saysFooter, "contentinfo": inFooter, "legal": saysFooter, "colophon": saysFooter,
	"comment": saysComment, "disqus": saysComment, "respond": saysComment,
	"related": saysRelated, "recommend": saysRelated, "popular": saysRelated, "trending": saysRelated, "similar": saysRelated, "suggest": saysRelated, "upnext": saysRelated, "recent": saysRelated, "latest": saysRelated, "readmore": saysRelated, "more.": saysRelated, "carousel": saysRelated, "slider": saysRelated, "slick": saysRelated, "swiper": saysRelated, "upsell": saysRelated, "crosssell": saysRelated,
	"share": saysShare, "sharing": saysShare, "social": saysShare, "follow": saysShare, "facebook": saysShare, "twitter": saysShare,
	"advert": saysPromo, "ad.": saysPromo, "ads.": saysPromo, "sponsor": saysPromo, "promo": saysPromo, "newsletter": saysPromo, "subscri": saysPromo, "signup": saysPromo, "donat": saysPromo, "cta.": saysPromo, "announce": saysPromo,
	"cookie": saysPopup, "consent": saysPopup, "gdpr": saysPopup, "privacy": saysPopup, "modal": saysPopup, "popup": saysPopup, "overlay": saysPopup, "dialog": saysPopup, "lightbox": saysPopup, "toast": saysPopup, "offcanvas": saysPopup, "drawer": saysPopup, "alert": saysPopup, "tooltip": saysPopup, "onetrust": saysPopup,
	"byline": saysMeta, "meta.": saysMeta, "tags.": saysMeta, "tag.": saysMeta, "date": saysMeta, "posted": saysMeta, "publish": saysMeta, "time.": saysMeta, "timestamp": saysMeta, "category": saysMeta, "categories": saysMeta,
	"author": saysBio, "bio.": saysBio, "avatar": saysBio, "profile": saysBio, "user": saysBio,
	"breadcrumb": saysCrumb, "crumb": saysCrumb,
	"pagin": saysPager, "pager": saysPager, "prev": saysPager, "next.": saysPager,
	"content": saysContent, "main": saysMain, "primary": saysMain,
	"article": saysArticle, "story": saysArticle, "blog": saysArticle, "articlebody": inArticleBody,
	"prose": saysProse, "markdown": saysProse, "richtext": saysProse, "rich.": saysProse, "rte.": saysProse, "wysiwyg": saysProse, "text": saysProse, "body": saysProse, "entry": saysProse, "editor": saysProse, "copy.": saysProse, "paragraph": saysProse, "description": saysProse,
	"post": saysPost, "single": saysPost,
	"product": saysShop, "price": saysShop, "cart": saysShop, "basket": saysShop, "checkout": saysShop, "shipping": saysShop, "delivery": saysShop, "stock": saysShop, "variant": saysShop, "swatch": saysShop, "quantity": saysShop, "wishlist": saysShop,
	"review": saysReview, "rating": saysReview, "testimonial": saysReview, "stars": saysReview,
	"forum": saysForum, "thread": saysForum, "topic": saysForum, "discussion": saysForum, "question": saysForum, "bbs": saysForum,
	"message": saysReply, "reply": saysReply, "answer": saysReply, "cooked": saysReply, "replies": saysReply,
	"toc.": saysToc, "tableofcontents": saysToc, "toctree": saysToc, "onthispage": saysToc, "outline": saysToc,
	"caption": saysCaption, "credit": saysCaption, "figure": saysCaption, "gallery": saysCaption, "image": saysCaption,
	"card": saysCard, "tile": saysCard, "teaser": saysCard, "grid": saysCard,
	"item": saysItem, "listing": saysItem, "list.": saysItem, "result": saysItem,
	"faq": saysFold, "accordion": saysFold, "tab.": saysFold, "tabs": saysFold, "collaps": saysFold, "toggle": saysFold, "panel": saysFold,
	"hero": saysHero, "jumbotron": saysHero, "intro": saysLead, "summary": saysLead, "abstract": saysLead, "lead.": saysLead, "excerpt": saysLead, "standfirst": saysLead, "lede.": saysLead,
	"title": saysTitle, "headline": saysTitle, "heading": saysTitle,
	"login": saysControl, "signin": saysControl, "account": saysControl, "search": saysControl, "form.": saysControl, "filter": saysControl, "facet": saysControl, "sort": saysControl, "select": saysControl, "input": saysControl, "option": saysControl, "language": saysControl, "locale": saysControl,
	"feature": saysFeature, "benefit": saysFeature, "section": saysFeature, "columns": saysFeature,
	"skip": saysUnseen, "screenreader": saysUnseen, "sronly": saysUnseen, "visuallyhidden": saysUnseen, "hidden": saysUnseen, "noprint": saysUnseen, "print": saysUnseen,
	"button": saysAction, "btn": saysAction, "icon": saysAction, "badge": saysAction, "action": saysAction, "download": saysAction, "logo": saysAction, "brand": saysAction,
	"code": saysCode, "highlight": saysCode, "snippet": saysCode, "syntax": saysCode,
	"docs": saysDocs, "document": saysDocs, "wiki": saysDocs, "theme": saysDocs, "mw.": saysDocs,
	"zhengwen": saysProse, "neirong": saysContent, "wenzhang": saysArticle, "xinwen": saysArticle, "biaoti": saysTitle, "zuozhe": saysBio, "riqi": saysMeta, "shijian": saysMeta, // pinyin
	"pinglun": saysComment, "huifu": saysReply, "tiezi": saysPost, "louceng": saysReply, "floor.": saysReply, "luntan": saysForum, "tieba": saysForum,
	"daohang": saysMenu, "fenxiang": saysShare, "sousuo": saysControl, "denglu": saysControl, "tuijian": saysRelated, "xiangguan": saysRelated, "guanggao": saysPromo, "dibu": saysFooter, "mianbao": saysCrumb,
	"tf.": saysReply, "pcb.": saysReply, "plc.": saysReply, "pls.": saysBio, "tpc.": saysPost, "readtpc": saysReply, // forum programs
	"table": saysTable, "spec": saysTable, "row.": saysRow, "col.": saysRow, "container": saysRow, "wrapper": saysRow,
}

// A wordTrie finds every word of a fixed list in one pass over a name.
// Hyphens, underscores and the like do not break a word, so that sr-only is
// found as sronly; whole words break at them.
type wordTrie []trieNode

type trieNode struct {
	next  [26]int16
	part  hints // of the word that ends here
	whole hints // the same, when nothing of the name's word follows or precedes
}

var hintTrie = newWordTrie(hintWords)

func newWordTrie(words map[string]hints) wordTrie {
	t := wordTrie{{}}
	for word, h := range words {
		at := int16(0)
		for i := 0; i < len(word) && word[i] != '.'; i++ {
			c := word[i] - 'a'
			if t[at].next[c] == 0 {
				t = append(t, trieNode{})
				t[at].next[c] = int16(len(t) - 1)
			}
			at = t[at].next[c]
		}
		if word[len(word)-1] == '.' {
			t[at].whole |= h
		} else {
			t[at].part |= h
		}
	}
	return t
}

// find returns the hints of all words in a name.
func (t wordTrie) find(name []byte) hints {
	var found hints
	name = name[:min(len(name), 512)]
	for i := range name {
		if !markup.Letter(name[i]) {
			continue
		}
		starts := i == 0 || !markup.Letter(name[i-1]) || name[i-1] >= 'a' && name[i] <= 'Z'
		at := int16(0)
		for j := i; j < len(name); j++ {
			c := name[j]
			if !markup.Letter(c) {
				if c == '-' || c == '_' {
					continue
				}
				break
			}
			if at = t[at].next[c|0x20-'a']; at == 0 {
				break
			}
			found |= t[at].part
			if starts && t[at].whole != 0 && (j+1 == len(name) || !markup.Letter(name[j+1]) || c >= 'a' && name[j+1] <= 'Z') {
				found |= t[at].whole
			}
		}
	}
	return found
}

// starts reports whether a word begins with one of the list, or is one of the
// whole words.
func (t wordTrie) starts(word []byte) bool {
	at := int16(0)
	for i, c := range word {
		if !markup.Letter(c) {
			return false
		}
		if at = t[at].next[c|0x20-'a']; at == 0 {
			return false
		}
		if t[at].part != 0 || t[at].whole != 0 && (i+1 == len(word) || !markup.Letter(word[i+1])) {
			return true
		}
	}
	return false
}

// trailing returns the number of the lowest hint.
func trailing(h hints) int { return bits.TrailingZeros64(uint64(h)) }
