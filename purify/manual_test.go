package purify

import (
	"fmt"
	"strings"
	"testing"
)

// manualPage is a page of a manual in the frame of one of two programs.
func manualPage(edition, main string) string {
	return fmt.Sprintf(`<html><head><title>wind_fill &mdash; Kites %s</title>
<link rel="index" href="index.html"><link rel="next" href="b.html"></head><body>
<div class="related"><ul><li><a href="index.html">index</a></li><li><a href="b.html">next</a></li></ul></div>
<div class="document"><div class="section" id="wind-fill">%s</div></div>
<div class="sidebar"><h4>Next topic</h4><p><a href="b.html">wind_empty</a></p></div>
<div class="footer">Copyright 2019, the makers of Kites %s. Last updated on Feb 18, 2020.</div>
</body></html>`, edition, main, edition)
}

const windFill = `<h1>wind_fill<a class="headerlink" href="#wind-fill">¶</a></h1>
<dl><dt><code>kites.</code><code>wind_fill</code>(<em>sail</em>, <em>rate=None</em>)<a class="reference" href="src.html">[source]</a></dt>
<dd><p>Fill the sail with wind until it stands, and keep it full for as long as the rope holds.</p>
<table><tr><th>Parameters</th><td><strong>sail</strong><span class="classifier">cloth_like</span></td></tr>
<tr><th>Returns</th><td>full</td></tr></table>
<div class="seealso"><p>See also</p><p><a href="c.html">wind_empty</a></p></div>
<pre>&gt;&gt;&gt; wind_fill(1)
2</pre></dd></dl>`

func TestAManualsMainPartIsKeptWhole(t *testing.T) {
	body := Purify([]byte(manualPage("1.17", windFill)), "text/html").Body
	for _, want := range []string{"wind_fill", "[source]", "Parameters", "sail cloth_like", "Returns", "full", "See also", "wind_empty", ">>> wind_fill(1)"} {
		if !strings.Contains(body, want) {
			t.Errorf("the body lacks %q:\n%s", want, body)
		}
	}
	for _, frame := range []string{"Copyright", "Next topic", "index"} {
		if strings.Contains(body, frame) {
			t.Errorf("the body has %q of the frame:\n%s", frame, body)
		}
	}
}

func TestATermsOwnNameIsNotThatOfAFrame(t *testing.T) {
	for _, name := range []string{"share-rope", "sort", "menu.footer", "sidebar"} {
		main := fmt.Sprintf(`<h1>wind_fill<a class="headerlink" href="#wind-fill">¶</a></h1><p>method</p>
<dl class="method"><dt id="%[1]s"><code>Kite.%[1]s</code>()<a class="headerlink" href="#%[1]s">¶</a></dt>
<dd><p>This method of the class is there for the sake of the others alone, and does nothing by itself.</p></dd></dl>`, name)
		if body, want := Purify([]byte(manualPage("1.17", main)), "text/html").Body, "Kite."+name+"()"; !strings.Contains(body, want) {
			t.Errorf("the body lacks %q:\n%s", want, body)
		}
	}
}

