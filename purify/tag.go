package purify

// A tag is the name of an element that the outline treats in its own way;
// all others are tagOther.
type tag uint8

const (
	tagOther tag = iota
	tagA
	tagAddress
	tagApplet
	tagArea
	tagArticle
	tagAside
	tagAudio
	tagBase
	tagBlockquote
	tagBody
	tagBr
	tagButton
	tagCanvas
	tagCaption
	tagCol
	tagDatalist
	tagDd
	tagDetails
	tagDialog
	tagDiv
	tagDl
	tagDt
	tagEmbed
	tagFieldset
	tagFigcaption
	tagFigure
	tagFooter
	tagForm
	tagFrame
	tagH1
	tagH2
	tagH3
	tagH4
	tagH5
	tagH6
	tagHead
	tagHeader
	tagHr
	tagHtml
	tagIframe
	tagImg
	tagInput
	tagLabel
	tagLegend
	tagLi
	tagLink
	tagMain
	tagMenu
	tagMeta
	tagNav
	tagNoscript
	tagObject
	tagOl
	tagOption
	tagP
	tagParam
	tagPre
	tagScript
	tagSection
	tagSelect
	tagSource
	tagStyle
	tagSummary
	tagSvg
	tagTable
	tagTbody
	tagTd
	tagTemplate
	tagTextarea
	tagTfoot
	tagTh
	tagThead
	tagTime
	tagTitle
	tagTr
	tagTrack
	tagUl
	tagVideo
	tagWbr
	tagCount
)

// tagOf knows the lower-case names. svg and math come under the names that
// rename gives them.
func tagOf(name []byte) tag {
	switch string(name) {
	case "a":
		return tagA
	case "address":
		return tagAddress
	case "applet":
		return tagApplet
	case "area":
		return tagArea
	case "article":
		return tagArticle
	case "aside":
		return tagAside
	case "audio":
		return tagAudio
	case "base":
		return tagBase
	case "blockquote":
		return tagBlockquote
	case "body":
		return tagBody
	case "br":
		return tagBr
	case "button":
		return tagButton
	case "canvas":
		return tagCanvas
	case "caption":
		return tagCaption
	case "col":
		return tagCol
	case "datalist":
		return tagDatalist
	case "dd":
		return tagDd
	case "details":
		return tagDetails
	case "dialog":
		return tagDialog
	case "div", "center":
		return tagDiv
	case "dl":
		return tagDl
	case "dt":
		return tagDt
	case "embed":
		return tagEmbed
	case "fieldset":
		return tagFieldset
	case "figcaption":
		return tagFigcaption
	case "figure":
		return tagFigure
	case "footer":
		return tagFooter
	case "form":
		return tagForm
	case "frame":
		return tagFrame
	case "h1":
		return tagH1
	case "h2":
		return tagH2
	case "h3":
		return tagH3
	case "h4":
		return tagH4
	case "h5":
		return tagH5
	case "h6":
		return tagH6
	case "head":
		return tagHead
	case "header":
		return tagHeader
	case "hr":
		return tagHr
	case "html":
		return tagHtml
	case "iframe":
		return tagIframe
	case "img", "image":
		return tagImg
	case "input":
		return tagInput
	case "label":
		return tagLabel
	case "legend":
		return tagLegend
	case "li":
		return tagLi
	case "link":
		return tagLink
	case "main":
		return tagMain
	case "menu":
		return tagMenu
	case "meta":
		return tagMeta
	case "nav":
		return tagNav
	case "noscript":
		return tagNoscript
	case "object":
		return tagObject
	case "ol":
		return tagOl
	case "option", "optgroup":
		return tagOption
	case "p":
		return tagP
	case "param":
		return tagParam
	case "pre", "listing", "xmp":
		return tagPre
	case "script":
		return tagScript
	case "section", "hgroup", "search":
		return tagSection
	case "select":
		return tagSelect
	case "source":
		return tagSource
	case "style":
		return tagStyle
	case "summary":
		return tagSummary
	case "sv-":
		return tagSvg
	case "table":
		return tagTable
	case "tbody":
		return tagTbody
	case "td":
		return tagTd
	case "template":
		return tagTemplate
	case "textarea":
		return tagTextarea
	case "tfoot":
		return tagTfoot
	case "th":
		return tagTh
	case "thead":
		return tagThead
	case "time":
		return tagTime
	case "title":
		return tagTitle
	case "tr":
		return tagTr
	case "track":
		return tagTrack
	case "ul", "dir":
		return tagUl
	case "video":
		return tagVideo
	case "wbr":
		return tagWbr
	}
	return tagOther
}

// A trait is what the rules of HTML say of an element.
type trait uint8

const (
	isBlock  trait = 1 << iota // begins and ends a block
	isVoid                     // has no content and no end tag
	isSilent                   // its content is not text of the page
	isWall                     // an end tag inside does not close what is outside
	endsP                      // its start closes an open p
)

