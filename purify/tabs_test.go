package purify

import (
	"fmt"
	"strings"
	"testing"
)

// tabbedPage returns a page about a class, with what it says in one tab and its source code in another.
func tabbedPage(info, code string) string {
	return `<html><head><title>KiteFilter</title></head><body><div class="content"><ol class="breadcrumb"><li>Interfaces</li><li>KiteFilter</li></ol>
<ul class="nav nav-tabs" role="tablist"><li class="active"><a href="#info" role="tab">Info</a></li><li><a href="#source" role="tab">Source</a></li></ul>
<div class="tab-content"><div class="tab-pane fade active in" id="c-info">` + info + `</div><div class="tab-pane fade" id="c-source"><pre class="line-numbers"><code>` + code + `</code></pre></div></div></div></body></html>`
}

func TestTheSourceCodeInATabIsNotTheBodyIfItsSiblingSaysSomething(t *testing.T) {
	code := strings.Repeat("export interface KiteFilter { length?: number; colour?: string; wind?: WindSpeed; }\n", 20)
	info := `<section><h3>Properties</h3><table class="table"><tbody><tr><td><b>length</b></td></tr><tr><td><code>length: number</code></td></tr><tr><td><i>Type : </i><code>number</code></td></tr><tr><td><i>Optional</i></td></tr></tbody></table></section>`
	hasAll(t, Purify([]byte(tabbedPage(info, code)), "text/html").Body, []string{"Properties", "length: number", "Type : number"}, []string{"export interface"})
	for name, info := range map[string]string{
		"another language": `<pre><code>` + strings.Repeat("interface KiteFilter(val length: Int?, val colour: String?, val wind: WindSpeed?)\n", 20) + `</code></pre>`,
		"no text":          `<p>Overview</p>`,
	} {
		if body := Purify([]byte(tabbedPage(info, code)), "text/html").Body; !strings.Contains(body, "export interface") {
			t.Errorf("next to a tab with %s the body lacks the source code:\n%s", name, body)
		}
	}
}

func TestTheSourceCodeInTheFirstTabStays(t *testing.T) {
	page := `<html><head><title>Ann</title></head><body><div class="tab-content"><div class="tab-pane active"><pre>` + strings.Repeat("Ann flies kites, and this is how she says it.\n", 20) + `</pre></div><div class="tab-pane"><p>` + sentence(1) + `</p></div></div></body></html>`
	hasAll(t, Purify([]byte(page), "text/html").Body, []string{"Ann flies kites"}, nil)
}

// Shops and manuals put into tabs what belongs to one text.
func TestTextInTabsStays(t *testing.T) {
	var tabs strings.Builder
	for n := range 3 {
		fmt.Fprintf(&tabs, `<div role="tabpanel" id="t%d"><h3>Part %[1]d</h3><p>%s</p><pre>make part%[1]d</pre></div>`, n, sentence(n))
	}
	body := Purify([]byte(`<html><head><title>How to make kites</title></head><body><main><h1>How to make kites</h1><p>`+sentence(9)+`</p><div>`+tabs.String()+`</div></main></body></html>`), "text/html").Body
	hasAll(t, body, []string{sentence(0), sentence(1), sentence(2), "make part1"}, nil)
}
