package metadata

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Declared has what a page says about itself outside its text.
type Declared struct {
	Title, OGTitle, OGType   string
	Canonical, Base, Refresh string
	AtOnce                   bool // Refresh follows within a second
	Robots, Lang, Generator  string
	Date, Author, section    string
	inZone                   bool     // Date is that of a place: its time has an offset from UTC
	modified                 string   // last day that was found
	dueDays                  []string // days on which an event starts or ends, or an offer of work or of something else does
	Headline                 string   // of the JSON-LD
	MoreHeadlines            bool     // the JSON-LD has another one
	Description              string   // the description
	OGURL, site              string   // site is the name of the whole site
	Breadcrumb               []string
	SchemaTypes              []string // @type of the JSON-LD objects, in order

	persons []string // authors that the page declares to be persons, or as authors of the article
	others  []string // other authors that it declares
	posters []string // users whom a plugin names, often those who posted another's text
	label   string   // of the next twitter:data

	self     self // see newSelf
	selfFrom selfFrom
}

// Read reads the elements of a head's markup.
func Read(markup []byte) Declared {
	if len(markup) == 0 {
		return Declared{}
	}
	if m, ok := readTokens(markup); ok {
		return m
	}
	return readTree(markup)
}

// readTokens is readTree for a head that has only elements of metadata, which nearly all have; ok
// is false for other heads.
func readTokens(markup []byte) (m Declared, ok bool) {
	z := html.NewTokenizer(bytes.NewReader(markup))
	for first := true; ; first = false {
		switch z.Next() {
		case html.ErrorToken:
			return m, z.Err() == io.EOF
		case html.TextToken:
			if len(bytes.Trim(z.Raw(), " \t\r\n\f")) > 0 {
				return m, false
			}
			continue
		case html.StartTagToken, html.SelfClosingTagToken:
		default:
			return m, false
		}
		t := z.Token()
		switch t.DataAtom {
		case atom.Html:
			if !first {
				return m, false
			}
			m.Lang = strings.TrimSpace(attrs(t.Attr).get("lang", ""))
		case atom.Base, atom.Link, atom.Meta:
			m.read(t.Data, t.Attr, "")
		case atom.Title, atom.Script:
			text, ended := textIn(z, t.Data)
			if !ended {
				return m, false
			}
			m.read(t.Data, t.Attr, text)
		default:
			return m, false
		}
	}
}

// textIn reads the text of a title or script up to its end tag; ended is false if there is another
// tag in it.
func textIn(z *html.Tokenizer, name string) (text string, ended bool) {
	for {
		switch z.Next() {
		case html.ErrorToken:
			return text, z.Err() == io.EOF
		case html.TextToken:
			text += z.Token().Data
		case html.EndTagToken:
			return text, z.Token().Data == name
		default:
			return text, false
		}
	}
}

// readTree builds a tree of the elements of a head's markup and reads them.
func readTree(markup []byte) Declared {
	var m Declared
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(markup))
	if err != nil {
		return m
	}
	root := doc.Children() // with Children: a selector would be parsed again for each page
	m.Lang = strings.TrimSpace(root.AttrOr("lang", ""))
	root.Children().First().Children().Each(func(_ int, s *goquery.Selection) {
		m.read(goquery.NodeName(s), s.Get(0).Attr, s.Text())
	})
	return m
}

// attrs are the attributes of an element.
type attrs []html.Attribute

// get returns the value of the first attribute with a name; otherwise if there is none.
func (a attrs) get(name, otherwise string) string {
	for i := range a {
		if a[i].Key == name {
			return a[i].Val
		}
	}
	return otherwise
}

// read reads an element of the head.
func (m *Declared) read(name string, a attrs, text string) {
	switch name {
	case "title":
		first(&m.Title, text)
	case "base":
		first(&m.Base, a.get("href", ""))
	case "link":
		first(&m.Canonical, a.get("href", ""))
	case "meta":
		m.readMeta(a)
	case "script":
		m.readSchema(text)
	}
}

// first sets a value that is not yet known, with white space collapsed, unless a template has written it for one that is missing.
func first(to *string, value string) {
	if *to == "" {
		if value = strings.Join(strings.Fields(strings.ToValidUTF8(value, "")), " "); !isMissing(value) {
			*to = value
		}
	}
}

// isMissing reports whether a value, or the part of a title before the name of its site, is what scripts write where there is none.
func isMissing(value string) bool {
	for _, none := range [...]string{"undefined", "null", "[object Object]"} {
		if strings.HasPrefix(value, none) {
			part, _, _ := cutTitle(value)
			return part == none
		}
	}
	return false
}