func TestTheThemeOfReadTheDocsHidesNoPartOfAPage(t *testing.T) {
	const main = `<h1>Exceptions<a class="headerlink" href="#exceptions">\uf0c1</a></h1>
<dl class="py exception"><dt id="kites.KiteError"><em>exception</em> kites.KiteError<a class="headerlink" href="#kites.KiteError">\uf0c1</a></dt>
<dd><p>Raised when a kite that was let go is asked for its height above the ground.</p>
<dl class="py method"><dt id="kites.KiteError.clear"><em>static</em> clear()<a class="headerlink" href="#kites.KiteError.clear">\uf0c1</a></dt><dd><p>It clears.</p></dd></dl></dd></dl>`
	page := `<html><head><title>Exceptions — kites 3.3 documentation</title><link rel="next" href="versions.html"><link rel="index" href="genindex.html"></head>
<body class="wy-body-for-nav"><div class="wy-grid-for-nav"><nav class="wy-nav-side"><ul><li><a href="a.html">Winding</a></li><li><a href="b.html">Launching</a></li></ul></nav>
<section class="wy-nav-content-wrap"><div class="wy-nav-content"><div class="rst-content"><div role="navigation"><ul class="wy-breadcrumbs"><li><a href="..">kites</a> »</li></ul></div>
<div role="main" class="document"><div itemprop="articleBody">` + strings.ReplaceAll(main, `\uf0c1`, "\uf0c1") + `</div></div>
<footer><p>Built with care</p></footer></div></div></section></div></body></html>`
	body := PurifyAt("http://kites.example/3.3/exceptions.html", []byte(page), "text/html; charset=utf-8").Body
	for _, want := range []string{"kites.KiteError", "above the ground", "static clear()", "It clears."} {
		if !strings.Contains(body, want) {
			t.Errorf("the body lacks %q:\n%s", want, body)
		}
	}
	for _, not := range []string{"Winding", "Built with"} {
		if strings.Contains(body, not) {
			t.Errorf("the body has %q of the frame:\n%s", not, body)
		}
	}
}

func TestTwoEditionsOfAManualsPageHaveOneBody(t *testing.T) {
	const main = `<h1>lift<a class="headerlink" href="#lift">¶</a></h1><p>attribute</p><dl><dt>Kite.lift</dt><dd><p>How much the kite can carry.</p></dd></dl>`
	a := Purify([]byte(manualPage("1.17", main)), "text/html").Body
	b := Purify([]byte(manualPage("1.19", main)), "text/html").Body
	if a != b {
		t.Errorf("bodies differ:\n%s\n--\n%s", a, b)
	}
}

// Most of a class's page is often the table of its methods.
func TestAPageOfJavadocHasItsHeadingAndItsDescription(t *testing.T) {
	var rows strings.Builder
	for i := range 12 {
		fmt.Fprintf(&rows, `<tr><td><code>int</code></td><td><code><a href="#m%[1]d">method%[1]d</a>(String name, int bees)</code><div class="block">Says how many bees of the name fly out on the day with the number %[1]d.</div></td></tr>`, i)
	}
	body := Purify([]byte(`<html><head><title>Keeper (Hive 2.1 API and its tools for large and small gardens)</title><link rel="stylesheet" type="text/css" href="../stylesheet.css" title="Style"></head>
<body><div class="topNav"><ul class="navList"><li><a href="a.html">Overview</a></li></ul></div>
<div class="header"><div class="subTitle">org.hive</div><h2 title="接口 Keeper" class="title">接口 Keeper</h2></div>
<div class="contentContainer"><div class="description"><pre>public interface <span>Keeper</span></pre><div class="block">Keeps bees.</div></div>
<div class="summary"><ul class="blockList"><li class="blockList"><h3>Methods</h3><table class="memberSummary">`+rows.String()+`</table></li></ul></div></div>
<div class="bottomNav"><ul class="navList"><li><a href="a.html">Overview</a></li></ul></div></body></html>`), "text/html").Body
	for _, want := range []string{"接口 Keeper", "public interface Keeper", "Keeps bees.", "method11"} {
		if !strings.Contains(body, want) {
			t.Errorf("the body lacks %q:\n%.300s", want, body)
		}
	}
	if strings.Contains(body, "Overview") {
		t.Errorf("the body has the menu:\n%s", body)
	}
}

func TestAPageOfJavadocIsAManuals(t *testing.T) {
	const page = `<body><div class="topNav"><ul class="navList"><li><a href="a.html">Overview</a></li><li><a href="b.html">Package</a></li></ul></div>
<main><div class="header"><div class="subTitle">org.hive</div><h2 class="title">Interface Keeper</h2></div><div class="contentContainer"><dl><dt>All Superinterfaces:</dt><dd><a href="p.html">Person</a></dd></dl>
<p>One who keeps bees and answers for what they do to the neighbours in spring.</p>
<table class="memberSummary"><tr><th>Modifier and Type</th><th>Method</th></tr><tr><td><code>int</code></td><td><code><a href="#hives">hives</a>()</code></td></tr></table></div></main>
<div class="bottomNav"><ul class="navList"><li><a href="a.html">Overview</a></li></ul></div>`
	for _, head := range []string{
		`<link rel="stylesheet" type="text/css" href="../../stylesheet.css" title="Style">`,
		`<meta name="generator" content="javadoc/PackageWriterImpl">`,
	} {
		got := Purify([]byte("<html><head><title>Keeper (Hive 2.1 API)</title>"+head+"</head>"+page), "text/html").Body
		for _, want := range []string{"All Superinterfaces:", "Person", "Modifier and Type", "hives()"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: the body lacks %q: %q", head, want, got)
			}
		}
		if strings.Contains(got, "Overview") {
			t.Errorf("%s: the body has the menu: %q", head, got)
		}
	}
}

