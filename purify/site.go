package purify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/purify/body"
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/metadata"
	"gatecrawl.example/gatecrawl/purify/words"
	"gatecrawl.example/gatecrawl/splitmix"
)

// A Site learns which blocks of text the pages of a host repeat. A block that it sees for the first
// time goes into a small filter; one that it sees on a second page gets a row with a count in a
// bounded table (after Gibson, Punera and Tomkins 2005, who hash the blocks of a site; the filter
// in front of the table is that of Einziger, Friedman and Manes 2017). The zero Site has seen
// nothing.
//
// A Site takes at most MaxSite bytes. Its templates depend only on the pages that it has learned
// and on their order.
type Site struct {
	fed    int    // pages that count, halved now and then
	halved int    // how often, as far as Wants needs it
	next   int    // fed at which the next template is made
	made   int    // templates so far
	filter []byte // bits of the prints that were seen once
	fill   int    // prints in the filter
	rows   []row  // sorted by print
}

// A row says how many of the counted pages have a block.
type row struct {
	print Print
	pages uint16
}

// A Print identifies a block: 40 bits of a hash of its text, of which the first is 0. For a short
// text the hash includes its place among the page's tags. A Print whose first bit is 1 is not of a
// block, but of a part of a title or of a picture.
type Print uint64

// PrintBits is how many bits a Print has.
const PrintBits = 40

// OfBlock reports whether the print is that of a block, and not of a part of a title or a picture.
func (p Print) OfBlock() bool { return p&ofNoBlock == 0 }

const ofNoBlock Print = 1 << (PrintBits - 1)

// The limits of a Site, and when it makes templates. A real page has about 180 distinct blocks (300
// pages of the tuning data), most of which no other page has.
const (
	printBytes  = PrintBits / 8
	rowBytes    = printBytes + 2
	maxRows     = 1024
	filterBytes = 2 << 10
	maxFill     = filterBytes // prints, 8 bits each; then the filter is emptied
	maxPrints   = 512         // of a page: its first and its last
	shortText   = 30          // bytes
	firstMade   = 5           // pages after which there is the first template
	maxFed      = 256         // pages after which all counts are halved
	maxHalved   = 3           // after each of the first ones only half as many pages count

	// MaxSite is the longest Site.Bytes, MaxTemplate the longest Template.Bytes.
	MaxSite     = 1 + 4*binary.MaxVarintLen32 + filterBytes + maxRows*rowBytes
	MaxTemplate = 1 + 3*binary.MaxVarintLen32 + maxRows*rowBytes
)

// Wants reports whether a page counts; on a host with many pages only some do. Each time the counts
// are halved, half as many pages count from then on, down to one in eight, so that all parts of a
// site have the same weight in whatever order they are found. A page without blocks does not count.
func (s *Site) Wants(page []Print) bool {
	if len(page) == 0 {
		return false
	}
	var sum Print
	for _, p := range page {
		if p.OfBlock() {
			sum ^= p
		}
	}
	return sum%(1<<s.halved) == 0
}

// Met reports whether a page with the same prints was met shortly before, and remembers the page. Under
// another session id, a page says nothing new of what pages repeat.
func (s *Site) Met(page []Print) bool {
	s.start()
	var sum Print
	for _, p := range page {
		sum ^= p
	}
	return s.again(Print(splitmix.Mix(uint64(sum)))>>(64-PrintBits) | ofNoBlock)
}

// Learn counts the prints of a page, which are sorted and distinct. If that makes a new template
// due, Learn returns it, else nil.
func (s *Site) Learn(page []Print) *Template {
	if !s.count(page) {
		return nil
	}
	s.made++
	t := s.template()
	s.plan()
	return t
}

// Last returns a template of all pages that count so far. It is for a site of which no more pages
// are expected, since the latest template lacks lines that only the last pages have. It is nil if
// there is no template yet.
func (s *Site) Last() *Template {
	if s.made == 0 {
		return nil
	}
	s.made++
	return s.template()
}

