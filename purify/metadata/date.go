package metadata

import (
	"bytes"
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/purify/markup"
)

// dayLayouts are the forms of dates in metadata.
var dayLayouts = []string{
	"2006-01-02", "2006/01/02", "2006.01.02", "20060102", "2006-1-2", "2006/1/2", "2006年1月2日",
	"January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006", "Mon, 2 Jan 2006",
	"Monday, January 2, 2006", "Mon Jan 2 15:04:05 2006", "Mon Jan 2 15:04:05 MST 2006", "Jan. 2, 2006",
}

// day reads a date in any of dayLayouts, with or without a time after it, or in a form that findDay
// knows, or as the seconds or milliseconds of Unix time, and returns it as YYYY-MM-DD, "" if it finds none. Years
// before 1980 and after 2100 are ignored, as they are placeholders.
func day(s, lang string) string {
	s = strings.TrimSpace(s)
	if len(s) > 64 {
		return ""
	}
	if len(s) == len("1400000000") || len(s) == len("1400000000000") { // 2001 to 2286
		if n, err := strconv.ParseInt(s, 10, 64); err == nil && s[0] == '1' {
			if len(s) > 10 {
				n /= 1000
			}
			return time.Unix(n, 0).UTC().Format(time.DateOnly)
		}
	}
	for _, layout := range dayLayouts {
		text := s
		if len(layout) <= 10 && len(text) > len(layout) {
			if i := strings.IndexAny(text, "T "); i >= 6 {
				text = text[:i]
			}
		} else if strings.HasPrefix(layout, "Mon, ") && len(text) > 16 {
			text = strings.TrimSpace(text[:16])
		}
		t, err := time.Parse(layout, text)
		if err == nil && t.Year() >= 1980 && t.Year() <= 2100 {
			return t.Format(time.DateOnly)
		}
	}
	d, _ := findDay([]byte(s), lang)
	return d
}

// hasOffset reports whether a time ends in an offset from UTC that is not zero: "2024-05-06T08:00:00+08:00".
func hasOffset(s string) bool {
	sign := strings.LastIndexAny(s, "+-")
	clock := strings.IndexByte(s, ':')
	if clock < 0 || sign < clock {
		return false
	}
	offset := strings.ReplaceAll(s[sign+1:], ":", "")
	return len(offset) == len("0800") && strings.Trim(offset, "0123456789") == "" && strings.Trim(offset, "0") != ""
}

// A datePart is a number or the name of a month in a text.
type datePart struct {
	from, to     int
	digits       int // of a number
	value, month int // month is 0 for a number
}

func (p datePart) year() bool {
	return p.digits == 4 && (p.value >= 1990 && p.value < 2100 || isPersianYear(p.value))
}
func (p datePart) date() bool { return p.digits > 0 && p.digits <= 2 }

// findDay returns the first day in a text, as YYYY-MM-DD, and where it starts: 2024-05-06, May 6,
// 2024, 6th of May 2024, 6. Mai 2024, 6 мая 2024, 2024. május 6., 6.5.2024, 2024年5月6日, 2024년 5월 6일, ۱۷ اردیبهشت ۱۴۰۳.
// If two numbers are separated by dots the first is the day; so it is with slashes or dashes,
// unless the language is en-US. If only one order gives a valid day, that one is used.
func findDay(text []byte, lang string) (string, int) {
	if !hasYear(text) {
		return "", 0
	}
	var parts [3]datePart
	for i := 0; i < len(text); {
		var p datePart
		if _, size := digitOf(text[i:]); size > 0 {
			p.from = i
			for digit, size := digitOf(text[i:]); size > 0; digit, size = digitOf(text[i:]) {
				p.value = min(p.value*10+digit, 1e6)
				p.digits++
				i += size
			}
			p.to = i
		} else {
			word := wordAt(text[i:])
			if word == 0 {
				_, n := utf8.DecodeRune(text[i:])
				i += n
				continue
			}
			i += word
			if p.month = monthOf(text[i-word : i]); p.month == 0 {
				continue
			}
			p.from, p.to = i-word, i
		}
		parts[0], parts[1], parts[2] = parts[1], parts[2], p
		if d := dayOf(text, parts, lang); d != "" {
			return d, parts[0].from
		}
	}
	return "", 0
}

// hasYear reports whether a text has a number of four digits. Every date has one, and most blocks
// have none.
func hasYear(text []byte) bool {
	for i := 3; i < len(text); i += 4 { // at least one of four digits in a row is at such a place
		from := i
		if !utf8.RuneStart(text[i]) {
			from-- // the digits of two bytes
		}
		_, size := digitOf(text[from:])
		if size == 0 {
			continue
		}
		to := from + size
		for from >= size && isDigit(text[from-size:], size) {
			from -= size
		}
		for isDigit(text[to:], size) {
			to += size
		}
		if to-from == 4*size {
			return true
		}
	}
	return false
}