func TestAPageOfDocBookIsAManuals(t *testing.T) {
	const page = `<html><head><title>SELECT</title><meta name="generator" content="DocBook XSL Stylesheets Vsnapshot">
<link rel="prev" href="a.html"><link rel="next" href="b.html"></head><body>
<div class="navheader"><table><tr><td><a accesskey="p" href="a.html">Prev</a></td><th>SQL Commands</th><td><a accesskey="n" href="b.html">Next</a></td></tr></table></div>
<div class="refentry" id="SQL-SELECT"><div class="refnamediv"><h2><span class="refentrytitle">SELECT</span></h2><p>SELECT — retrieve rows from a table or view</p></div>
<div class="refsect1" id="SELECT-PARAMETERS"><h2>Parameters</h2><div class="refsect2" id="SQL-WITH"><h3><code>WITH</code> Clause</h3>
<p>The clause allows you to give one or more subqueries a name that the main query can refer to, as long as it runs.</p></div>
<div class="refsect2" id="SQL-SHARE"><h3>Lock modes</h3><table><tr><th>Requested</th><th>Held</th></tr><tr><td>ROW SHARE</td><td>X</td></tr></table></div></div></div>
<div class="navfooter"><table><tr><td><a accesskey="p" href="a.html">Prev</a></td><td><a accesskey="h" href="index.html">Home</a></td></tr></table></div></body></html>`
	body := Purify([]byte(page), "text/html").Body
	for _, want := range []string{"retrieve rows", "Parameters", "WITH Clause", "Lock modes", "Requested", "ROW SHARE"} {
		if !strings.Contains(body, want) {
			t.Errorf("the body lacks %q: %q", want, body)
		}
	}
	for _, frame := range []string{"Prev", "Home", "SQL Commands"} {
		if strings.Contains(body, frame) {
			t.Errorf("the body has %q of the frame: %q", frame, body)
		}
	}
}

// A page of scaladoc starts with the packages around it, each with its description, and its ids are words of the author
// or look like those of a frame: the description of a class is in an element with the id comment.
func TestAPageOfScaladocIsWhatItDocuments(t *testing.T) {
	var packages, members strings.Builder
	for i := range 12 {
		fmt.Fprintf(&packages, `<li class="indented%d"><span class="kind">package</span> <a href="p%[1]d.html">garden%[1]d</a><p class="shortcomment cmt">Flowers of the garden with the number %[1]d, and what the bees find there in spring.</p><div class="fullcomment"><dl class="attributes block"><dt>Definition Classes</dt><dd><a href="o.html">gardener</a></dd></dl></div></li>`, i)
	}
	for i := range 3 {
		fmt.Fprintf(&members, `<li><span class="kind">def</span> <span class="name">fly%d</span>: Unit<div class="fullcomment"><dl class="attributes block"><dt>Definition Classes</dt><dd>AnyRef → Any</dd><dt>Since</dt><dd>1.%[1]d</dd></dl></div></li>`, i)
	}
	body := Purify([]byte(`<html><head><title>Hive</title><link href="../lib/template.css" media="screen" type="text/css" rel="stylesheet"></head>
<body><div id="search"><span>Back</span></div><div id="content-container"><div id="subpackage-spacer"><div id="packages"><h1>Packages</h1><ul>`+packages.String()+`</ul></div></div>
<div id="content"><body class="class type"><div id="definition"><div class="big-circle class">c</div><p id="owner"><a href="i.html">garden3</a>.<a href="j.html">bees</a></p><h1>Hive</h1></div>
<h4 id="signature"><span class="kind">class</span> <span class="name">Hive</span> extends <a href="h.html">Home</a></h4><div id="comment" class="fullcommenttop"><p>Where bees live.</p></div>
<div id="mbrsel"><span class="filtertype">Ordering</span><ol><li>Alphabetic</li></ol></div><div id="template"><h3>Value Members</h3><ol>`+members.String()+`</ol></div></div></div></body></html>`), "text/html").Body
	if want := "garden3.bees\nHive\nclass Hive extends Home\nWhere bees live.\nValue Members\ndef fly0: Unit\nSince\n1.0\ndef fly1: Unit"; !strings.HasPrefix(body, want) {
		t.Errorf("the body is\n%s\nand starts not with\n%s", body, want)
	}
	for _, not := range []string{"Flowers", "Packages", "Alphabetic", "Definition Classes", "AnyRef", "Back"} {
		if strings.Contains(body, not) {
			t.Errorf("the body has %q:\n%s", not, body)
		}
	}
}