// count counts the prints of a page, and reports whether a template is due.
func (s *Site) count(page []Print) bool {
	s.start()
	var met []row // on their second page, so that they need a row
	old := s.rows
	for _, p := range page {
		if s.fed == 0 && p.mayBeForm() {
			continue // most hosts of a wide crawl have one page, and no use for forms
		}
		for len(old) > 0 && old[0].print < p {
			old = old[1:]
		}
		switch {
		case len(old) > 0 && old[0].print == p:
			old[0].pages++
		case s.again(p):
			met = append(met, row{p, 2})
		}
	}
	s.rows = bounded(merge(s.rows, met))
	s.fed++
	return s.fed >= s.next
}

// start makes the filter of a site that has seen nothing.
func (s *Site) start() {
	if s.filter == nil {
		s.filter, s.next = make([]byte, filterBytes), firstMade
	}
}

// merge merges two sorted lists of distinct rows. It uses the memory of rows.
func merge(rows, more []row) []row {
	at, last := len(rows), len(rows)+len(more)
	rows = append(rows, more...)
	for n := len(more); n > 0; {
		last--
		if at > 0 && rows[at-1].print > more[n-1].print {
			at--
			rows[last] = rows[at]
		} else {
			n--
			rows[last] = more[n]
		}
	}
	return rows
}

// pagesAfter is how many pages make the template after one of n pages.
func pagesAfter(n int) int { return min(n+n/2, maxFed) }

// PagesOf returns how many pages of a site count when its template of a generation is made, but for a last
// template: 0 for generation 0, which is none.
func PagesOf(generation int) (pages int) {
	for n := 0; n < generation && pages < maxFed; n++ {
		if pages = pagesAfter(pages); n == 0 {
			pages = firstMade
		}
	}
	return pages
}

// plan sets when the next template is due.
func (s *Site) plan() {
	s.next = pagesAfter(s.next)
	if s.fed >= maxFed {
		s.halve()
	}
}

// Generation returns how many templates the site has had: the number of the
// last one.
func (s *Site) Generation() int { return s.made }

// again reports whether a print was seen before, and remembers it.
func (s *Site) again(p Print) bool {
	met := true
	for _, at := range [...]uint64{uint64(p) >> 20, uint64(p)} {
		at %= 8 * filterBytes
		if s.filter[at/8]>>(at%8)&1 == 0 {
			s.filter[at/8] |= 1 << (at % 8)
			met = false
		}
	}
	if met {
		return true
	}
	if s.fill++; s.fill == maxFill {
		clear(s.filter)
		s.fill = 0
	}
	return false
}

// bounded drops the rows with the fewest pages, down to the limit.
func bounded(rows []row) []row {
	if len(rows) <= maxRows {
		return rows
	}
	var with [maxFed + 2]int32 // a false positive of the filter may have counted one too many
	for _, r := range rows {
		with[r.pages]++
	}
	// Rows below least are dropped, and the last ones of those equal to least.
	spare, least := len(rows)-maxRows, uint16(0)
	for ; int(with[least]) <= spare; least++ {
		spare -= int(with[least])
	}
	keep := int(with[least]) - spare
	return slices.DeleteFunc(rows, func(r row) bool {
		if r.pages == least {
			keep--
			return keep < 0
		}
		return r.pages < least
	})
}

// halve makes older pages count less.
func (s *Site) halve() {
	s.fed /= 2
	s.halved = min(s.halved+1, maxHalved)
	for i := range s.rows {
		s.rows[i].pages /= 2
	}
	s.rows = slices.DeleteFunc(s.rows, func(r row) bool { return r.pages == 0 })
}

// template returns a template of the current counts.
func (s *Site) template() *Template {
	t := &Template{generation: s.made, fed: s.fed}
	least := minPages
	if s.fed < sureFed {
		least = minPagesEarly
	}
	for _, r := range s.rows {
		if int(r.pages) >= least && int(r.pages)*maxPagesPerShare >= s.fed {
			t.rows = append(t.rows, r)
		}
	}
	return t
}

// A block is part of the template if it is on at least this many pages, and on at least one page in
// this many. The lists of a small site repeat the titles of its posts some four times: on the home
// page, in the archive, under a tag and under a category.
const (
	minPages         = 5
	minPagesEarly    = 3 // of the first sureFed pages
	sureFed          = 10
	maxPagesPerShare = 10
)

// A Template is what a Site knew at one time: the blocks that its pages repeat. It never changes.
type Template struct {
	generation int
	fed        int
	rows       []row
	most       int // rows on most pages, of which a page must have most: see For

	index atomic.Pointer[rowIndex] // of rows; nil: not made yet
}

