package priority_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/priority"
)

// links are anchors and paths, and how relevant they are to a topic.
var links = []struct {
	topic, anchor, path string
	want                float64
}{
	{"crawler", "a web crawler", "/x", 1},
	{"crawler", "Web CRAWLERS!", "", 1},
	{"crawlers", "crawler", "", 1},
	{"crawler", "crawl", "", 0},
	{"crawler", "crawlerx xcrawler", "", 0},
	{"crawler", "read more", "/docs/web-crawler_intro.html", 0.7},
	{"crawler", "", "/docs/Crawlers", 0.7},
	{"web crawler duplicate detection", "crawler", "", 0.5},
	{"web crawler duplicate detection", "duplicate", "/crawler", 0.85},
	{"web crawler duplicate detection", "detection of duplicates", "", 1},
	{"crawler, crawler; Crawlers", "crawler", "", 1},
	{"installing the compiler", "Install a compiler", "", 1},
	{"install compilers", "Installing a compiler", "", 1},
	{"routing", "all routes", "", 1},
	{"stream", "streaming", "", 1},
	{"planning", "plan a trip", "", 1},
	{"plan", "planning", "", 1},
	{"cache", "caching", "", 1},
	{"caching", "caches", "", 1},
	{"setting", "a set", "", 0}, // too short to be what it is the gerund of
	{"string", "str", "", 0},
	{"being", "be", "", 0},
	{"testing tests", "testing", "", math.Sqrt(.5)}, // both are words of the topic
	{"the history of the web", "the of", "", 0},
	{"what is this crawler", "this", "", 0},
	{"the the", "the", "", 1},
	{"libraries", "library", "", 1},
	{"bus", "bus", "", 1},
	{"class", "class", "", 1},
	{"ＷＥＢ", "web", "", 1},
	{"web", "ｗｅｂ", "", 1},
	{"École", "ÉCOLES", "", 1},
	{"паук", "Паук", "", 1},
	{"go1.26", "go1 26", "", 1},

	{"去重", "网页去重算法", "", 1},
	{"去重", "去 重", "", 0},
	{"去重", "重去", "", 0},
	{"网页去重", "网页去重", "", 1},
	{"网页去重", "网页", "", 1.0 / 3},
	{"去重", "", "/%E7%BD%91%E9%A1%B5%E5%8E%BB%E9%87%8D", 0.7},
	{"去重", "", "/%zz去重", 0.7},
	{"书", "读书笔记", "", 1},
	{"网页 crawler", "crawler", "", 0.7071},
	{"web爬虫", "爬虫web", "", 1},
	{"クローラー", "ウェブクローラーとは", "", 1},
	{"검색", "검색엔진", "", 1},
}

func TestWordsOfALink(t *testing.T) {
	for _, c := range links {
		got := topic(t, c.topic).Words(c.anchor, c.path)
		if got < c.want-0.001 || got > c.want+0.001 {
			t.Errorf("topic %q: Words(%q, %q) = %.3f, want %.3f", c.topic, c.anchor, c.path, got, c.want)
		}
	}
}

func TestPagesMoreAboutTheTopicRateHigher(t *testing.T) {
	const filler = "some other words that fill a page and say nothing of interest "
	once, often := "a crawler. "+strings.Repeat(filler, 20), strings.Repeat("a crawler. "+filler, 20)
	pages := []struct {
		title    string
		keywords []string
		body     string
	}{
		{"About", []string{"words"}, strings.Repeat(filler, 20)},
		{"About", nil, "a crawler. " + strings.Repeat(filler, 200)},
		{"About", nil, once},
		{"About", nil, often},
		{"Crawlers", nil, often},
		{"Crawlers", []string{"web", "crawler"}, often},
		{"Web crawlers", []string{"web", "crawler"}, often + " web"},
	}
	o := topic(t, "web crawler")
	last := -1.0
	for i, p := range pages {
		got := o.Page(p.title, p.keywords, p.body)
		if got <= last && i > 0 || got < 0 || got > 1 || i == 0 && got != 0 {
			t.Errorf("page %d rates %.3f, the one before %.3f", i, got, last)
		}
		last = got
	}
}

