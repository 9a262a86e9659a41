package purify

import (
	"fmt"
	"strings"
	"testing"
)

// helpPage returns a page of a class library's help, whose classes declare the same members: what an item says of one is the page's own.
func helpPage(n int) string {
	var members strings.Builder
	for k, name := range []string{"final def wait(arg0: Long, arg1: Int): Unit", "def clone(): AnyRef of this object", "protected def finalize(): Unit at the end"} {
		fmt.Fprintf(&members, `<li><div class="signature">%s</div><div class="fullcomment"><p>Defined for the kites of box%d, as member %d</p></div></li>`, name, n, k)
	}
	return fmt.Sprintf(`<html><head><title>Box%d Class</title><meta name="Microsoft.Help.ContentType" content="Reference"/></head><body><div class="pageHeader">Kites API</div><div class="leftNav"><a href="a.htm">Namespaces of the library</a></div>
<div class="topicContent"><h1>Box%[1]d Class</h1><p>%s</p><h2>Methods</h2><ol>%s</ol></div></body></html>`, n, sentence(n), members.String())
}

func TestATemplateTakesItemsOfAManualWhole(t *testing.T) {
	var h host
	for n := range 40 {
		h.meet(helpPage(n))
	}
	hasAll(t, h.again(helpPage(7)), []string{"final def wait", "def clone", "box7, as member 1"}, []string{"Namespaces of the library"})
}

func TestHelpOfAClassLibraryIsDocumentation(t *testing.T) {
	for _, name := range []string{`<meta name="Microsoft.Help.ContentType" content="Reference" />`, `<meta name="Help.ContentType" content="Reference" />`, `<xml><MSHelp:Attr Name="TopicType" Value="apiref" /></xml>`} {
		page := `<html><head><title>DataHasher.AddData Method</title>` + name + `<meta name="guid" content="8d2deba3" /></head><body><div class="pageHeader">Kites .NET API</div>
<div class="topicContent"><table class="titleTable"><tr><td class="titleColumn"><h1>DataHasher AddData Method (Byte)</h1></td></tr></table><div class="summary">Adds data to the total hash.</div><p></p><strong>Namespace:</strong> <a href="n.htm">Kites.Hashing</a><br/><strong>Assembly:</strong> Kites (in Kites.dll)
<div class="collapsibleAreaRegion"><h2>Parameters</h2><dl><dt><span class="parameter">data</span></dt><dd>Type: <a href="b.htm">System Byte</a><br/>list of bytes</dd></dl><h2>Return Value</h2><p>Type: <a href="i.htm">IDataHasher</a><br/>the same DataHasher object for chaining calls</p></div></div></body></html>`
		v := Purify([]byte(page), "text/html")
		if v.Type != "documentation" {
			t.Errorf("with %s the page is of the type %s, want documentation", name, v.Type)
		}
		hasAll(t, v.Body, []string{"Adds data to the total hash.", "Kites.Hashing", "list of bytes", "for chaining calls"}, nil)
	}
}