// Generation returns the number of the template among those of its site, from 1; 0 for a nil
// template.
func (t *Template) Generation() int {
	if t == nil {
		return 0
	}
	return t.generation
}

// Blocks returns how many blocks the template has.
func (t *Template) Blocks() int {
	if t == nil {
		return 0
	}
	return len(t.rows)
}

// pages returns how many of the site's counted pages have a block, or 0 if they are too few.
func (t *Template) pages(p Print) uint16 {
	if t == nil {
		return 0
	}
	rows := t.rows
	if len(rows) >= leastIndexed && p < 1<<PrintBits { // a text from another process may have any print
		from := t.index.Load()
		if from == nil {
			from = indexOf(rows)
			t.index.Store(from)
		}
		part := p >> (PrintBits - indexBits)
		rows = rows[from[part]:from[part+1]]
	}
	for len(rows) > mostScanned {
		if half := len(rows) / 2; rows[half].print <= p {
			rows = rows[half:]
		} else {
			rows = rows[:half]
		}
	}
	for i := range rows {
		if rows[i].print == p {
			return rows[i].pages
		}
	}
	return 0
}

// mostScanned is how many rows are scanned one by one: the index mostly leaves fewer.
const mostScanned = 8

// A rowIndex says, for the first bits of a print, from which of a template's rows on it may be
// found. Prints are hashes, so mostly a few rows are left, and none for a block that the template
// lacks.
type rowIndex [1<<indexBits + 1]uint16

const (
	indexBits    = 9
	leastIndexed = 32 // rows of a template that has an index
)

func indexOf(rows []row) *rowIndex {
	from, at := new(rowIndex), 0
	for part := range from {
		for at < len(rows) && rows[at].print>>(PrintBits-indexBits) < Print(part) {
			at++
		}
		from[part] = uint16(at)
	}
	return from
}

// The encodings of Site.Bytes. A sparse one has the positions of the filter's bits in place of the
// filter. The first ones lack how often the counts were halved.
const (
	siteFormFirst       = 1
	siteFormFirstSparse = 2
	siteForm            = 3
	siteFormSparse      = 4
	templateForm        = 1
)

// firstHalved is the number of counted pages from which the first encodings counted one page in
// eight.
const firstHalved = 128

// Bytes encodes a Site for ParseSite.
func (s *Site) Bytes() []byte { return s.AppendBytes(nil) }

// AppendBytes appends what Bytes returns.
func (s *Site) AppendBytes(b []byte) []byte {
	b = slices.Grow(b, 32+len(s.filter)+rowBytes*len(s.rows))
	form := len(b)
	b = append(b, siteForm)
	for _, n := range [...]int{s.fed, s.next, s.made, s.fill, s.halved} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	set := 0
	for i := 0; i < len(s.filter); i += 8 {
		set += bits.OnesCount64(binary.LittleEndian.Uint64(s.filter[i:]))
	}
	if s.filter != nil && set < len(s.filter) { // each set bit takes at least a byte
		whole := len(b) + len(s.filter)
		if sparse := appendBits(b, s.filter, set); len(sparse) < whole {
			sparse[form] = siteFormSparse
			return appendRows(sparse, s.rows)
		}
	}
	b = append(b, s.filter...)
	return appendRows(b, s.rows)
}

// appendBits appends the number n of a filter's bits that are set, and the distance from each to
// the next. After a page or two, which is all that most hosts of a wide crawl have, that is a tenth
// of the filter.
func appendBits(b, filter []byte, n int) []byte {
	b = binary.AppendUvarint(b, uint64(n))
	next := 0
	for i, v := range filter {
		for ; v != 0; v &= v - 1 {
			at := 8*i + bits.TrailingZeros8(v)
			b = binary.AppendUvarint(b, uint64(at-next))
			next = at + 1
		}
	}
	return b
}

// parseBits reads what appendBits wrote, and returns the rest.
func parseBits(b []byte) (filter, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > 8*filterBytes {
		return nil, nil, false
	}
	b = b[size:]
	filter = make([]byte, filterBytes)
	next := uint64(0)
	for range n {
		skip, size := binary.Uvarint(b)
		if size <= 0 || skip >= 8*filterBytes || next+skip >= 8*filterBytes {
			return nil, nil, false
		}
		at := next + skip
		filter[at/8] |= 1 << (at % 8)
		next, b = at+1, b[size:]
	}
	return filter, b, true
}

