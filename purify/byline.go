package purify

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Where a page's metadata says neither when it was published nor by whom, the
// blocks around its first heading do.

// Blocks before and after the first h1 in which a byline is looked for.
const (
	bylineBefore = 8
	bylineAfter  = 25
)

const maxByline = 220 // bytes of a block that may be one

// A stamp is the datetime of a time element.
type stamp struct {
	text  string
	block int32
}

const maxStamps = 64

// bylines returns the range of blocks around the page's heading.
func (o *outline) bylines() (from, to int) {
	h1 := max(o.census.h1, 0)
	return max(h1-bylineBefore, 0), min(h1+bylineAfter, len(o.blocks))
}

// dateOf returns the day on which the page was published, or nothing.
func (o *outline) dateOf(m *metadata, url string) string {
	if m.date != "" {
		return m.date
	}
	from, to := o.bylines()
	if d := o.stamped(from, to); d != "" {
		return d
	}
	if d := o.dated(from, to); d != "" {
		return d
	}
	if d := urlDay(firstOf(url, m.canonical, m.ogURL)); d != "" {
		return d
	}
	if d := o.stamped(0, len(o.blocks)+1); d != "" {
		return d
	}
	return m.modified
}

func firstOf(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}

// stamped returns the first day of a time element in a range of blocks.
func (o *outline) stamped(from, to int) string {
	for _, s := range o.times {
		if int(s.block) >= from && int(s.block) < to {
			if d := day(s.text); d != "" {
				return d
			}
		}
	}
	return ""
}

// dated returns the first day that a short block names, and rather one that
// does not speak of an update.
func (o *outline) dated(from, to int) string {
	later := ""
	start := max(o.census.h1, 0)
	for n := range to - from {
		i := start + n // from the heading on, then what is before it
		if i >= to {
			i = start - 1 - (n - (to - start))
		}
		b := &o.blocks[i]
		text := o.text[b.from:b.to]
		if len(text) > maxByline || b.linked*3 > int32(len(text))*2 {
			continue
		}
		d, at := findDay(text)
		if d == "" {
			continue
		}
		before := bytes.ToLower(text[:at])
		if !bytes.Contains(before, []byte("updated")) && !bytes.Contains(before, []byte("modified")) {
			return d
		}
		if later == "" {
			later = d
		}
	}
	return later
}

// urlDay returns the day in an address: 2024-05-06, /2024/05/06/, /2024/0506/,
// /202405/06/ or 20240506.
func urlDay(url string) string {
	for i := range url {
		if url[i] != '2' && url[i] != '1' || i > 0 && digit(url[i-1]) {
			continue
		}
		rest := url[i:]
		var parts [3]string
		for k, n := range [3]int{4, 2, 2} {
			if k > 0 && rest != "" && (rest[0] == '/' || rest[0] == '-') {
				rest = rest[1:]
			}
			if len(rest) < n {
				return ""
			}
			parts[k], rest = rest[:n], rest[n:]
		}
		if rest != "" && digit(rest[0]) {
			continue
		}
		if d := day(strings.Join(parts[:], "-")); d != "" {
			return d
		}
	}
	return ""
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// A numeral is a run of digits of a text.
type numeral struct{ from, to, value int }

// findDay returns the first day that a text names, as YYYY-MM-DD, and where it
// begins: 2024-05-06, May 6, 2024, 6th of May 2024, 5/6/2024, 2024年5月6日. Of two
// numbers that could both be a month the first is taken for it.
func findDay(text []byte) (string, int) {
	var last [2]numeral
	month, monthAt, monthEnd := 0, 0, 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case digit(c):
			n := numeral{from: i}
			for i < len(text) && digit(text[i]) {
				n.value = min(n.value*10+int(text[i]-'0'), 1e6)
				i++
			}
			n.to = i
			if d, at := dayEndingIn(text, last, n, month, monthAt, monthEnd); d != "" {
				return d, at
			}
			last[0], last[1] = last[1], n
		case letter(c):
			from := i
			for i < len(text) && letter(text[i]) {
				i++
			}
			if m := monthOf(text[from:i]); m > 0 {
				month, monthAt, monthEnd = m, from, i
			}
		case bytes.HasPrefix(text[i:], []byte("日")) || bytes.HasPrefix(text[i:], []byte("号")):
			// The numeral before has been looked at.
			i += len("日")
		default:
			i++
		}
	}
	return "", 0
}