func TestAChinesePageIsAboutAChineseTopic(t *testing.T) {
	o := topic(t, "网页去重")
	near := o.Page("网页去重", nil, strings.Repeat("互联网中近似重复网页的数量很多，因此需要网页去重。", 20))
	far := o.Page("天气", nil, strings.Repeat("今天天气很好，我们去公园散步。", 20))
	if near < 0.7 || far != 0 {
		t.Errorf("a page about the topic rates %.3f, another %.3f", near, far)
	}
}

// The words of each script of a topic are rated alone, too: a word without letters belongs to the one before
// it, and words that count only when they are written as one to none of their own.
func TestWordsOfEachScriptAreRatedAlone(t *testing.T) {
	for _, c := range []struct {
		topic   string
		scripts int
		anchor  string
		by      priority.ByScript
	}{
		{"feather heron", 1, "heron feather", priority.ByScript{1}},
		{"feather heron 羽毛 苍鹭", 2, "heron feather", priority.ByScript{1}},
		{"feather heron 羽毛 苍鹭", 2, "羽毛 苍鹭", priority.ByScript{0, 1}},
		{"feather 羽毛", 2, "all about 羽毛", priority.ByScript{0, 1}},
		{"羽毛 перья feather תפר 깃털", 4, "깃털", priority.ByScript{0, 0, 0, .707}},
		{"羽 2024 feather", 2, "feather", priority.ByScript{0, 1}},
		{"2024 feather", 1, "feather", priority.ByScript{.707}},
		{"how to 羽毛", 1, "a howto", priority.ByScript{1}},
		{"ツバメの巣", 1, "ツバメの巣", priority.ByScript{1}},
	} {
		o := topic(t, c.topic)
		var inAnchor, none priority.Count
		o.Count(c.anchor, &inAnchor)
		_, by := o.WordsOf(&inAnchor, &none)
		for i := range by {
			if math.Abs(by[i]-c.by[i]) > .01 || o.Scripts() != c.scripts {
				t.Errorf("%q: %d scripts, and %q has %v; want %d and %v", c.topic, o.Scripts(), c.anchor, by, c.scripts, c.by)
				break
			}
		}
	}
	o := topic(t, "heron 羽毛")
	var title, keywords, body priority.Count
	text := strings.Repeat("A heron stands in the water. ", 20)
	o.Count(text, &body)
	all, by := o.PageOf(&title, &keywords, &body, len(text))
	if alone := topic(t, "heron").Page("", nil, text); by[0] < .7*alone || by[1] != 0 || math.Abs(all-by[0]/2) > .01 {
		t.Errorf("a page in English has %.2f, and %v by script; a topic of the English word gives it %.2f", all, by, alone)
	}
}

func TestNoTopicRatesEverythingZero(t *testing.T) {
	var none *priority.Topic
	blank, err := priority.NewTopic("  ")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []*priority.Topic{none, {}, blank} {
		if got := o.Page("a", []string{"a"}, "a") + o.Words("a", "/a"); got != 0 {
			t.Errorf("without a topic the ratings add up to %v", got)
		}
	}
}

func TestTopicsThatAreRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{" -- !", `topic has no words: " -- !"`},
		{strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyz0123456789абвгдежзийклмнопрстуфхцчшщъыьэюя", ""), " "), "topic has more than 64 words"},
		{manyIdeographs(66), "topic has more than 64 words"},
	} {
		o, err := priority.NewTopic(c.text)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || o != nil {
			t.Errorf("NewTopic(%q) = %v, %v; want %s", c.text, o, err, c.want)
		}
	}
}

func manyIdeographs(n rune) string {
	var b strings.Builder
	for i := range n {
		b.WriteRune('一' + i)
	}
	return b.String()
}

func FuzzTopic(f *testing.F) {
	for _, c := range links {
		f.Add(c.topic, c.anchor, c.path)
	}
	f.Fuzz(func(t *testing.T, words, anchor, path string) {
		o, err := priority.NewTopic(words)
		if err != nil {
			return
		}
		page, link, self := o.Page(anchor, []string{path}, path), o.Words(anchor, path), o.Words(words, "")
		if !(0 <= page && page <= 1) || !(0 <= link && link <= 1) {
			t.Errorf("topic %q: page %v, link %v", words, page, link)
		}
		if strings.TrimSpace(words) != "" && self < 0.99 {
			t.Errorf("topic %q: its own words rate %v", words, self)
		}
	})
}

