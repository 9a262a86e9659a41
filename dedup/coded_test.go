package dedup

import (
	"fmt"
	"testing"
)

// A generator of manuals writes an inherited description above the source of each function that overrides it.
func TestFunctionsBelowOneDescriptionAreTwoByTheirSource(t *testing.T) {
	function := func(source, more string) string {
		return fmt.Sprintf(`<html lang="en"><head><title>build method - kites library - Kites API</title></head><body>
<div class="self-crumb">build method</div><main><div id="dartdoc-main-content"><h1>build method</h1><section class="desc markdown">
<p>Describes the part of the user interface that is represented by this widget, and is called in a number of situations.</p>
<p>The framework replaces the subtree below this widget with the widget that this method returns, either by updating the one
that is there or by removing it and making a new one, depending on whether the two can be updated in place.</p>
<p>Typically an implementation returns a newly made constellation of widgets that are configured with what is known from
the constructor, from the context that is given, and from the internal state of the object that is asked.</p>%s</section>
<section class="summary source-code" id="source"><h2>Implementation</h2><pre class="language-dart"><code>%s</code></pre></section></div></main></body></html>`, more, source)
	}
	const sail = `@override Widget build(BuildContext context) { final sails = context.watch&lt;SailProvider&gt;(); if (sails.isEmpty) { return Text("no sails"); } return Column(children: sails.map((s) =&gt; SailTile(sail: s)).toList()); }`
	const rope = `@override Widget build(BuildContext context) { return Scaffold(appBar: RopeBar(length: rope.length, knots: rope.knots), body: GridView.count(crossAxisCount: 2, padding: EdgeInsets.all(8)), bottomSheet: LengthPicker(onPicked: pickLength)); }`
	pages := map[string]string{
		"sails/SailView/build.html":   function(sail, ""),
		"ropes/RopeView/build.html":   function(rope, ""),
		"2.1/SailView/build.html":     function(sail, "<p>It is asked again whenever the size of the window has changed.</p>"),
		"ropes/RopeView/rebuild.html": function(rope, ""),
	}
	paths := []string{"sails/SailView/build.html", "ropes/RopeView/build.html", "2.1/SailView/build.html", "ropes/RopeView/rebuild.html"}
	texts := siteAmong(t, 40, pages, paths)
	for _, text := range texts { // of a longer page the models take the description alone for its body
		for i := range text.blocks {
			b := &text.blocks[i]
			b.Chosen = b.Chosen && !isSource(b.Text)
		}
	}
	for _, c := range []struct {
		a, b int
		same bool
	}{{0, 1, false}, {0, 2, true}, {1, 3, true}} {
		if j, same := one(texts[paths[c.a]], texts[paths[c.b]]); same != c.same {
			t.Errorf("%s and %s: one %v, resemblance %.2f; want %v", paths[c.a], paths[c.b], same, j, c.same)
		}
	}
}
