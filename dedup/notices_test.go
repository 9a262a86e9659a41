package dedup

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A school board has a page for each notice, which says little but its title, next to the latest notices. Two notices are two
// pages. One notice at two numbers is one, and so are a notice under two titles that share most of their words and a story under any two.
// Two stories, each of which has words of its own headline, are two.
func TestNoticesOfTwoTitlesAtTwoNumbersAreTwo(t *testing.T) {
	notice := func(title, story string) string {
		return fmt.Sprintf(`<html lang="en"><head><title>%[1]s</title></head><body><main><div class="content"><h3>%[1]s</h3><span>24 Sep 2020</span>%[2]s
<h4>Latest notices</h4><div class="item"><p>Practical Laboratory for Computers and Sports of the Examination in Spring</p><a href="/files/a.pdf">click here download</a></div>
<div class="item"><p>Practical Laboratory for Science of the Examination in Spring and in Summer</p><a href="/files/b.pdf">click here download</a></div>
<div class="item"><p>Admissions that came late for the Examination, a List of All Candidates</p><a href="/files/c.pdf">click here download</a></div>
<div class="item"><p>Who supervises the Draw of Lots before the Examination, Orders and Duties</p><a href="/files/d.pdf">click here download</a></div></div></main></body></html>`, title, story)
	}
	var story strings.Builder
	for i := range 9 {
		fmt.Fprintf(&story, "<p>On day %d the wind turned above the school and the kites of class %c rose over the roof again.</p>", i, 'a'+i%20)
	}
	pages := map[string]string{
		"news-id_72.html":  notice("Revised Enrollment Notification", ""),
		"news-id_73.html":  notice("New Proforma to get Password", ""),
		"news-id_74.html":  notice("New Proforma to get Password", ""),
		"news-id_80.html":  notice("Proforma for Government and Private Schools", ""),
		"news-id_81.html":  notice("Instructions with Proforma for Government and Private Schools", ""),
		"story-id_82.html": notice("Wind over the school", story.String()),
		"story-id_83.html": notice("Kites rise above class", story.String()),
		"story-id_84.html": notice("Password for new pupils", story.String()+"<p>The password is for all pupils of this school who are new to it.</p>"),
		"story-id_85.html": notice("Tickets for the ferry", story.String()+"<p>The tickets are for the ferry that leaves when school is out.</p>"),
	}
	paths := []string{"news-id_72.html", "news-id_73.html", "news-id_74.html", "news-id_80.html", "news-id_81.html", "story-id_82.html", "story-id_83.html", "story-id_84.html", "story-id_85.html"}
	texts := siteAmong(t, 120, pages, paths)
	areOneByRule(t, texts, []twoPages{{paths[0], paths[1], false}, {paths[1], paths[2], true}, {paths[3], paths[4], true}, {paths[5], paths[6], true}, {paths[7], paths[8], false}})
}

// Two persons of one family, each of whom has days of their own above the family's story, are two. A person at two numbers is one.
func TestPersonsOfOneFamilyAreTwoByTheirDays(t *testing.T) {
	person := func(name, days string) string {
		var story strings.Builder
		for i := range 9 {
			fmt.Fprintf(&story, "<p>The fathers of the family, %s, and those who went on to the hills.</p>", text(rand.New(rand.NewPCG(8, uint64(i))), 20))
		}
		return fmt.Sprintf(`<html lang="en"><head><title>%[1]s</title></head><body><main><h1>%[1]s</h1><p>%s</p>%s</main></body></html>`, name, days, story.String())
	}
	pages := map[string]string{
		"777.html": person("William Wayman Winn", "Born 6 June 1898, died 8 February 1982"),
		"778.html": person("Jim D. Winn", "Born 11 May 1901, died 3 March 1977"),
		"779.html": person("Jim D. Winn", "Born 11 May 1901, died 3 March 1978"),
	}
	site := siteAmong(t, 80, pages, []string{"777.html", "778.html", "779.html"})
	areOneByRule(t, site, []twoPages{{"777.html", "778.html", false}, {"778.html", "779.html", true}})
}