// Doxygen gives each row of a table of members a class with a hash, rows of inherited members, which are closed, another one, and
// source code boxes that open over a name.
func TestTheContentsOfAPageOfDoxygenAreItsBody(t *testing.T) {
	page := `<html><head><title>Kites: Reel Struct Reference</title><link href="doxygen.css" rel="stylesheet" type="text/css"/></head><body>
<div id="top"><div id="titlearea"><table><tr><td><div id="projectname">Kites</div></td></tr></table></div></div>
<div class="header"><div class="summary"><a href="#pub-attribs">Data Fields</a></div><div class="headertitle"><div class="title">Reel Struct Reference</div></div></div>
<div class="contents" role="main"><table class="memberdecls"><tr class="heading"><td colspan="2"><h2 class="groupheader">Data Fields</h2></td></tr>
<tr class="memitem:a5ad0c3"><td class="memItemLeft">uint32_t</td><td class="memItemRight"><a class="el" href="#a5ad0c3">turns</a></td></tr>
<tr class="memdesc:a5ad0c3"><td class="mdescLeft"></td><td class="mdescRight">How often it was turned.</td></tr>
<tr class="memitem:a77"><td class="memItemLeft"><a class="el" href="line.html">Line</a></td><td class="memItemRight"><a class="el" href="#a77">line</a></td></tr>
<tr class="memitem:a88 inherit pub_attribs_structTool"><td class="memItemLeft">float</td><td class="memItemRight"><a class="el" href="tool.html">weight</a></td></tr></table>
<div class="ttc"><div class="ttname"><a href="tool.html">Tool::weight</a></div><div class="ttdoc">What it weighs.</div></div></div>
<div class="footer"><address><small>Generated by doxygen 1.9.1</small></address></div></body></html>`
	v := PurifyAt("http://a.test/structReel.html", []byte(page), "text/html")
	hasAll(t, v.Body, []string{"uint32_t", "turns", "How often it was turned.", "Line", "line"}, []string{"float", "weight", "What it weighs.", "Generated by"})
}