var errSite = errors.New("cut short or of another form")

// ParseSite reads what Site.Bytes wrote.
func ParseSite(b []byte) (*Site, error) {
	s := new(Site)
	if len(b) == 0 {
		return nil, fmt.Errorf("site: %w", errSite)
	}
	form, ints := b[0], []*int{&s.fed, &s.next, &s.made, &s.fill, &s.halved}
	if form == siteFormFirst || form == siteFormFirstSparse {
		ints = ints[:4]
	}
	b, ok := cutInts(b[1:], ints...)
	if len(ints) == 4 && s.fed >= firstHalved {
		s.halved = maxHalved
	}
	switch {
	case form < siteFormFirst || form > siteFormSparse || s.halved > maxHalved:
		ok = false
	case ok && s.next == 0 && len(b) == 0 && (form == siteForm || form == siteFormFirst):
		return s, nil // it has seen nothing
	case ok && (form == siteFormSparse || form == siteFormFirstSparse):
		s.filter, b, ok = parseBits(b)
	case ok && len(b) >= filterBytes:
		s.filter, b = slices.Clone(b[:filterBytes]), b[filterBytes:]
	default:
		ok = false
	}
	if !ok {
		return nil, fmt.Errorf("site: %w", errSite)
	}
	if s.rows, ok = parseRows(b); !ok || s.fed >= maxFed || s.next <= s.fed || s.next > maxFed || s.fill >= maxFill {
		return nil, fmt.Errorf("site: %w", errSite)
	}
	return s, nil
}

// Bytes encodes a Template for ParseTemplate.
func (t *Template) Bytes() []byte {
	b := []byte{templateForm}
	b = binary.AppendUvarint(b, uint64(t.generation))
	b = binary.AppendUvarint(b, uint64(t.fed))
	return appendRows(b, t.rows)
}

// ParseTemplate reads what Template.Bytes wrote.
func ParseTemplate(b []byte) (*Template, error) {
	t := new(Template)
	if len(b) == 0 || b[0] != templateForm {
		return nil, fmt.Errorf("template: %w", errSite)
	}
	b, ok := cutInts(b[1:], &t.generation, &t.fed)
	if !ok {
		return nil, fmt.Errorf("template: %w", errSite)
	}
	if t.rows, ok = parseRows(b); !ok {
		return nil, fmt.Errorf("template: %w", errSite)
	}
	return t, nil
}

// cutInts reads numbers, and returns the rest.
func cutInts(b []byte, to ...*int) ([]byte, bool) {
	for _, p := range to {
		v, n := binary.Uvarint(b)
		if n <= 0 || v >= 1<<31 {
			return nil, false
		}
		*p, b = int(v), b[n:]
	}
	return b, true
}

func appendRows(b []byte, rows []row) []byte {
	for _, r := range rows {
		b = binary.BigEndian.AppendUint64(b, uint64(r.print)<<(64-PrintBits))
		b = b[:len(b)-8+printBytes]
		b = binary.BigEndian.AppendUint16(b, r.pages)
	}
	return b
}

// parseRows reads rows to the end. They are in rising order.
func parseRows(b []byte) ([]row, bool) {
	if len(b)%rowBytes != 0 || len(b) > maxRows*rowBytes {
		return nil, false
	}
	rows := make([]row, len(b)/rowBytes)
	for i := range rows {
		r := b[i*rowBytes:]
		hi, lo := uint64(binary.BigEndian.Uint32(r)), uint64(r[4])
		rows[i] = row{Print(hi<<8 | lo), binary.BigEndian.Uint16(r[printBytes:])}
		if rows[i].pages > maxFed+1 || i > 0 && rows[i].print <= rows[i-1].print {
			return nil, false
		}
	}
	return rows, true
}