func BenchmarkTopicPage10kB(b *testing.B) {
	for _, c := range []struct{ name, topic, sentence string }{
		{"English", "web crawler duplicate detection", "The quick brown fox reads the documentation of a crawler, and jumps over it. "},
		{"Chinese", "搜索引擎 网页去重", "互联网中近似重复网页的数量占网页总数比例高达百分之二十九，索引重复的网页没有任何好处。"},
	} {
		b.Run(c.name, func(b *testing.B) {
			o := topic(b, c.topic)
			body := strings.Repeat(c.sentence, 10_000/len(c.sentence))
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				o.Page("A title", []string{"five", "words", "of", "some", "page"}, body)
			}
		})
	}
}

func BenchmarkTopicWords(b *testing.B) {
	o := topic(b, "web crawler duplicate detection")
	for b.Loop() {
		o.Words("How a crawler finds duplicates", "/docs/guide/duplicates-and-mirrors.html")
	}
}

func topic(t testing.TB, words string) *priority.Topic {
	t.Helper()
	o, err := priority.NewTopic(words)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// One pass cuts a text into words and counts a topic's words among them. It gives what two passes
// give.
func TestTokensCountsAsCountDoes(t *testing.T) {
	texts := []string{"", "a", "网", "网页去重 web crawlers 去-重, ＷＥＢs ties dies 书 aes", "École écoles ПАУК паук Ⅷ\xff\xfe去重", "读书笔记x书 series x's horse goes " + strings.Repeat("long", 30)}
	for _, l := range links {
		texts = append(texts, l.anchor, l.path, l.anchor+" "+l.path)
	}
	for _, l := range links {
		o := topic(t, l.topic)
		for _, text := range texts {
			var alone, walked priority.Count
			var words, plain []string
			o.Count(text, &alone)
			o.Tokens(text, &walked, func(w []byte) { words = append(words, string(w)) })
			priority.Tokens(text, func(w []byte) { plain = append(plain, string(w)) })
			if alone != walked {
				t.Errorf("topic %q in %q: Count says %v, Tokens %v", l.topic, text, alone, walked)
			}
			if !slices.Equal(words, plain) {
				t.Errorf("words of %q: %q with a topic, %q without", text, words, plain)
			}
		}
	}
}

func TestWordsOfATopicThatAreTogetherCountMore(t *testing.T) {
	topic, err := priority.NewTopic("index access method")
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Repeat("one of many other words that a long page has ", 3)
	together := strings.Repeat("an index access method "+other, 3)
	apart := strings.Repeat("index "+other+"access "+other+"method "+other, 3)
	if near, far := topic.Page("", nil, together), topic.Page("", nil, apart); near < 1.5*far {
		t.Errorf("a page with the words together rates %.3f, with the same words apart %.3f; want half as much again", near, far)
	}
	one, err := priority.NewTopic("index")
	if err != nil {
		t.Fatal(err)
	}
	three := strings.Repeat("index "+other, 3)
	if got, all := one.Page("", nil, three), 0.8*3/(3+1.2*(0.25+0.75*float64(len(three))/4096)); math.Abs(got-all) > 1e-9 {
		t.Errorf("the only word of a topic three times rates %v, want %v", got, all)
	}
}

func TestWordsWrittenAsOneAreFound(t *testing.T) {
	for _, c := range []struct{ topic, anchor string }{
		{"file system", "Filesystems of the kernel"},
		{"event loops", "class EventLoop"},
		{"log in", "LogIn"},
		{"tutorial how to", "Sorting HOWTO"},
	} {
		topic, err := priority.NewTopic(c.topic)
		if err != nil {
			t.Fatal(err)
		}
		if got := topic.Words(c.anchor, ""); got < .7 {
			t.Errorf("%q rates %.2f for the topic %q, want .7 at least", c.anchor, got, c.topic)
		}
	}
	topic, err := priority.NewTopic("how to bake bread")
	if err != nil {
		t.Fatal(err)
	}
	if got := topic.Words("bake bread", ""); got != 1 {
		t.Errorf("all words but those too common rate %v, want 1", got)
	}
}