// dayEndingIn tries a numeral as the last part of a day.
func dayEndingIn(text []byte, last [2]numeral, n numeral, month, monthAt, monthEnd int) (string, int) {
	a, b := last[0], last[1]
	near := func(x, y int) bool { return y >= x && y-x <= 8 && plainGap(text[x:y]) }
	if isYear(n) {
		switch {
		case month > 0 && b.to > b.from && b.from >= monthEnd && near(monthEnd, b.from) && near(b.to, n.from) && b.to-b.from <= 2:
			return ymd(n.value, month, b.value), monthAt // May 6, 2024
		case month > 0 && b.to > b.from && b.to <= monthAt && near(b.to, monthAt) && near(monthEnd, n.from) && b.to-b.from <= 2:
			return ymd(n.value, month, b.value), b.from // 6 May 2024
		case a.to > a.from && oneOf(text, a.to, b.from, "/.-") && oneOf(text, b.to, n.from, "/.-"):
			if a.value <= 12 {
				return ymd(n.value, a.value, b.value), a.from
			}
			return ymd(n.value, b.value, a.value), a.from
		}
		return "", 0
	}
	if isYear(a) && b.to-b.from <= 2 && n.to-n.from <= 2 {
		sep := string(text[a.to:b.from])
		if sep == string(text[b.to:n.from]) && (sep == "-" || sep == "/" || sep == ".") || strings.TrimSpace(sep) == "年" && bytes.Contains(text[b.to:n.from], []byte("月")) && n.from-b.to < 6 {
			return ymd(a.value, b.value, n.value), a.from
		}
	}
	return "", 0
}

func isYear(n numeral) bool { return n.to-n.from == 4 && n.value >= 1990 && n.value < 2100 }

func oneOf(text []byte, from, to int, signs string) bool {
	return to-from == 1 && strings.IndexByte(signs, text[from]) >= 0
}

// plainGap reports whether two parts of a day stand together.
func plainGap(gap []byte) bool {
	for word := range bytes.FieldsFuncSeq(gap, func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch string(bytes.ToLower(word)) {
		case "st", "nd", "rd", "th", "of", "de":
		default:
			return false
		}
	}
	return true
}

func ymd(year, month, date int) string {
	if month < 1 || month > 12 || date < 1 || date > 31 {
		return ""
	}
	two := func(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }
	return day(two(year/100) + two(year%100) + "-" + two(month) + "-" + two(date))
}

var monthNames = [...]string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// monthOf returns the number of an English month, in full or cut to three
// letters, or 0.
func monthOf(word []byte) int {
	if len(word) < 3 || len(word) > 9 || strings.IndexByte("jfmasond", word[0]|0x20) < 0 {
		return 0
	}
	var low [9]byte
	for i, c := range word {
		low[i] = c | 0x20
	}
	name := string(low[:len(word)])
	for i, m := range monthNames {
		if name == m || name == m[:3] || name == "sept" && i == 8 {
			return i + 1
		}
	}
	return 0
}

// authorOf returns who wrote the page, or nothing. Metadata that names the site
// is believed where no byline names a person.
func (o *outline) authorOf(m *metadata, url string) string {
	told := m.author
	if noName(told) {
		told = ""
	}
	site := siteWords(m.site, firstOf(url, m.canonical, m.ogURL))
	if told != "" && !site.is(told) {
		return told
	}
	return firstOf(o.signedBy(), told)
}

const maxSigned = 8

// sign notes that the element which begins here names an author, if its itemprop
// or rel says so, and returns its place in signed, from 1, or 0.
func (o *outline) sign(as []byte) uint8 {
	if string(as) != "author" || len(o.signed) == maxSigned {
		return 0
	}
	o.signed = append(o.signed, span32{from: int32(len(o.text)), to: -1})
	return uint8(len(o.signed))
}

// marked returns the first name that the mark-up says is the author's, or nothing.
func (o *outline) marked() string {
	for _, s := range o.signed {
		text := o.text[s.from:]
		if s.to >= 0 {
			text = o.text[s.from:s.to]
		}
		for line := range bytes.Lines(text[:min(len(text), maxByline)]) {
			if name := personName(string(bytes.TrimSpace(line))); name != "" {
				return name
			}
		}
	}
	return ""
}

// signedBy returns the name in a byline, or nothing.
func (o *outline) signedBy() string {
	if name := o.marked(); name != "" {
		return name
	}
	from, to := o.bylines()
	for i := max(o.census.h1, from); i < to; i++ {
		if o.blocks[i].size() > maxByline || !saysBy(o.textOf(i)) {
			continue
		}
		if name := afterBy(string(o.textOf(i))); name != "" {
			return name
		}
	}
	for i := range o.links {
		a := &o.links[i]
		if int(a.block) < from || int(a.block) >= to || a.to <= a.from || o.blocks[a.block].hints&outside != 0 {
			continue
		}
		if writes(a.url) {
			if name := personName(string(o.text[a.from:a.to])); name != "" {
				return name
			}
		}
	}
	for i := from; i < to; i++ {
		b := &o.blocks[i]
		n := &o.nodes[b.node]
		if i == o.census.h1 || (n.own|o.nodes[n.parent].own)&saysBio == 0 || b.size() > 60 {
			continue
		}
		if name := personName(string(o.textOf(i))); name != "" {
			return name
		}
	}
	return ""
}