// siteBlocks is what an outline has about its site, with work space that is used again for the next
// page.
type siteBlocks struct {
	template *Template    // nil: none is known
	prints   []Print      // names of the blocks; 0: a block without a name
	pages    []uint16     // how many pages of the template each is on
	asked    []bool       // by block: title or body depend on whether the template has it
	parts    []partAnswer // on parts of titles
	several  []partAnswer // the same, for whether several titles have them
	leads    []partAnswer // and for whether most have them
	fewer    []fewerAnswer
	below    []fewerAnswer // on blocks: whether fewer pages have the heading above
	most     []headedAnswer
	often    []headedAnswer
	headline []Print // names of the headline, for headed
	headed   []headedAnswer
	counted  bool   // the body depends on how many pages have a block in another way
	text     string // of all blocks
	shared   []bool
	sums     []elementSum    // by node, for giveToElements
	holds    []bool          // by node, for giveToManual
	listed   []int32         // the blocks that the view has
	menu     []bool          // blocks of menus that the template does not have otherwise
	met      map[int32]uint8 // how often the text of a block is repeated on the page, by the first block with it
	forms    []Form          // of the blocks; 0: none
	ofLine   []bool          // by block: its form is that of a line with numbers or of a bar of links
	formOf   []formPlace     // the places of the page
	emptied  bool            // almost nothing was left of the body without the template
	frame    hint.Set        // what is not a page's own, for keepInherited
}

// belongTo computes the names of a page's blocks and looks them up in the site's template. The
// census must have been made.
func (w *workspace) belongTo(t *Template) {
	s := &w.site
	s.template, s.emptied, s.counted = t, false, false
	s.asked, s.parts, s.headline, s.headed = reuse.Slice(s.asked, len(w.Blocks)), s.parts[:0], s.headline[:0], s.headed[:0]
	s.several, s.fewer, s.below, s.most = s.several[:0], s.fewer[:0], s.below[:0], s.most[:0]
	s.leads, s.often = s.leads[:0], s.often[:0]
	s.prints = reuse.Slice(s.prints, len(w.Blocks))
	s.pages = reuse.Slice(s.pages, len(w.Blocks))
	s.menu = reuse.Slice(s.menu, len(w.Blocks))
	if s.met == nil {
		s.met = make(map[int32]uint8)
	}
	clear(s.met)
	end := min(w.end, len(w.Blocks)) // those below have no name: they count on their own pages
	for from := 0; from < end; {
		to, long := w.run(from, end)
		if long {
			w.printRun(from, to)
		} else {
			for i := from; i < to; i++ {
				s.prints[i] = w.print(i)
			}
		}
		from = to
	}
	for i, p := range s.prints {
		s.pages[i] = t.pages(p)
	}
}

// A menu of all classes of a manual is longer than what a Site takes of a page. So the blocks of a
// run of at least longRun consecutive links get names by parts: all blocks of a part have the same
// name. A part ends after a link whose hash says so, one in partLinks, or when it is maxPart long.
// A link that only some pages have in the menu changes the name of its part alone.
const (
	longRun   = 256
	partLinks = 8
	maxPart   = 4 * partLinks
)

// perTitle is how many blocks a menu has for each one that is not a link, such as a folder of a
// tree.
const perTitle = 8

// run returns the end of a run of links that starts at a block, and whether it is long. A run may
// have short titles between its links; any other block that is not a link is a run of its own.
func (w *workspace) run(from, end int) (to int, long bool) {
	titles := 0
	for to = from; to < end; to++ {
		if w.Blocks[to].MostlyLinks() {
			continue
		}
		if titles++; titles*perTitle > to-from || w.Blocks[to].Size() >= shortText || to+1 == end || !w.Blocks[to+1].MostlyLinks() {
			break
		}
	}
	return max(to, from+1), to-from >= longRun
}

// printRun sets the names of the blocks of a long run of links.
func (w *workspace) printRun(from, to int) {
	for from < to {
		end, sum := from, uint64(0)
		for end < to && end-from < maxPart {
			h := w.body.Hash(end)
			sum = splitmix.Mix(sum ^ h)
			if end++; splitmix.Mix(h)%partLinks == 0 {
				break
			}
		}
		for ; from < end; from++ {
			w.site.prints[from] = nameOf(sum)
		}
	}
}