// Dokka names a class and says what it is in one element, and has the tables of its members in another.
func TestAPageOfDokkaHasItsMembers(t *testing.T) {
	page := `<html><head><title>Kettle</title></head><body><div class="root"><nav class="navigation" id="navigation-wrapper"><a href="../../index.html">teapots</a></nav>
<div id="container"><div class="sidebar" id="leftColumn"><div class="sidebar--inner" id="sideMenu"><a href="../-cup/index.html">Cup</a></div></div><div id="main" data-item-type="SECTION" role="main">
<div class="main-content" data-page-type="classlike" id="content" pageids="teapots::a.test/Kettle///PointingToDeclaration//1">
<div class="breadcrumbs"><a href="../../index.html">teapots</a><span class="delimiter">/</span><span class="current">Kettle</span></div>
<div class="cover "><h1 class="cover">Kettle</h1><div class="platform-hinted "><div class="content sourceset-dependent-content"><div class="symbol monospace"><span class="token keyword">class </span><span class="token function">Kettle</span></div>
<p class="paragraph">Heats water for a pot of tea, and says so by a whistle once the water has come to the boil. A kettle is what the hearth gives out, and it goes back to the hearth once the tea is made, so that the next guest finds it there.</p></div></div></div>
<div class="tabbedcontent"><div class="tabs-section"><button class="section-tab" data-togglable="PROPERTY">Members</button></div>
<div class="tabs-section-body"><div data-togglable="PROPERTY"><h2 class="tableheader">Properties</h2><div class="table"><div class="table-row table-row_content"><div class="main-subrow keyValue "><div><span class="inline-flex">
<div><a href="litres.html">litres</a></div><span class="anchor-wrapper"><div class="copy-popup-wrapper "><span>Link copied to clipboard</span></div></span></span></div>
<div class="title"><div class="symbol monospace"><span class="token keyword">val </span><a href="litres.html">litres</a>: Double</div><div class="brief "><p class="paragraph">Returns what it holds.</p></div></div></div></div></div></div></div></div>
</div><div class="footer"><div class="footer--content"><div>Generated by <a href="https://a.test/dokka">Dokka</a></div></div></div></div></div></div></body></html>`
	v := PurifyAt("http://a.test/-kettle/index.html", []byte(page), "text/html")
	hasAll(t, v.Body, []string{"Kettle", "class Kettle", "Heats water", "Properties", "litres", "val litres: Double", "Returns what it holds."}, []string{"Members", "Link copied", "Generated by", "Cup", "teapots"})
}

// The list of a class's members is a list by its name, and each row is two links.
func TestAListOfMembersByDoxygenHasThem(t *testing.T) {
	var rows strings.Builder
	for i, name := range []string{"reelWithLine:", "error", "lineLength", "maxSpeed", "turns", "turnsBackwards", "windLine:", "windLine:error:"} {
		fmt.Fprintf(&rows, `<tr class="memlist"><td>-&#160;</td><td><a class="el" href="interfaceKiteReelWriter.html#a%d">%s</a></td><td><a class="el" href="interfaceKiteReelWriter.html">KiteReelWriter</a></td><td></td></tr>`, i, name)
	}
	page := `<html><head><title>Kites: Member List</title><link href="doxygen.css" rel="stylesheet" type="text/css"/></head><body>
<div id="top"><div id="titlearea"><table><tr><td><div id="projectname">Kites</div></td></tr></table></div><div id="navrow1" class="tabs"><ul class="tablist"><li><a href="index.html"><span>Main Page</span></a></li><li><a href="pages.html"><span>Related Pages</span></a></li><li class="current"><a href="annotated.html"><span>Classes</span></a></li><li><a href="files.html"><span>Files</span></a></li></ul></div>
<div id="navrow2" class="tabs2"><ul class="tablist"><li><a href="annotated.html"><span>Class List</span></a></li><li><a href="classes.html"><span>Class Index</span></a></li><li><a href="hierarchy.html"><span>Class Hierarchy</span></a></li><li><a href="functions.html"><span>Class Members</span></a></li></ul></div></div>
<div class="header"><div class="headertitle"><div class="title">KiteReelWriter Member List</div></div></div>
<div class="contents">
This is the complete list of members for <a class="el" href="interfaceKiteReelWriter.html">KiteReelWriter</a>, including all inherited members.<table>` + rows.String() + `</table></div>
<hr class="footer"/><address class="footer"><small>Generated on Sun May 6 2012 10:55:34 for Kites by &#160;<a href="http://a.test/doxygen/index.html"><img class="footer" src="doxygen.png" alt="doxygen"/></a> 1.8.0</small></address></body></html>`
	v := PurifyAt("http://a.test/classKiteReelWriter-members.html", []byte(page), "text/html")
	hasAll(t, v.Body, []string{"the complete list of members for KiteReelWriter", "turnsBackwards", "windLine:error:"}, []string{"Main Page", "Generated on"})
}