// digitOf returns the digit at the start of a text, Latin, Arabic or Persian, and its bytes; 0 bytes if there is none.
func digitOf(text []byte) (digit, size int) {
	switch {
	case len(text) == 0:
	case markup.Digit(text[0]):
		return int(text[0] - '0'), 1
	case text[0] == 0xd9 || text[0] == 0xdb:
		if r, n := utf8.DecodeRune(text); r >= '٠' && r <= '٩' {
			return int(r - '٠'), n
		} else if r >= '۰' && r <= '۹' {
			return int(r - '۰'), n
		}
	}
	return 0, 0
}

// isDigit reports whether a text starts with a digit of so many bytes.
func isDigit(text []byte, size int) bool {
	_, n := digitOf(text)
	return n == size
}

// DayIn returns the first day that a text in a language names, in a form that findDay knows, as YYYY-MM-DD; "" if it names none.
func DayIn(text []byte, lang string) string {
	d, _ := findDay(text, lang)
	return d
}

// NamesDay reports whether a text in a language names a day, in a form that findDay knows.
func NamesDay(text []byte, lang string) bool { return DayIn(text, lang) != "" }

// wordAt returns the length of the word at the start of a text; 0 if there is none.
func wordAt(text []byte) int {
	n := 0
	for n < len(text) {
		if text[n] < utf8.RuneSelf {
			if !markup.Letter(text[n]) {
				break
			}
			n++
			continue
		}
		r, size := utf8.DecodeRune(text[n:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		n += size
	}
	return n
}

// dayOf returns the day that three parts of a text form; "" if they form none.
func dayOf(text []byte, parts [3]datePart, lang string) string {
	a, b, c := parts[0], parts[1], parts[2]
	if a.to == a.from || b.from-a.to > maxDateGap || c.from-b.to > maxDateGap {
		return ""
	}
	first, second := text[a.to:b.from], text[b.to:c.from]
	switch {
	case a.month > 0 && b.date() && c.year() && plainGap(first) && plainGap(second):
		return ymd(c.value, a.month, b.value, lang)
	case a.date() && b.month > 0 && c.year() && plainGap(first) && plainGap(second):
		return ymd(c.value, b.month, a.value, lang)
	case a.year() && b.month > 0 && c.date() && plainGap(first) && plainGap(second):
		return ymd(a.value, b.month, c.value, lang)
	case b.month > 0 || c.month > 0 || a.month > 0 || !b.date():
		return ""
	}
	sep := string(bytes.TrimSpace(first))
	same := sep == string(bytes.TrimSpace(second)) && (sep == "." || len(first) == 1 && len(second) == 1)
	switch {
	case a.year() && c.date() && (same && (sep == "-" || sep == "/" || sep == ".") || eastern(sep, second)):
		return ymd(a.value, b.value, c.value, lang)
	case !a.date() || !c.year() || !same || inVersion(text, a.from):
		return ""
	case sep == "." || (sep == "/" || sep == "-") && !strings.EqualFold(lang, "en-us"):
		return cmp.Or(ymd(c.value, b.value, a.value, lang), ymd(c.value, a.value, b.value, lang))
	case sep == "/" || sep == "-":
		return cmp.Or(ymd(c.value, a.value, b.value, lang), ymd(c.value, b.value, a.value, lang))
	}
	return ""
}

const maxDateGap = 10 // bytes between the parts of a day

// eastern reports whether two numbers are followed by the characters for year and month.
func eastern(year string, month []byte) bool {
	m := string(bytes.TrimSpace(month))
	return year == "年" && m == "月" || year == "년" && m == "월"
}

// inVersion reports whether a dot or the like and another number precede a number, as in versions.
func inVersion(text []byte, from int) bool {
	return from >= 2 && markup.Digit(text[from-2]) && strings.IndexByte("./-", text[from-1]) >= 0
}

// plainGap reports whether the text between two parts of a date has only words that occur in dates:
// "of", "th", "de".
func plainGap(gap []byte) bool {
	for i := 0; i < len(gap); {
		n := wordAt(gap[i:])
		if n == 0 {
			_, size := utf8.DecodeRune(gap[i:])
			i += size
			continue
		}
		switch string(bytes.ToLower(gap[i : i+n])) {
		case "st", "nd", "rd", "th", "of", "de", "del", "di", "do", "d", "er", "den", "e", "º", "ª", "г", "року", "ماه":
		default:
			return false
		}
		i += n
	}
	return true
}

// ymd returns the day of a year, month and date, YYYY-MM-DD in the calendar of most of the web; "" if there is none. A year of the
// Persian calendar needs one of its months, by name, or a language whose pages count so.
func ymd(year, month, date int, lang string) string {
	if isPersianYear(year) {
		if month <= 12 && !countsPersian(lang) {
			return ""
		}
		return persianDay(year, (month-1)%12+1, date)
	}
	if month < 1 || month > 12 || date < 1 || date > 31 {
		return ""
	}
	t := time.Date(year, time.Month(month), date, 0, 0, 0, 0, time.UTC)
	if t.Day() != date {
		return ""
	}
	return t.Format(time.DateOnly)
}

// isPersianYear reports whether a year is one of the Persian calendar in which a page may be dated, 1990 to 2099.
func isPersianYear(year int) bool { return year >= 1369 && year < 1478 }

// countsPersian reports whether a language is Persian, Dari or Pashto.
func countsPersian(lang string) bool {
	tag, _, _ := strings.Cut(strings.ToLower(lang), "-")
	return tag == "fa" || tag == "prs" || tag == "ps"
}

// persianDay returns a day of the Persian calendar as YYYY-MM-DD; "" if there is none. Six months have 31 days and the others
// 30, the last one 29 if the year is no leap year. Of 33 years 8 are leap years, which is so from 1210 to 1634 (K. M. Borkowski, The Persian
// calendar for 3000 years, Earth, Moon, and Planets 74, 1996).
func persianDay(year, month, date int) string {
	leaps := func(year int) int { return (8*year + 21) / 33 } // before that year
	days := 31
	switch {
	case month == 12:
		days = 29 + leaps(year+1) - leaps(year)
	case month > 6:
		days = 30
	}
	if month < 1 || month > 12 || date < 1 || date > days {
		return ""
	}
	const known = 1403 // it started on 20 March 2024
	since := 365*(year-known) + leaps(year) - leaps(known) + 30*(month-1) + min(month-1, 6) + date - 1
	return time.Date(2024, time.March, 20+since, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// persianMonths are the names of the months of the Persian calendar, as in Iran and in Afghanistan, also with Arabic letters for ی and آ.
var persianMonths = [12]string{
	"فروردین فروردين حمل", "اردیبهشت ارديبهشت ثور", "خرداد جوزا", "تیر تير سرطان", "مرداد امرداد اسد", "شهریور شهريور سنبله",
	"مهر میزان ميزان", "آبان ابان عقرب", "آذر اذر قوس", "دی دي جدی جدي", "بهمن دلو", "اسفند حوت",
}

// monthNames are the names of the months in the languages of most of the web: names, forms that
// follow a day, and usual short forms, the English ones first. Croatian names that mean another
// month in Polish or Czech are left out.
var monthNames = [12]string{
	"january jan januar jänner janvier janv enero ene gennaio gen janeiro januari januar jan tammikuuta tammikuu stycznia styczeń sty ledna leden január ianuarie ocak января январь янв січня січень ιανουαρίου ιαν يناير जनवरी siječnja януари januára ژانویه ژانويه",
	"february feb februar feber février févr fév febrero febbraio febbr fevereiro fev februari helmikuuta helmikuu lutego luty lut února únor február febr februarie şubat февраля февраль фев лютого лютий φεβρουαρίου φεβ فبراير फ़रवरी फरवरी veljače февруари februára pebruari فوریه فوريه",
	"march mar märz mrz marzo mars março maart mrt mart maaliskuuta maaliskuu marca marzec března březen március márc martie marts maret марта март мар березня березень μαρτίου μαρ مارس मार्च ožujka",
	"april apr avril avr abril abr aprile aprill huhtikuuta huhtikuu kwietnia kwiecień kwi dubna duben április ápr aprilie nisan апреля апрель апр квітня квітень απριλίου απρ أبريل ابريل अप्रैल travnja април apríla آوریل آوريل",
	"may mai mayo maggio mag maio mei maj toukokuuta toukokuu maja května květen május máj mayıs мая май травня травень μαΐου μαΐ مايو मई svibnja mája مه",
	"june jun juni juin junio giugno giu junho kesäkuuta kesäkuu czerwca czerwiec cze června červen június jún iunie haziran июня июнь июн червня червень ιουνίου ιουν يونيو जून lipnja юни júna ژوئن",
	"july jul juli juillet juil julio luglio lug julho heinäkuuta heinäkuu lipca lipiec lip července červenec július júl iulie temmuz июля июль июл липня липень ιουλίου ιουλ يوليو जुलाई srpnja юли júla ژوئیه ژوئيه جولای",
	"august aug août aout agosto ago augustus augusti elokuuta elokuu sierpnia sierpień sie srpna srpen augusztus aug ağustos agustus августа август авг серпня серпень αυγούστου αυγ أغسطس اغسطس अगस्त kolovoza augusta اوت آگوست",
	"september sep sept septembre septiembre setiembre settembre sett setembro syyskuuta syyskuu września wrzesień wrz září szeptember szept septembrie eylül сентября сентябрь сен сент вересня вересень σεπτεμβρίου σεπ سبتمبر सितंबर सितम्बर rujna септември septembra سپتامبر",
	"october oct oktober okt octobre octubre ottobre ott outubro out lokakuuta lokakuu października październik paź října říjen október octombrie ekim октября октябрь окт жовтня жовтень οκτωβρίου οκτ أكتوبر اكتوبر अक्टूबर अक्तूबर октомври októbra اکتبر",
	"november nov novembre noviembre novembro marraskuuta marraskuu listopada listopad lis listopadu noiembrie kasım ноября ноябрь ноя нояб листопада листопад νοεμβρίου νοε نوفمبر नवंबर नवम्बर studenoga ноември novembra نوامبر",
	"december dec dezember dez décembre déc diciembre dic dicembre dezembro desember des joulukuuta joulukuu grudnia grudzień gru prosince prosinec decembrie aralık desember декабря декабрь дек грудня грудень δεκεμβρίου δεκ ديسمبر दिसंबर दिसम्बर prosinca декември decembra دسامبر",
}

// A monthTable has the number of each month by its names, and for each letter of ASCII the letters of ASCII that follow it at the
// start of a name.
type monthTable struct {
	numbers map[string]int
	starts  [32]uint32
}

var months = sync.OnceValue(func() *monthTable {
	m := &monthTable{numbers: map[string]int{}}
	for i, names := range persianMonths {
		for name := range strings.FieldsSeq(names) {
			m.numbers[name], m.numbers[name+"ماه"] = 13+i, 13+i
		}
	}
	for i, names := range monthNames {
		for name := range strings.FieldsSeq(names) {
			m.numbers[name] = i + 1
			if markup.Letter(name[0]) && markup.Letter(name[1]) {
				m.starts[name[0]&31] |= 1 << (name[1] & 31)
			}
		}
	}
	return m
})

// maxMonth is the longest name of a month in bytes.
const maxMonth = 32

// monthOf returns the number of a month by its name, 13 to 24 for those of the Persian calendar, or 0.
func monthOf(word []byte) int {
	if len(word) < 3 || len(word) > maxMonth {
		return 0
	}
	m := months()
	if markup.Letter(word[0]) && markup.Letter(word[1]) && m.starts[word[0]&31]>>(word[1]&31)&1 == 0 {
		return 0 // as most words
	}
	var room [2 * maxMonth]byte
	low := room[:0]
	for i := 0; i < len(word); {
		r, n := utf8.DecodeRune(word[i:])
		low = utf8.AppendRune(low, unicode.ToLower(r))
		i += n
	}
	return m.numbers[string(low)]
}

// Unnumbered returns a title without what tells the issues of a series apart: numbers, also Chinese ones behind 第, and names of
// months are "#", several in a row one; the rest is in small letters, without signs.
func Unnumbered(title string) string {
	var parts []string
	title = hanNumber.ReplaceAllString(strings.ToLower(title), "第0")
	for word := range strings.FieldsFuncSeq(title, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }) {
		if monthOf([]byte(word)) > 0 {
			word = "0"
		}
		for _, part := range numberOrNot.FindAllString(word, -1) {
			if r, _ := utf8.DecodeRuneInString(part); unicode.IsDigit(r) {
				part = "#"
			}
			if n := len(parts); part != "#" || n == 0 || parts[n-1] != "#" {
				parts = append(parts, part)
			}
		}
	}
	return strings.Join(parts, " ")
}

var (
	hanNumber   = regexp.MustCompile(`第[一二三四五六七八九十百〇零]+`)
	numberOrNot = regexp.MustCompile(`\p{Nd}+(?:(?:st|nd|rd|th|er)\b)?|\P{Nd}+`)
)

// renewed are words before a day that is that of an update and not of publication.
var renewed = [...]string{"updated", "modified", "edited", "aktualisiert", "geändert", "mis à jour", "modifié", "actualizado", "actualizada", "modificado", "atualizado", "aggiornato", "bijgewerkt", "uppdaterad", "обновлен", "обновлён", "изменен", "оновлено", "zaktualizowano", "更新", "수정"}

// ofRenewal reports whether the text before a day says that it is the day of an update.
func ofRenewal(before []byte) bool {
	low := bytes.ToLower(before)
	for _, word := range renewed {
		i := bytes.LastIndex(low, []byte(word))
		if i >= 0 && !ofPublication(low[i:]) {
			return true
		}
	}
	return false
}

// ofPublication reports whether a text, in lower case, says that what follows is the author or the day of
// publication: "Release 2 updated. Written by Ann Writer on".
func ofPublication(low []byte) bool {
	for _, words := range [...]string{"written by", "posted by", "posted on", "published by", "published on"} {
		if bytes.Contains(low, []byte(words)) {
			return true
		}
	}
	return false
}