// print returns the name of a block. For a short text, and one without letters, the place is part
// of the name: "12" is the number of posts in one place of a site, and a day in another. For any
// other text it is how often the page had it before: a title may be among the latest posts next to
// every page, and once more in the lists that it belongs to.
func (w *workspace) print(i int) Print {
	b := &w.Blocks[i]
	text := w.Text[b.From:b.To]
	h := w.body.Hash(i)
	if len(text) < shortText || !hasLetters(text) {
		return nameOf(splitmix.Mix(h ^ uint64(w.Nodes[b.Node].Path)))
	}
	if first := w.body.FirstAlike(i); first != i {
		again := min(w.site.met[int32(first)]+1, maxAgain)
		w.site.met[int32(first)] = again
		h = splitmix.Mix(h ^ uint64(again))
	}
	return nameOf(h)
}

// maxAgain is how many repetitions of a text on one page get names of their own.
const maxAgain = 3

// PrintOf returns the name of a block with a long text at its first place on a page. The names of
// other blocks depend on more than their text.
func PrintOf(text string) Print { return nameOf(xxhash.Sum64String(text)) }

func nameOf(sum uint64) Print { return Print(max(sum>>(65-PrintBits), 1)) }

// hasLetters reports whether a text has two bytes of letters.
func hasLetters(text []byte) bool {
	letters := 0
	for _, c := range text {
		if markup.Letter(c) || c >= utf8.RuneSelf {
			if letters++; letters == 2 {
				return true
			}
		}
	}
	return false
}

// lesson returns what a Site learns from a page: the names of its blocks; if there are more than a
// Site takes, the first and the last ones.
func (w *workspace) lesson() []Print {
	prints := slices.Compact(slices.Clone(w.site.prints)) // those of a part of a run are adjacent
	if n := len(prints); n > maxPrints {
		prints = slices.Concat(prints[:maxPrints/2], prints[n-maxPrints/2:])
	}
	slices.Sort(prints)
	prints = slices.Compact(prints)
	if len(prints) > 0 && prints[0] == 0 {
		prints = prints[1:]
	}
	return prints
}

// withParts adds the names of the parts of a page's titles and of its pictures to what a Site
// learns from it. Only with other pages can one tell which part of "Thread - Forum" and "Forum -
// Thread" is the name of the page, and which picture is the site's logo.
func withParts(prints []Print, m *metadata.Declared, pictures []uint32) []Print {
	for _, part := range m.TitleParts() {
		prints = append(prints, printOfPart(part))
	}
	for _, p := range pictures {
		prints = append(prints, printOfPicture(p))
	}
	slices.Sort(prints)
	return slices.Compact(prints)
}

func printOfPart(part string) Print { return nameOf(xxhash.Sum64String(part)) | ofNoBlock }

func printOfPicture(p uint32) Print { return nameOf(splitmix.Mix(uint64(p))) | ofNoBlock }

// HasPicture reports whether the site repeats one of DocView.Pictures; a nil template has none.
func (t *Template) HasPicture(p uint32) bool {
	return t != nil && t.frames(t.pages(printOfPicture(p)), false, false)
}

// HasTitle reports whether a title is on so many pages of the site that it names none of them; a nil template has none.
func (t *Template) HasTitle(title string) bool { return t != nil && t.inTitles(title) }

// inTitles reports whether a part of a title is in the titles of as many pages as a link of the
// frame must be on.
func (t *Template) inTitles(part string) bool {
	return t.frames(t.pages(printOfPart(part)), false, true)
}

// inSeveralTitles reports whether a part of a title is in as many titles as a text of the frame must be on.
func (t *Template) inSeveralTitles(part string) bool { return t.pages(printOfPart(part)) > 0 }

// inFewer reports whether several titles have the part b, and not half as many the part a; or the same of blocks and pages.
func (t *Template) inFewer(a, b Print) bool { return 2*t.pages(a) < t.pages(b) }

// leadsTitles reports whether most titles start with a part.
func (t *Template) leadsTitles(part string) bool { return t.onMost(t.pages(printOfPart(part))) }

// onMost reports whether a block on this many pages is on most of the site's.
func (t *Template) onMost(pages uint16) bool { return t != nil && 4*int(pages) >= 3*t.fed }

// The least that must be left of a body after its site's template is removed, in bytes, and as one
// part in this many. If less is left, the body was chosen from the frame.
const (
	minLeft     = 200
	minLeftPart = 4
)

