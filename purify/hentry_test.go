package purify

import (
	"strings"
	"testing"
)

// Themes of WordPress give a post the names of its categories and tags as classes.
func TestTheNamesOfAPostsTagsDoNotMakeItAFrame(t *testing.T) {
	post := func(n int, class string) string {
		return `<div id="post-1" class="post-1 post type-post status-publish format-standard hentry ` + class + `"><h2 class="entry-title"><a href="/2008/02/p/">The terrain of number ` + string(rune('0'+n)) + `</a></h2><div class="entry-meta">Posted on <a href="/2008/02/p/">February 18, 2008</a></div><div class="entry-summary"><p>` + sentence(n) + `</p></div><div class="entry-utility">Tagged <a href="/tag/navigation/">navigation</a></div></div>`
	}
	page := `<html><head><title>February | 2008 | Land and Hold Short</title></head><body class="archive date"><div id="header"><div id="site-title"><a href="/">Land and Hold Short</a></div><div id="access" role="navigation"><div class="menu"><ul><li><a href="/">Home</a></li><li><a href="/about/">About</a></li></ul></div></div></div>
<div id="main"><div id="container"><div id="content" role="main"><h1 class="page-title">Monthly Archives: February 2008</h1>` + post(1, "category-navigation tag-navigation tag-ourairports") + post(2, "category-navigation tag-numbers tag-web") + `</div></div></div><div id="footer" role="contentinfo"><a href="/">Land and Hold Short</a></div></body></html>`
	hasAll(t, PurifyAt("http://land.test/2008/02/", []byte(page), "text/html").Body, []string{sentence(1), sentence(2), "The terrain of number 1"}, []string{"About"})
}

// A type of a reference may be one line of code.
func TestAShortPageOfAReferenceHasABody(t *testing.T) {
	page := `<html class="default"><head><title>AuthServiceOpts | @kites/util</title></head><body><header class="tsd-page-toolbar"><div class="tsd-toolbar-contents container"><div class="table-cell" id="tsd-search"><ul class="results"><li class="state loading">Preparing search index...</li><li class="state failure">The search index is not available</li></ul><a href="../index.html" class="title">@kites/util</a></div></div></header>
<div class="container container-main"><div class="col-content"><div class="tsd-page-title"><ul class="tsd-breadcrumb"><li><a href="../index.html">@kites/util</a></li><li><a href="a.html">AuthServiceOpts</a></li></ul><h1>Type alias AuthServiceOpts</h1></div><div class="tsd-signature">Auth<wbr/>Service<wbr/>Opts<span class="tsd-signature-symbol">:</span> <a href="g.html" class="tsd-signature-type">GenericServiceOpts</a></div><aside class="tsd-sources"><ul><li>Defined in <a href="https://code.test/s.ts#L5">service/AuthService/index.ts:5</a></li></ul></aside></div>
<div class="col-sidebar"><details class="tsd-index-accordion"><summary class="tsd-accordion-summary"><h3>Settings</h3></summary><div class="tsd-accordion-details"><h4>Member Visibility</h4><ul><li><label>Protected</label></li><li><label>Private</label></li></ul></div></details><nav class="tsd-navigation"><a href="../index.html">@kites/util</a><ul class="tsd-small-nested-navigation"><li><a href="m1.html">graphqlqueries/Applications</a></li><li><a href="m2.html">graphqlqueries/Layers</a></li><li><a href="m3.html">model/Application</a></li><li><a href="m4.html">service/GenericEntityService</a></li>` + strings.Repeat(`<li><a href="m5.html">security/getCsrfTokenHeader</a></li>`, 30) + `</ul></nav></div></div></body></html>`
	hasAll(t, Purify([]byte(page), "text/html").Body, []string{"GenericServiceOpts"}, []string{"graphqlqueries/Layers"})
}
