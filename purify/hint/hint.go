package hint

import (
	"bytes"
	"math/bits"
	"sync"

	"gatecrawl.example/gatecrawl/purify/markup"
)

// A Set has the hints that the names around a block give about it: the elements that it is in, and
// the words in their class, id, role and itemprop.
type Set uint64

const (
	InNav Set = 1 << iota // elements and roles
	InHeader
	InFooter
	InAside
	InForm
	InButton
	inTable
	inList
	InArticle
	InMain
	inFigure
	InQuote
	InPre
	inFold // details
	inLabel
	inDl
	inSection
	inHeading
	InDialog
	inParagraph
	inArticleBody // itemprop
	inDescription // itemprop
	InNoscript
	InHidden  // hidden, or a style of display: none
	InSilence // aria-hidden

	SaysMenu // words
	SaysSide
	SaysHeader
	SaysFooter
	SaysComment
	SaysRelated
	SaysShare
	SaysPromo
	SaysPopup
	SaysMeta
	SaysCrumb
	SaysPager
	saysContent
	saysMain
	saysArticle
	saysProse
	saysPost
	SaysShop
	SaysReview
	SaysForum
	SaysReply
	SaysToc
	saysCaption
	SaysCard
	SaysItem
	saysFold
	saysHero
	SaysTitle
	SaysControl
	saysFeature
	SaysUnseen
	SaysAction
	SaysLead
	SaysCode
	SaysBio
	SaysDocs
	saysTable
	saysRow
	Count = iota
)

// Pane is said of one of several tabs, of which readers see one at a time. The models have no column for it: see Models.
const Pane Set = 1 << Count

// Models has the hints that the models have columns for.
const Models = Pane - 1

var OfTag = [markup.TagCount]Set{
	markup.TagNav:        InNav,
	markup.TagMenu:       InNav,
	markup.TagHeader:     InHeader,
	markup.TagFooter:     InFooter,
	markup.TagAside:      InAside,
	markup.TagForm:       InForm,
	markup.TagFieldset:   InForm,
	markup.TagButton:     InButton,
	markup.TagTable:      inTable,
	markup.TagUl:         inList,
	markup.TagOl:         inList,
	markup.TagArticle:    InArticle,
	markup.TagMain:       InMain,
	markup.TagFigure:     inFigure,
	markup.TagFigcaption: inFigure,
	markup.TagBlockquote: InQuote,
	markup.TagPre:        InPre,
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
	markup.TagDialog:     InDialog,
	markup.TagNoscript:   InNoscript,
	markup.TagP:          inParagraph,
}