var traits = [tagCount]trait{
	tagAddress:    isBlock | endsP,
	tagApplet:     isSilent,
	tagArea:       isVoid,
	tagArticle:    isBlock | endsP,
	tagAside:      isBlock | endsP,
	tagAudio:      isSilent,
	tagBase:       isVoid,
	tagBlockquote: isBlock | endsP,
	tagBody:       isBlock,
	tagBr:         isVoid,
	tagButton:     isBlock | isWall,
	tagCanvas:     isSilent,
	tagCaption:    isBlock | isWall,
	tagCol:        isVoid,
	tagDatalist:   isSilent,
	tagDd:         isBlock | endsP,
	tagDetails:    isBlock | endsP,
	tagDialog:     isBlock | endsP,
	tagDiv:        isBlock | endsP,
	tagDl:         isBlock | endsP,
	tagDt:         isBlock | endsP,
	tagEmbed:      isVoid,
	tagFieldset:   isBlock | endsP,
	tagFigcaption: isBlock | endsP,
	tagFigure:     isBlock | endsP,
	tagFooter:     isBlock | endsP,
	tagForm:       isBlock | endsP,
	tagFrame:      isVoid,
	tagH1:         isBlock | endsP,
	tagH2:         isBlock | endsP,
	tagH3:         isBlock | endsP,
	tagH4:         isBlock | endsP,
	tagH5:         isBlock | endsP,
	tagH6:         isBlock | endsP,
	tagHead:       isBlock | isSilent,
	tagHeader:     isBlock | endsP,
	tagHr:         isBlock | isVoid | endsP,
	tagHtml:       isBlock,
	tagIframe:     isSilent,
	tagImg:        isVoid,
	tagInput:      isVoid,
	tagLegend:     isBlock,
	tagLi:         isBlock | endsP,
	tagLink:       isVoid,
	tagMain:       isBlock | endsP,
	tagMenu:       isBlock | endsP,
	tagMeta:       isVoid,
	tagNav:        isBlock | endsP,
	tagNoscript:   isBlock,
	tagObject:     isSilent,
	tagOl:         isBlock | endsP,
	tagOption:     isBlock | isSilent,
	tagP:          isBlock | endsP,
	tagParam:      isVoid,
	tagPre:        isBlock | endsP,
	tagScript:     isSilent,
	tagSection:    isBlock | endsP,
	tagSelect:     isBlock | isSilent,
	tagSource:     isVoid,
	tagStyle:      isSilent,
	tagSummary:    isBlock | endsP,
	tagSvg:        isSilent | isWall,
	tagTable:      isBlock | isWall | endsP,
	tagTbody:      isBlock,
	tagTd:         isBlock | isWall,
	tagTemplate:   isSilent | isWall,
	tagTextarea:   isBlock | isSilent,
	tagTfoot:      isBlock,
	tagTh:         isBlock | isWall,
	tagThead:      isBlock,
	tagTitle:      isSilent,
	tagTr:         isBlock,
	tagTrack:      isVoid,
	tagUl:         isBlock | endsP,
	tagVideo:      isSilent,
	tagWbr:        isVoid,
}

func (t tag) is(what trait) bool { return traits[t]&what != 0 }

// shows reports whether text in a hidden element of this name may yet be the
// page's: a hidden container is often a tab or what a script opens, a hidden
// paragraph or run of words is a label or an icon's name. On 1,497 pages what is
// visible holds 96.8% of the known bodies, and 98.9% with hidden containers.
func (t tag) shows() bool {
	return t.is(isBlock) && t != tagP && t != tagDt && t != tagDd && !t.heading()
}

func (t tag) heading() bool { return t >= tagH1 && t <= tagH6 }

// names are the tags that stand around blocks of text.
var names = [tagCount]string{
	tagAddress: "address", tagArticle: "article", tagAside: "aside", tagBlockquote: "blockquote", tagBody: "body", tagButton: "button", tagCaption: "caption",
	tagDd: "dd", tagDetails: "details", tagDialog: "dialog", tagDiv: "div", tagDl: "dl", tagDt: "dt", tagFieldset: "fieldset", tagFigcaption: "figcaption",
	tagFigure: "figure", tagFooter: "footer", tagForm: "form", tagH1: "h1", tagH2: "h2", tagH3: "h3", tagH4: "h4", tagH5: "h5", tagH6: "h6", tagHeader: "header",
	tagHtml: "html", tagLegend: "legend", tagLi: "li", tagMain: "main", tagMenu: "menu", tagNav: "nav", tagNoscript: "noscript", tagOl: "ol", tagP: "p", tagPre: "pre",
	tagSection: "section", tagSummary: "summary", tagTable: "table", tagTbody: "tbody", tagTd: "td", tagTfoot: "tfoot", tagTh: "th", tagThead: "thead", tagTr: "tr", tagUl: "ul",
}

// String returns the name of an element around blocks.
func (t tag) String() string { return names[t] }