func (m *Declared) readMeta(a attrs) {
	content := a.get("content", "")
	if strings.EqualFold(a.get("http-equiv", ""), "refresh") {
		target, atOnce := Refresh(content)
		if m.Refresh == "" {
			m.AtOnce = atOnce
		}
		first(&m.Refresh, target)
		return
	}
	name := a.get("name", a.get("property", a.get("itemprop", "")))
	switch strings.ToLower(name) {
	case "robots":
		first(&m.Robots, strings.ToLower(content))
	case "generator":
		first(&m.Generator, strings.ToLower(content))
	case "og:title", "twitter:title":
		first(&m.OGTitle, content)
	case "description", "og:description", "twitter:description":
		first(&m.Description, content)
	case "og:site_name", "application-name":
		first(&m.site, content)
	case "og:url":
		first(&m.OGURL, content)
	case "og:type":
		first(&m.OGType, strings.ToLower(content))
	case "article:published_time", "datepublished", "dateposted", "date", "pubdate", "publishdate", "publish-date", "dc.date", "dc.date.issued", "dcterms.date", "dcterms.created", "citation_publication_date", "parsely-pub-date", "sailthru.date", "article.published", "og:published_time", "og:article:published_time", "publication_date", "article:published", "originalpublicationdate", "rnews:datepublished", "dcterms.issued", "publish_date":
		m.takeDay(content)
	case "article:modified_time", "og:updated_time", "og:article:modified_time", "datemodified", "last-modified":
		first(&m.modified, day(content, m.Lang))
	case "author", "article:author", "dc.creator", "parsely-author", "sailthru.author", "citation_author", "byl", "twitter:creator:name":
		if !strings.Contains(content, "://") {
			first(&m.Author, content)
		}
		if strings.EqualFold(name, "article:author") {
			m.persons = addName(m.persons, content)
		} else {
			m.others = addName(m.others, content)
		}
	case "twitter:label1", "twitter:label2":
		m.label = content
	case "twitter:data1", "twitter:data2": // as plugins of WordPress write it, behind the label
		if isAuthorLabel(m.label) {
			m.posters = addName(m.posters, content)
		}
		m.label = ""
	case "article:section":
		first(&m.section, content)
	case "content-language":
		first(&m.Lang, content)
	}
}

// addName adds a declared author to a list, unless it cannot be a name.
func addName(list []string, name string) []string {
	name = strings.Trim(strings.Join(strings.Fields(strings.ToValidUTF8(name, "")), " "), `"`)
	if len(name) > 3 && strings.EqualFold(name[:3], "by ") {
		name = name[3:]
	}
	if len(list) == maxDeclared || noName(name) || isMissing(name) || strings.Contains(name, "://") || strings.HasPrefix(name, "/") {
		return list
	}
	return append(list, name)
}

const maxDeclared = 8 // authors, and days of an event

// isAuthorLabel reports whether a label is "Written by", in a language of the plugins that write such labels.
func isAuthorLabel(label string) bool { return authorLabels[strings.ToLower(strings.TrimSpace(label))] }

var authorLabels = setOf(
	"written by", "author", "posted by", "verfasst von", "geschrieben von", "autor", "écrit par", "auteur", "escrito por", "scritto da", "autore", "geschreven door",
	"napisane przez", "napisał", "автор", "написано автором", "skriven av", "skrevet av", "skrevet af", "yazan", "執筆者", "投稿者", "作者", "글쓴이",
)

// space is what HTML takes for white space.
const space = " \t\n\f\r"

// Refresh reads the content of a meta refresh as browsers do (HTML Standard, shared declarative refresh steps): its
// target as written, "" if a page only reloads itself or the content is not valid, and whether the page is left within
// a second, before anybody can read it.
func Refresh(content string) (target string, atOnce bool) {
	content = strings.TrimLeft(content, space)
	rest := strings.TrimLeft(content, "0123456789")
	seconds := content[:len(content)-len(rest)]
	if seconds == "" && !strings.HasPrefix(rest, ".") {
		return "", false
	}
	n, err := strconv.Atoi("0" + seconds)
	atOnce = err == nil && n <= 1
	rest = strings.TrimLeft(rest, "0123456789.") // fractions do not count
	if rest != "" && !strings.ContainsRune(";,"+space, rune(rest[0])) {
		return "", false
	}
	rest = strings.TrimLeft(rest, space)
	if rest != "" && (rest[0] == ';' || rest[0] == ',') {
		rest = rest[1:]
	}
	return refreshTarget(strings.Trim(rest, space)), atOnce
}

