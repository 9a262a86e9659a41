package main

import "testing"

func TestAManualFillsItsParagraphs(t *testing.T) {
	got := manParagraphs("one\ntwo.\n\n  a list\n  of two\n\nthree\n\nname  text\nother  text\n")
	want := "one\ntwo.\n.PP\n.nf\n  a list\n  of two\n.fi\n.PP\nthree\n.PP\n.nf\nname  text\nother  text\n.fi\n"
	if got != want {
		t.Errorf("manParagraphs = %q, want %q", got, want)
	}
}