func (o *outline) textOf(i int) []byte { return o.text[o.blocks[i].from:o.blocks[i].to] }

// writes reports whether an address is that of a person's page.
func writes(url []byte) bool {
	for _, s := range [...]string{"/author", "/profile", "/user", "/people/", "/contributor", "/member", "/staff/", "/writers/", "/team/", "/u/"} {
		if bytes.Contains(url, []byte(s)) {
			return true
		}
	}
	return false
}

// saysBy reports whether afterBy may find something.
func saysBy(text []byte) bool { return containsFold(text, "by") || containsFold(text, "author:") }

// afterBy returns the name in "By Ann Writer, May 6", or nothing.
func afterBy(text string) string {
	low := strings.ToLower(text)
	if len(low) != len(text) {
		return ""
	}
	for _, by := range [...]string{"written by", "posted by", "authored by", "published by", "author:", "by:", "by "} {
		i := strings.Index(low, by)
		if i < 0 || i > 0 && (by == "by " || by == "by:") && !strings.HasSuffix(text[:i], "| ") && !strings.HasSuffix(text[:i], "· ") && !strings.HasSuffix(text[:i], "• ") {
			continue
		}
		if name := personName(text[i+len(by):]); name != "" && !digit(name[0]) { // "By 10 a.m."
			return name
		}
		return ""
	}
	return ""
}

// personName returns what may be a name at the start of a text: two to 50 bytes
// up to a sign, a number or a word that begins another thing.
func personName(s string) string {
	s = strings.TrimLeft(s, " :")
	low := strings.ToLower(s)
	if len(low) != len(s) {
		return ""
	}
	for _, by := range [...]string{"by ", "written by ", "author ", "von ", "par "} {
		if strings.HasPrefix(low, by) {
			s, low = s[len(by):], low[len(by):]
		}
	}
	end := len(s)
	for i, r := range s {
		if r == ',' || r == '\n' || r == '»' || r == '|' || r == '·' || r == '•' || r == '—' || r == '–' || r == '(' || r == '/' || r == '⋅' || r == '@' && i > 0 || unicode.IsDigit(r) && i > 0 && s[i-1] == ' ' {
			end = i
			break
		}
	}
	for _, stop := range [...]string{" on ", " - ", " in ", " published", " updated", " posted", " last ", " jan ", " feb ", " mar ", " apr ", " may ", " jun ", " jul ", " aug ", " sep ", " oct ", " nov ", " dec "} {
		if i := strings.Index(low[:end]+" ", stop); i > 0 && i < end {
			end = i
		}
	}
	for _, m := range monthNames {
		if i := strings.Index(low[:end], m); i > 0 && (s[i-1] == ' ' || letter(s[i-1]) && s[i] != low[i]) { // "Ann WriterMay 6"
			end = i
		}
	}
	name := strings.TrimSpace(s[:end])
	n := strings.Count(name, " ") + 1
	if len(name) < 2 || len(name) > 50 || n > 6 {
		return ""
	}
	first, _ := utf8.DecodeRuneInString(name)
	if n > 1 && unicode.IsLower(first) {
		return ""
	}
	if half := name[:len(name)/2]; name == half+half {
		name = half // shown once, and hidden for other programs once
	}
	if noName(name) || monthOf([]byte(name)) > 0 {
		return ""
	}
	return name
}

// noName reports whether a text is what stands in a name's place on many pages and
// is none: a word of a menu or a label, an address or a number.
func noName(s string) bool {
	low := strings.ToLower(s)
	return notNames[low] || strings.HasSuffix(s, ":") || strings.HasSuffix(s, "?") ||
		strings.Contains(low, "www.") || strings.IndexByte(s, '@') > 0 || !strings.ContainsFunc(s, unicode.IsLetter)
}

var notNames = setOf(
	"author", "authors", "about the author", "share", "follow", "admin", "administrator", "view profile", "profile", "join", "join date", "reply", "member", "members", "new member", "registered", "staff", "guest", "by", "users", "tags",
	"no author", "anonymous", "unknown", "lost password", "create an account", "account settings", "my account", "settings", "username or email address",
	"discuz! team and comsenz ui team", // Discuz, on every page
	"login", "log", "log in", "sign in", "sign up", "register", "search",
	"注册", "登录", "注册登录", "登入", "退出", "搜索", "历史", "作者", "注冊", "登錄", "搜尋", "검색", "로그인", "ログイン", "新規登録",
)

func setOf(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