// refreshTarget returns the URL in "url='URL'", where "url=" and the quotes may be missing.
func refreshTarget(rest string) string {
	if len(rest) >= 3 && strings.EqualFold(rest[:3], "url") {
		if after, ok := strings.CutPrefix(strings.TrimLeft(rest[3:], space), "="); ok {
			rest = strings.TrimLeft(after, space)
		}
	}
	if rest != "" && (rest[0] == '\'' || rest[0] == '"') {
		rest, _, _ = strings.Cut(rest[1:], rest[:1])
	}
	return strings.Trim(rest, space)
}

const maxSchemaDepth = 12 // levels of JSON-LD that are followed

func (m *Declared) readSchema(text string) {
	text = strings.TrimSpace(text)
	text = strings.TrimSuffix(strings.TrimPrefix(text, "<!--"), "-->")
	var value any
	if json.Unmarshal([]byte(text), &value) == nil {
		m.walkSchema(value, 0)
	}
}

// walkSchema reads the objects of a JSON-LD value. It follows all elements of lists, but of objects
// only @graph and mainEntity: elsewhere a page names the authors and dates of other pages.
func (m *Declared) walkSchema(value any, depth int) {
	if depth > maxSchemaDepth {
		return
	}
	switch v := value.(type) {
	case []any:
		for _, x := range v {
			m.walkSchema(x, depth+1)
		}
	case map[string]any:
		m.readObject(v)
		m.walkSchema(v["@graph"], depth+1)
		m.walkSchema(v["mainEntity"], depth+1)
	}
}

// takeDay takes the day of publication, unless one is known.
func (m *Declared) takeDay(text string) {
	if m.Date == "" {
		m.Date, m.inZone = day(text, m.Lang), hasOffset(text)
	}
}

func (m *Declared) readObject(object map[string]any) {
	typeCount := texts(object["@type"])
	m.SchemaTypes = append(m.SchemaTypes, typeCount...)
	for _, kind := range typeCount {
		if kind == "BreadcrumbList" && m.Breadcrumb == nil {
			m.Breadcrumb = crumbs(object["itemListElement"])
		}
	}
	for _, x := range texts(object["headline"]) {
		first(&m.Headline, x)
		var this string
		first(&this, x)
		m.MoreHeadlines = m.MoreHeadlines || this != "" && this != m.Headline
	}
	for _, property := range [...]string{"datePublished", "datePosted"} { // the second is that of a job or a house
		for _, x := range texts(object[property]) {
			m.takeDay(x)
		}
	}
	for _, property := range [...]string{"startDate", "endDate", "validThrough", "expires"} {
		for _, x := range texts(object[property]) {
			if d := day(x, m.Lang); d != "" && len(m.dueDays) < maxDeclared {
				m.dueDays = append(m.dueDays, d)
			}
		}
	}
	for _, x := range texts(object["dateModified"]) {
		first(&m.modified, day(x, m.Lang))
	}
	for _, x := range texts(object["articleSection"]) {
		first(&m.section, x)
	}
	if names := texts(object["author"]); len(names) > 0 && !strings.Contains(names[0], "://") {
		first(&m.Author, names[0])
	}
	m.readAuthors(object["author"])
}

// readAuthors reads the author of a JSON-LD object: a name, an object with one, or a list of these.
func (m *Declared) readAuthors(value any) {
	switch v := value.(type) {
	case []any:
		for _, x := range v[:min(len(v), maxDeclared)] {
			if _, list := x.([]any); !list {
				m.readAuthors(x)
			}
		}
	case map[string]any:
		names := texts(v["name"])
		if len(names) == 0 {
			return
		}
		if slices.ContainsFunc(texts(v["@type"]), func(kind string) bool { return kind != "Person" }) {
			m.others = addName(m.others, names[0])
		} else {
			m.persons = addName(m.persons, names[0])
		}
	case string:
		m.others = addName(m.others, html.UnescapeString(v))
	}
}

// texts returns the strings of a value, which may be a string, a list of strings, or an object with
// a name.
func texts(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{html.UnescapeString(v)} // many sites write it as in HTML
	case map[string]any:
		return texts(v["name"])
	case []any:
		var all []string
		for _, x := range v[:min(len(v), 16)] {
			if _, list := x.([]any); !list {
				all = append(all, texts(x)...)
			}
		}
		return all
	}
	return nil
}

// crumbs returns the names of a BreadcrumbList without the last one, which is the page's own.
func crumbs(value any) []string {
	list, _ := value.([]any)
	var names []string
	for _, x := range list[:min(len(list), 12)] {
		item, _ := x.(map[string]any)
		name := texts(item["name"])
		if len(name) == 0 {
			name = texts(item["item"])
		}
		if len(name) > 0 && !strings.Contains(name[0], "://") {
			names = append(names, strings.Join(strings.Fields(strings.ToValidUTF8(name[0], "")), " "))
		}
	}
	if len(names) > 0 {
		names = names[:len(names)-1]
	}
	return names
}
