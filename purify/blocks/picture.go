package blocks

import (
	"bytes"
	"slices"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/purify/markup"
)

// MaxPictures is how many pictures and films of a page are compared: films first, and then those
// whose names have the smallest hashes, so that the same ones are compared on two pages.
const MaxPictures = 32

// FirstPicture is the smallest hash of a picture, and FirstFormula that of a formula. Those of films
// are smaller.
const (
	FirstPicture = 1 << 31
	FirstFormula = 0xFF << 24
)

// maxShown bounds the pictures that are read.
const maxShown = 1 << 12

// A picture is a picture, film or sound that the page shows; sounds are films.
type picture struct {
	sum   uint32 // of its name
	block int32  // that it stands before or in
	own   bool   // it leads to no other page: it is in no link, or in one to a picture
}

// picture adds the picture, film or sound of an img, iframe, video, audio, embed, object or source element. If a script
// loads it later, src is only a placeholder. A picture of a formula has the formula for its name.
func (o *Outline) picture(l *markup.Lexer) {
	if len(o.shown) >= maxShown {
		return
	}
	own := o.anchor < 0 || isPicture(o.Links[o.anchor].URL)
	if alt := attrOf(l, "alt"); l.Tag == markup.TagImg && isFormula(alt) {
		o.shown = append(o.shown, picture{FirstFormula | uint32(xxhash.Sum64(alt)>>40), int32(len(o.Blocks)), own})
		return
	}
	src := attrOf(l, "data-src", "data-original", "data-lazy-src", "src", "data-srcset", "srcset")
	if l.Tag == markup.TagObject {
		src = attrOf(l, "data")
	}
	name := pictureName(src)
	if l.Tag == markup.TagIframe || l.Tag == markup.TagEmbed || l.Tag == markup.TagObject {
		name = frameName(src, name)
	}
	if name == nil {
		return
	}
	if slices.ContainsFunc(decorations, func(of []byte) bool { return bytes.Contains(src, of) }) {
		return
	}
	sum := uint32(xxhash.Sum64(name)) | FirstPicture
	if sum >= FirstFormula {
		sum -= 1 << 24
	}
	if l.Tag != markup.TagImg && (l.Tag != markup.TagSource || o.depth[markup.TagVideo]+o.depth[markup.TagAudio] > 0) {
		sum &^= FirstPicture
	}
	o.shown = append(o.shown, picture{sum, int32(len(o.Blocks)), own})
}

// isFormula reports whether a picture's alternative text is TeX, as LaTeX2HTML writes it for each formula
// that it makes a picture of.
func isFormula(alt []byte) bool {
	for _, start := range []string{"$", `\(`, `\[`, `\begin{`} {
		if bytes.HasPrefix(alt, []byte(start)) {
			return true
		}
	}
	return false
}

// isPicture reports whether a URL is that of a picture, by its extension.
func isPicture(url []byte) bool {
	if i := bytes.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	switch ext := url[bytes.LastIndexByte(url, '.')+1:]; string(bytes.ToLower(ext)) {
	case "jpg", "jpeg", "png", "gif", "webp", "avif", "bmp", "tif", "tiff":
		return true
	}
	return false
}

// decorations are parts of the URLs of pictures that are not content: pictures of a site's theme,
// which may show another one on each page, and portraits of authors.
var decorations = [][]byte{[]byte("/themes/"), []byte("/theme/"), []byte("/templates/"), []byte("/skins/"), []byte("avatar")}

// attrOf returns the value of the first of some attributes that has one and can name a file.
func attrOf(l *markup.Lexer, keys ...string) []byte {
	for _, key := range keys {
		v, _ := l.Attr(key)
		if v = bytes.TrimSpace(v); len(v) > 0 && !bytes.HasPrefix(v, []byte("data:")) {
			return v
		}
	}
	return nil
}