// words returns the words that are looked for in a class, id, role or itemprop; those that end in a
// dot are found only as whole words.
func words() map[string]Set {
	return map[string]Set{
		"navigation": InNav, "nav.": SaysMenu, "navig": SaysMenu, "navbar": SaysMenu, "menu": SaysMenu, "dropdown": SaysMenu, "topbar": SaysMenu, "toolbar": SaysMenu, "navlist": SaysMenu, "mega.": SaysMenu,
		"sidebar": SaysSide, "sidenav": SaysSide, "side.": SaysSide, "widget": SaysSide, "rail.": SaysSide, "aside": SaysSide, "complementary": InAside, "secondary": SaysSide,
		"header": SaysHeader, "masthead": SaysHeader, "head.": SaysHeader, "top.": SaysHeader, "banner": SaysPromo,
		"footer": SaysFooter, "foot.": SaysFooter, "bottom": SaysFooter, "copyright": SaysFooter, "contentinfo": InFooter, "legal": SaysFooter, "colophon": SaysFooter,
		"comment": SaysComment, "disqus": SaysComment, "respond": SaysComment,
		"related": SaysRelated, "recommend": SaysRelated, "popular": SaysRelated, "trending": SaysRelated, "similar": SaysRelated, "suggest": SaysRelated, "upnext": SaysRelated, "recent": SaysRelated, "latest": SaysRelated, "readmore": SaysRelated, "more.": SaysRelated, "carousel": SaysRelated, "slider": SaysRelated, "slick": SaysRelated, "swiper": SaysRelated, "upsell": SaysRelated, "crosssell": SaysRelated,
		"share": SaysShare, "sharing": SaysShare, "social": SaysShare, "follow": SaysShare, "facebook": SaysShare, "twitter": SaysShare,
		"advert": SaysPromo, "ad.": SaysPromo, "ads.": SaysPromo, "sponsor": SaysPromo, "promo": SaysPromo, "newsletter": SaysPromo, "subscri": SaysPromo, "signup": SaysPromo, "donat": SaysPromo, "cta.": SaysPromo, "announce": SaysPromo,
		"cookie": SaysPopup, "consent": SaysPopup, "gdpr": SaysPopup, "privacy": SaysPopup, "modal": SaysPopup, "popup": SaysPopup, "overlay": SaysPopup, "dialog": SaysPopup, "lightbox": SaysPopup, "toast": SaysPopup, "offcanvas": SaysPopup, "drawer": SaysPopup, "alert": SaysPopup, "tooltip": SaysPopup, "onetrust": SaysPopup,
		"byline": SaysMeta, "meta.": SaysMeta, "tags.": SaysMeta, "tag.": SaysMeta, "date": SaysMeta, "posted": SaysMeta, "publish": SaysMeta, "time.": SaysMeta, "timestamp": SaysMeta, "category": SaysMeta, "categories": SaysMeta,
		"author": SaysBio, "bio.": SaysBio, "avatar": SaysBio, "profile": SaysBio, "user": SaysBio,
		"breadcrumb": SaysCrumb, "crumb": SaysCrumb,
		"pagin": SaysPager, "pager": SaysPager, "prev": SaysPager, "next.": SaysPager,
		"content": saysContent, "main": saysMain, "primary": saysMain,
		"article": saysArticle, "story": saysArticle, "blog": saysArticle, "articlebody": inArticleBody,
		"prose": saysProse, "markdown": saysProse, "richtext": saysProse, "rich.": saysProse, "rte.": saysProse, "wysiwyg": saysProse, "text": saysProse, "body": saysProse, "entry": saysProse, "editor": saysProse, "copy.": saysProse, "paragraph": saysProse, "description": saysProse,
		"post": saysPost, "single": saysPost,
		"product": SaysShop, "price": SaysShop, "cart": SaysShop, "basket": SaysShop, "checkout": SaysShop, "shipping": SaysShop, "delivery": SaysShop, "stock": SaysShop, "variant": SaysShop, "swatch": SaysShop, "quantity": SaysShop, "wishlist": SaysShop,
		"review": SaysReview, "rating": SaysReview, "testimonial": SaysReview, "stars": SaysReview,
		"forum": SaysForum, "thread": SaysForum, "topic": SaysForum, "discussion": SaysForum, "question": SaysForum, "bbs": SaysForum,
		"message": SaysReply, "reply": SaysReply, "answer": SaysReply, "cooked": SaysReply, "replies": SaysReply,
		"toc.": SaysToc, "tableofcontents": SaysToc, "toctree": SaysToc, "onthispage": SaysToc, "outline": SaysToc,
		"caption": saysCaption, "credit": saysCaption, "figure": saysCaption, "gallery": saysCaption, "image": saysCaption,
		"card": SaysCard, "tile": SaysCard, "teaser": SaysCard, "grid": SaysCard,
		"item": SaysItem, "listing": SaysItem, "list.": SaysItem, "result": SaysItem,
		"faq": saysFold, "accordion": saysFold, "tabpane": Pane, "tabpanel": Pane, "tab.": saysFold, "tabs": saysFold, "collaps": saysFold, "toggle": saysFold, "panel": saysFold,
		"hero": saysHero, "jumbotron": saysHero, "intro": SaysLead, "summary": SaysLead, "abstract": SaysLead, "lead.": SaysLead, "excerpt": SaysLead, "standfirst": SaysLead, "lede.": SaysLead,
		"title": SaysTitle, "headline": SaysTitle, "heading": SaysTitle,
		"login": SaysControl, "signin": SaysControl, "account": SaysControl, "search": SaysControl, "form.": SaysControl, "filter": SaysControl, "facet": SaysControl, "sort": SaysControl, "select": SaysControl, "input": SaysControl, "option": SaysControl, "language": SaysControl, "locale": SaysControl,
		"feature": saysFeature, "benefit": saysFeature, "section": saysFeature, "columns": saysFeature,
		"skip": SaysUnseen, "screenreader": SaysUnseen, "sronly": SaysUnseen, "visuallyhidden": SaysUnseen, "hidden": SaysUnseen, "noprint": SaysUnseen, "print": SaysUnseen,
		"button": SaysAction, "btn": SaysAction, "icon": SaysAction, "badge": SaysAction, "action": SaysAction, "download": SaysAction, "logo": SaysAction, "brand": SaysAction,
		"code": SaysCode, "highlight": SaysCode, "snippet": SaysCode, "syntax": SaysCode,
		"docs": SaysDocs, "document": SaysDocs, "wiki": SaysDocs, "theme": SaysDocs, "mw.": SaysDocs,
		"zhengwen": saysProse, "neirong": saysContent, "wenzhang": saysArticle, "xinwen": saysArticle, "biaoti": SaysTitle, "zuozhe": SaysBio, "riqi": SaysMeta, "shijian": SaysMeta, // pinyin
		"pinglun": SaysComment, "huifu": SaysReply, "tiezi": saysPost, "louceng": SaysReply, "floor.": SaysReply, "luntan": SaysForum, "tieba": SaysForum,
		"daohang": SaysMenu, "fenxiang": SaysShare, "sousuo": SaysControl, "denglu": SaysControl, "tuijian": SaysRelated, "xiangguan": SaysRelated, "guanggao": SaysPromo, "dibu": SaysFooter, "mianbao": SaysCrumb,
		"tf.": SaysReply, "pcb.": SaysReply, "plc.": SaysReply, "pls.": SaysBio, "tpc.": saysPost, "readtpc": SaysReply, // forum programs
		"table": saysTable, "spec": saysTable, "row.": saysRow, "col.": saysRow, "container": saysRow, "wrapper": saysRow,
	}
}

