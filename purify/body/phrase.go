package body

import (
	"bytes"

	"gatecrawl.example/gatecrawl/purify/markup"
)

// Short blocks help to tell types of pages apart: the teasers of a listing end with a phrase such
// as "read more", the items of a shop with "add to cart".
const (
	asksOn    = iota // to read on
	asksBuy          // to buy
	asksAct          // to call, to book, to start
	asksReply        // to answer
	phraseCount
)

const maxPhrase = 40 // bytes of a block that may be a phrase

var phrases = [phraseCount][]string{
	asksOn:    {"read more", "read full", "read the", "continue reading", "learn more", "view more", "see more", "show more", "load more", "view all", "see all", "view details", "more info", "weiterlesen", "mehr erfahren", "lire la suite", "en savoir plus", "leer m", "ver m", "阅读全文", "查看更多", "查看详情", "続きを読む", "もっと見る"},
	asksBuy:   {"add to cart", "add to bag", "add to basket", "add to wish", "buy now", "quick view", "quick shop", "quick add", "choose options", "select options", "shop now", "shop all", "sold out", "in stock", "out of stock", "in den warenkorb", "ajouter au panier", "al carrito", "加入购物车", "立即购买", "カートに入れる"},
	asksAct:   {"contact us", "contact sales", "get a quote", "get a free", "get your free", "get started", "get in touch", "request a", "request info", "request your", "book a", "book now", "book your", "schedule a", "call us", "call now", "call today", "free consultation", "free quote", "free estimate", "free trial", "apply now", "apply online", "start free", "start your", "start now", "try it free", "try for free", "talk to", "enquire", "enroll now", "watch demo", "see pricing", "view pricing", "our services", "our clients", "our team", "why choose", "what our", "testimonials", "kontakt", "contactez", "联系我们", "立即咨询", "免费试用", "お問い合わせ"},
	asksReply: {"reply", "quote", "report", "permalink", "upvote", "downvote", "like this", "this post", "share this post", "add a comment", "post reply", "new topic", "log in to reply", "antworten", "zitieren", "répondre", "responder", "回复", "引用", "举报", "楼主", "只看该作者", "返信"},
}

// A phrase is the start of a short block, and the action that such a block offers.
type phrase struct {
	text string
	asks int
}

// phrasesBy has the phrases by their first byte.
var phrasesBy = func() (by [256][]phrase) {
	for asks, texts := range phrases {
		for _, text := range texts {
			by[text[0]] = append(by[text[0]], phrase{text, asks})
		}
	}
	return by
}()

// readPhrase counts short blocks with a text by the actions that it offers, and those that have a time.
func (c *census) readPhrase(text []byte, blocks int) {
	if len(text) > maxPhrase {
		return
	}
	var room [maxPhrase]byte
	low := markup.AppendLower(room[:0], text)
	if bytes.HasSuffix(low, []byte(" ago")) || bytes.HasSuffix(low, []byte("min read")) || bytes.HasSuffix(low, []byte("前")) {
		c.dates += blocks
	}
	said := 0 // a bit for each that was asked
	for _, p := range phrasesBy[low[0]] {
		if bytes.HasPrefix(low, []byte(p.text)) && said>>p.asks&1 == 0 {
			said |= 1 << p.asks
			c.phrases[p.asks] += blocks
		}
	}
}