// pictureName returns the part of a URL, or of the first URL in a srcset, that identifies a
// picture: the end of the path without its extension and without the size in which it is shown, and
// the folder too if the name is as short as 12.jpg. nil if there is none.
func pictureName(src []byte) []byte {
	if i := bytes.IndexAny(src, "?#, \t\r\n"); i >= 0 {
		src = src[:i]
	}
	if i := bytes.Index(src, []byte("//")); i >= 0 {
		_, src, _ = bytes.Cut(src[i+2:], []byte("/"))
	}
	src = bytes.TrimRight(src, "/")
	from := bytes.LastIndexByte(src, '/') + 1
	if dot := bytes.LastIndexByte(src, '.'); dot > from {
		src = src[:dot]
	}
	src = withoutSize(src, from)
	if n := len(src) - from; 0 < n && n < leastName {
		from = bytes.LastIndexByte(src[:max(0, from-1)], '/') + 1
	}
	if from >= len(src) {
		return nil
	}
	return src[from:]
}

// frameName returns what identifies what a frame shows: the name of its picture or film if that has a digit, or
// the path, since the name may be that of the program which shows it: /d/1xSZI0gL/chart of /d/1xSZI0gL/chart?oid=2.
func frameName(src, name []byte) []byte {
	if bytes.ContainsAny(name, "0123456789") {
		return name
	}
	if i := bytes.IndexAny(src, "?#"); i >= 0 {
		src = src[:i]
	}
	if i := bytes.Index(src, []byte("//")); i >= 0 {
		_, src, _ = bytes.Cut(src[i+2:], []byte("/"))
	}
	if !bytes.ContainsAny(src, "0123456789") {
		return name
	}
	return src
}

// leastName is the length in bytes from which a name identifies a picture without its folder.
const leastName = 5

// withoutSize removes what follows the last hyphen, underscore or at sign of a name if that is a
// size or a time: the -300x200, -scaled and -e1438123456 (an edit) of WordPress, the _small and
// _300x of Shopify, the _b of Flickr, the @2x of Apple.
func withoutSize(path []byte, from int) []byte {
	for {
		i := bytes.LastIndexAny(path, "-_@")
		if i <= from || !isSize(path[i+1:]) {
			return path
		}
		path = path[:i]
	}
}

func isSize(s []byte) bool {
	switch string(s) {
	case "scaled", "thumb", "thumbnail", "small", "medium", "large", "grande":
		return true
	}
	if len(s) == 1 && 'a' <= s[0] && s[0] <= 'z' {
		return true
	}
	if width, height, ok := bytes.Cut(s, []byte("x")); ok {
		return isNumber(width) && isNumber(height)
	}
	return len(s) >= leastEdit && s[0] == 'e' && isNumber(s[1:])
}

// leastEdit is the length of an e and a time in Unix seconds.
const leastEdit = 1 + 10

// isNumber reports whether a text has only digits. An empty text is one too.
func isNumber(s []byte) bool { return len(bytes.Trim(s, "0123456789")) == 0 }

// fewWords is the length in bytes below which the body of a page, without its links, says hardly
// anything, and leastAlbum is the number of pictures that an album has at least.
const (
	fewWords   = 300
	leastAlbum = 3
)

// Pictures returns the hashes of the names of at most MaxPictures pictures and films above and in
// the page's body, sorted. body says for each block whether it is in the body. Pictures below the
// body belong to other pages, and are not always the same, unless the body says hardly anything and
// they are an album: then those count that lead to no other page. If the page has no body, all
// pictures count. If there are more than MaxPictures, and an album is among them, only those count
// that lead to no other page: the album is above a list of other albums, each with a picture.
func (o *Outline) Pictures(body []bool) []uint32 {
	end, says := len(body), int32(0)
	for end > 0 && !body[end-1] {
		end--
	}
	for i, b := range o.Blocks[:end] {
		if body[i] {
			says += b.To - b.From - b.Linked
		}
	}
	var sums, own, album []uint32
	for _, p := range o.shown {
		switch {
		case end == 0 || int(p.block) <= end:
			sums = append(sums, p.sum)
			if p.own {
				own = append(own, p.sum)
			}
		case p.own && says < fewWords:
			album = append(album, p.sum)
		}
	}
	slices.Sort(album)
	if album = slices.Compact(album); len(album) >= leastAlbum {
		sums = append(sums, album...)
	}
	slices.Sort(sums)
	if sums = slices.Compact(sums); len(sums) > MaxPictures {
		slices.Sort(own)
		if own = slices.Compact(own); len(own) >= leastAlbum {
			sums = own
		}
	}
	return slices.Clip(sums[:min(len(sums), MaxPictures)])
}