// A Trie finds every word of a fixed list in one pass over a name. Hyphens, underscores and the
// like are skipped, so that sr-only is found as sronly; a word that must be whole ends at them.
type Trie []trieNode

type trieNode struct {
	next  [26]int16
	part  Set // hints of the word that ends here
	whole Set // the same, for a word that must be whole
}

// Names finds the words of classes, ids, roles and itemprops. It is built when it is first used:
// most commands read no page.
var Names = sync.OnceValue(func() Trie { return NewTrie(words()) })

func NewTrie(words map[string]Set) Trie {
	letters := 0
	for word := range words {
		letters += len(word)
	}
	t := make(Trie, 1, letters+1)
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

// elementor precedes "widget" in the classes of all parts of pages that Elementor, a page builder of
// WordPress, has made: there it does not say that a part is at the side.
var elementor = []byte("elementor-")

// Find returns the hints of all words in a name.
func (t Trie) Find(name []byte) Set {
	var found Set
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
			if t[at].part&SaysSide == 0 || !bytes.HasSuffix(name[:i], elementor) {
				found |= t[at].part
			}
			if starts && t[at].whole != 0 && (j+1 == len(name) || !markup.Letter(name[j+1]) || c >= 'a' && name[j+1] <= 'Z') {
				found |= t[at].whole
			}
		}
	}
	return found
}

// Starts reports whether a word starts with one of the list, or is one of the whole words.
func (t Trie) Starts(word []byte) bool {
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

// Has reports whether a word of the list starts with these small letters.
func (t Trie) Has(start string) bool {
	at := int16(0)
	for i := range len(start) {
		if at = t[at].next[start[i]-'a']; at == 0 {
			return false
		}
	}
	return true
}

// Lowest returns the number of the lowest hint.
func Lowest(h Set) int { return bits.TrailingZeros64(uint64(h)) }
