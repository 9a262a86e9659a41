package purify

import (
	"strings"
	"testing"
)

// The notice for browsers without frames says nothing of the page; a page of its own does.
func TestANoticeThatThereAreNoFramesIsNoBody(t *testing.T) {
	page := func(notice string) *DocView {
		return Purify([]byte(`<html><head><title>Kites 1.2 API</title></head><frameset cols="20%,80%"><frame src="all.html"><frame src="start.html">
<noframes><h2>Frame Alert</h2><p>`+notice+` <a href="start.html">Version without frames</a></p></noframes></frameset></html>`), "text/html")
	}
	v := page("This document is designed to be viewed using the frames feature.")
	if v.Body != "" || len(v.Blocks) != 0 {
		t.Errorf("the body is %q", v.Body)
	}
	if len(v.Links) != 2 || v.Title != "Kites 1.2 API" {
		t.Errorf("title %q, links %+v", v.Title, v.Links)
	}
	if v := page(strings.Repeat("Kites fly higher in the evening, when the wind comes from the sea. ", 12)); v.Body == "" {
		t.Error("a page for browsers without frames has no body")
	}
}
