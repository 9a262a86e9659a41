package metadata

import (
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify/blocks"
)

func TestPersonName(t *testing.T) {
	for text, want := range map[string]string{
		"Ann Writer, May 6, 2024":  "Ann Writer",
		"by Ann Writer on May 6":   "Ann Writer",
		"Ann Writer | 5 min read":  "Ann Writer",
		"user4711":                 "user4711",
		"Имя *":                    "",
		"文章作者: Ann":                "Ann",
		"Ann WriterMay 6, 2024":    "Ann Writer",
		"Ann Writer\nEditor":       "Ann Writer",
		"AnnAnn":                   "Ann",
		"Ann Writer » Tue May 6":   "Ann Writer",
		"Joined:":                  "",
		"105464":                   "",
		"March":                    "",
		"注册":                       "",
		"the way, this is no name": "",
		"Join Date":                "",
		"Ann Writer a year ago":    "Ann Writer",
		"Ann an hour ago":          "Ann",
		"an hour ago":              "",
		"Ann Chicago":              "Ann Chicago",
		"Ann Ago":                  "Ann Ago",
		"LIST_OF_HIVES =":          "",
		"":                         "",
		"李雷":                       "李雷",
		"A sentence that is far too long to be the name of anybody alive": "",
	} {
		if got := personName(text); got != want {
			t.Errorf("personName(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestABylineSaysWhoAndWhenAndNothingElse(t *testing.T) {
	for text, want := range map[string]bool{
		"<p>By Ann Writer":                                      true,
		"<p>by Ann Writer | May 6, 2024 at 10:15":               true,
		"<div>Insects</div><p>BY ANN WRITER • 6 May 2024":       true,
		"<p>One<p>Two<p>Three<p>By Ann Writer":                  false,
		"<h2>By Ann Writer</h2>":                                false,
		"<p>By 10 a.m. they fly":                                false,
		"<p>By Monday, bees fly.":                               false,
		"<p>By reading this you agree to it":                    false,
		"<p>By Ann Writer, who has kept bees since she was six": false,
		"<p>Bylaws": false,
		"<p>B":      false,
	} {
		var o blocks.Outline
		o.Reset()
		o.Read([]byte("<p>By A. Menu<h1>Bees</h1>"+text), false)
		if got := Byline(&o); (got >= 0) != want {
			t.Errorf("Byline below a heading, in %q, is block %d; want one: %v", text, got, want)
		}
		o.Reset()
		o.Read([]byte(text), false)
		if got := Byline(&o); got >= 0 {
			t.Errorf("Byline without a heading, in %q, is block %d; want none", text, got)
		}
	}
}

func TestURLDay(t *testing.T) {
	for url, want := range map[string]string{
		"https://h.example/2024/05/06/bees":         "2024-05-06",
		"https://h.example/c/2024-05-06.html":       "2024-05-06",
		"https://h.example/n1/2024/0506/c1-2.html":  "2024-05-06",
		"https://h.example/a/202405/06/WS66.html":   "2024-05-06",
		"https://h.example/t20240506_152.htm":       "2024-05-06",
		"https://h.example/2024-05/06/content.html": "2024-05-06",
		"https://h.example/1202405061.html":         "",
		"https://h.example/2024050612.html":         "",
		"https://h.example/2024/13/06/":             "",
		"https://h.example/2024":                    "",
		"":                                          "",
	} {
		if got := urlDay(url); got != want {
			t.Errorf("urlDay(%q) = %q, want %q", url, got, want)
		}
	}
}

// A longer one is found by the word in it: "today" in "today is".
func TestEachWordForAnotherDayIsNeeded(t *testing.T) {
	for _, said := range otherDays {
		for _, of := range otherDays {
			if said != of && strings.Contains(" "+said+" ", " "+of+" ") {
				t.Errorf("%q has %q in it", said, of)
			}
		}
	}
}