// dropShared removes what the site repeats from a body, and returns how many blocks that were. If
// almost nothing is left, the models have taken the frame for the body, for example a site's
// description next to a list of titles. Then the body is all of the page that the site does not
// repeat, which may be nothing.
func (w *workspace) dropShared(kept []bool, title, kind string) int {
	if w.pinned || w.site.template.Blocks() == 0 {
		return 0
	}
	w.site.shared = reuse.Slice(w.site.shared, len(kept))
	shared := w.site.shared
	headed := headed{block: unsought} // a body without a block of the site needs none
	left, lost, dropped := 0, 0, 0
	for i := len(kept) - 1; i >= 0; i-- {
		if !kept[i] {
			continue
		}
		// it is known whether the next block stays
		heads := i+1 < len(kept) && kept[i+1] && !shared[i+1]
		priced := kind == "product" && w.body.IsPrice(i) // as other products are
		shared[i] = w.site.menu[i] || !priced && w.isShared(i, title, heads) && !w.isHeaded(i, title, &headed) && !w.isOfPost(i)
		if !shared[i] {
			left += w.Blocks[i].Size()
		} else {
			lost += w.Blocks[i].Size()
			dropped++
		}
	}
	if dropped == 0 {
		return 0
	}
	if back, bytes := w.giveList(kept, shared, kind); back > 0 {
		left, lost, dropped = left+bytes, lost-bytes, dropped-back
	}
	if left >= minLeft || left*minLeftPart >= left+lost {
		dropped -= w.giveBack(kept, shared, title, kind)
		for i := range kept {
			kept[i] = kept[i] && !shared[i]
		}
		if left < lost {
			w.keepAmongLists(kept)
		}
		return dropped
	}
	w.site.emptied = true
	for i := range kept {
		kept[i] = hasLetters(w.BlockText(i)) && !w.body.IsPrinted(i) && !w.body.IsMade(i) && (!w.asked(i) || w.isHeaded(i, title, &headed) || w.isOfPost(i)) && !w.site.menu[i]
	}
	w.body.LeaveNeighbours(kept, kind)
	return dropped
}

// dropCrumbs removes blocks from a body that the names around them call breadcrumbs, if most of the
// body is left. The view has them as Category.
func (w *workspace) dropCrumbs(kept []bool) {
	crumbs, rest := 0, 0
	for i, k := range kept {
		switch size := w.Blocks[i].Size(); {
		case !k:
		case w.Blocks[i].IsBreadcrumb():
			crumbs += size
		default:
			rest += size
		}
	}
	if w.pinned || crumbs == 0 || crumbs >= rest {
		return
	}
	for i := range kept {
		kept[i] = kept[i] && !w.Blocks[i].IsBreadcrumb()
	}
}

// framed reports whether a block, of whatever kind, is repeated by the site or belongs to another
// article.
func (w *workspace) framed(i int) bool {
	b := &w.Blocks[i]
	return i >= w.end || w.site.template.frames(w.site.pages[i], b.IsProse(), b.MostlyLinks())
}

// frames reports whether a block on this many pages is part of the site's frame. Prose must be on
// minPages pages, and until proseFed pages count on one in minProseShare of them. A link must be on
// one page in minLinkShare, on a small site on one in two: the title and the first lines of a post
// are in each list of posts that it belongs to, and at first most pages of a site are such lists.
func (t *Template) frames(pages uint16, prose, link bool) bool {
	switch n := int(pages); {
	case n == 0:
		return false
	case prose:
		return n >= minPages && (minProseShare*n >= t.fed || t.fed >= proseFed)
	case link && t.fed < smallSite:
		return 2*n >= t.fed
	case link:
		return minLinkShare*n >= t.fed
	}
	return true
}

const (
	smallSite     = 40
	minLinkShare  = 4
	proseFed      = 64
	minProseShare = 6
)

// isShared reports whether a block of the body belongs to the site. A heading that is the page's
// title, one before a block of the page's own ("Examples", "Condition:") and a short cell of a
// table do not, however often they occur.
func (w *workspace) isShared(i int, title string, heads bool) bool {
	b := &w.Blocks[i]
	short := b.Size() < shortText && b.Linked == 0
	cell := b.Tag == markup.TagTd || b.Tag == markup.TagTh || b.Tag == markup.TagDt || b.Tag == markup.TagDd
	switch {
	case cell && short, !cell && heads && (short || b.Tag.Heading() && b.Tag != markup.TagH1):
		return false // whether the template has it or not
	case !w.asked(i):
		return false
	case !cell && b.Tag.Heading():
		return !namesPage(string(w.BlockText(i)), title)
	}
	return true
}

// headline returns the heading that is the page's title, -1 if there is none.
func (w *workspace) headline(title string) int {
	said := words.Set(title)
	for i := range w.Blocks {
		if !w.Blocks[i].Tag.Heading() {
			continue
		}
		if own := words.Set(string(w.BlockText(i))); shareOf(own, said) >= ownTitled && shareOf(said, own) >= ownTitled {
			return i
		}
	}
	return -1
}

// A headed is the headline of a page, and how many pages have it. If the page has the headline twice, it is how many
// have it twice: a title may be among the latest posts next to every page.
type headed struct {
	block int // -1: none; unsought: not looked for yet
	pages uint16
}

const unsought = -2

// isHeaded reports whether a block below the page's headline is on hardly more pages than that: then it
// belongs to the headline and not to the site. A blog may show a post whole on the pages of a dozen tags.
// A headline on a quarter of the pages is the site's too.
func (w *workspace) isHeaded(i int, title string, h *headed) bool {
	if h.block == unsought {
		if h.block = w.headline(title); h.block >= 0 {
			h.pages = w.site.pages[h.block]
			for again := range w.Blocks {
				if w.body.FirstAlike(again) == w.body.FirstAlike(h.block) {
					h.pages = min(h.pages, w.site.pages[again])
					w.site.headline = append(w.site.headline, w.site.prints[again])
				}
			}
		}
	}
	if h.block < 0 || h.block > i || i >= w.end {
		return false
	}
	is := w.site.template.belongs(w.site.pages[i], h.pages)
	w.site.headed = append(w.site.headed, headedAnswer{w.site.prints[i], is})
	return is
}

// belongs reports whether a block on this many pages belongs to a headline on that many.
func (t *Template) belongs(pages, headline uint16) bool {
	return 5*int(pages) <= 6*int(headline) && !t.frames(headline, false, true)
}

// isOfPost reports whether a block is in a post that a list shows whole: above it in one element stands a heading that is a link, which the
// site does not repeat as a frame, and which is on at least half as many pages. Lists of tags, categories, months and days show one post.
// The classes of the post's own element say nothing of it, since blogs write the names of its tags there: tag-review, tag-popular-art.
func (w *workspace) isOfPost(i int) bool {
	const ofTags = hint.SaysComment | hint.SaysRelated | hint.SaysReview
	b, head := &w.Blocks[i], i-1
	if b.Size() < shortText || b.MostlyLinks() || b.Tag.Heading() || i >= w.end {
		return false
	}
	for head >= 0 && !(w.Blocks[head].Tag.Heading() && w.Blocks[head].MostlyLinks()) {
		head--
	}
	if head < 0 || (b.Hints&^w.Blocks[head].Hints|w.Blocks[head].Hints&^ofTags)&body.NotOwn != 0 {
		return false
	}
	post := w.Around(w.Blocks[head].Node, b.Node)
	if t := w.Nodes[post].Tag; post == 0 || t == markup.TagBody || t == markup.TagHtml || w.asked(head) {
		return false
	}
	for n := w.Nodes[post].Parent; n > 0; n = w.Nodes[n].Parent {
		if w.Nodes[n].Own&ofTags != 0 {
			return false
		}
	}
	f := fewerAnswer{a: w.site.prints[head], b: w.site.prints[i]}
	f.is = w.site.template.inFewer(f.a, f.b)
	w.site.below = append(w.site.below, f)
	return !f.is
}

// namesPage reports whether a heading is the page's title, or most of it.
func namesPage(heading, title string) bool { return titled(heading, title) >= .5 }

// titled returns the share of a heading's words that are in the page's title, 0 if it has none.
func titled(heading, title string) float64 { return shareOf(words.Set(heading), words.Set(title)) }

// shareOf returns the share of a set's words that another one has, 0 if it has none.
func shareOf(own, said words.WordSet) float64 {
	return float64(words.Common(own, said)) / float64(max(1, own.Len()))
}
