package purify

import (
	"fmt"
	"strings"
	"testing"
)

// shortTexts are paragraphs of articles that were written for this test. "I", "you" and questions are
// in some of them, as they are in posts of a forum.
var shortTexts = map[string][]string{
	"A kettle that does not boil over": {
		"My grandmother had an iron kettle which sang long before the water boiled. For years I believed that the song was a trick of the iron, until I bought one of my own and it stayed silent.",
		"The sound comes from bubbles of steam that rise from the hot floor into cooler water and collapse there. Each collapse is a small click, and thousands of clicks a second make a tone.",
		"A smooth floor gives few places where a bubble can begin, so a new kettle is quiet. After some months a crust of lime covers the floor, and the singing begins.",
		"Do not scrub the crust away if you like the song. Vinegar takes it off in an hour, and the kettle is silent again for half a year.",
		"When all of the water is near its boiling point the bubbles no longer collapse, and the tone falls. That is the moment to lift the kettle from the stove.",
		"A lid with a hole keeps the water from boiling over. The steam leaves in one place, and the film that carries the foam breaks before it reaches the rim.",
		"Copper is quicker than iron, but it must be lined with tin, and the lining melts if the kettle boils dry. Steel needs no care at all, which is why most of us have it.",
		"I still heat water in the iron one on Sundays. It takes nine minutes, and nobody in the house needs a clock.",
	},
	"Night trains come back to the valley": {
		"From the tenth of December two sleeping trains a week will run between the coast and the valley, the railway said on Tuesday. The last such train left in 2009.",
		"Each train has six coaches with beds and two with seats. Tickets are sold from the first of November, and children below six travel free.",
		"Mayors along the line had asked for the trains since the motorway was closed to lorries at night. The hotel owners paid for a study, which counted 40,000 guests a year.",
		"The coaches are thirty years old and were rebuilt in the works at Harden. New brakes let them run at 160 kilometres an hour, so that the trip takes nine hours and not eleven.",
		"Whether the trains stay depends on the summer. The railway wants two thirds of the beds to be sold; a spokeswoman said that half would do in the first year.",
		"On the platform at Harden few people believe in it. \"They took it from us once,\" said a retired guard, who had worked on the last train and kept its lamp.",
		"The ministry pays four million a year until 2030. What comes after that will be decided when the contract for the day trains is renewed.",
		"Bicycles can be taken along from April. Dogs need a ticket of half the price and a compartment of their own.",
	},
	"How to prune an old apple tree": {
		"An old apple tree that nobody has cut for ten years is not lost. Give it three winters, and never take more than a quarter of its crown at once.",
		"Start with what is dead, then with branches that cross, and step back after each cut. You will be surprised how much light comes in after an hour.",
		"Cut just outside the collar, the ring of bark where a branch leaves the trunk. A stub rots, and a cut into the collar never closes.",
		"What about the long shoots that stand up like a broom? Leave one in three of them. They feed the tree in summer and can be bent down with a string.",
		"Wait for a dry day without frost. Wet wood carries spores from one wound to the next, and frozen wood splits.",
		"Paint on wounds does more harm than good, since water stays behind it. A clean cut with a sharp saw is all that a tree needs.",
		"In the second winter you take the tallest leaders back to a side branch. The tree gets lower, and you can pick without a ladder.",
		"By the third winter there are flower buds on the wood that you left. Water it well in a dry June and thin the fruit to one in each cluster.",
	},
	"老城的钟楼为什么走得慢": {
		"老城的钟楼建于一九二六年，每天大约慢四分钟。附近的居民早已习惯，约人见面时总要问一句，是按钟楼的时间，还是按手机的时间。",
		"去年秋天，修表师傅陈国强被请上钟楼。他在齿轮之间找到了一个鸽子窝，羽毛和干草缠住了摆杆，让摆动的幅度小了三分之一。",
		"陈师傅没有把鸽子赶走。他用铁丝做了一个笼子，把摆杆罩起来，鸽子仍旧住在上面，钟却准了。",
		"可是准了的钟让不少人不高兴。面馆的老板说，他二十年来都按慢四分钟的钟开门，现在客人总觉得他迟到。",
		"街道办开了一次会，请大家投票。最后的结果是六十二票对五十九票，钟还是要走得准。",
		"修钟花了三天，费用是一千二百元，由居民自己凑齐。名单贴在钟楼的门后面，按姓氏笔画排列。",
		"如今每个整点，钟声从北门一直传到河边。孩子们会数到底敲了几下，老人们则对一对手表，然后摇摇头。",
		"我问陈师傅，明年还会不会再慢下来。他说铁会生锈，油会变稠，钟和人一样，都要有人惦记着。",
	},
}

// shortLayouts are plain pages around a title and paragraphs: none has a mark of a forum.
var shortLayouts = map[string]func(title, text string) string{
	"nothing else": func(title, text string) string { return "<title>" + title + "</title><h1>" + title + "</h1>" + text },
	"no heading":   func(title, text string) string { return "<title>" + title + "</title>" + text },
	"main": func(title, text string) string {
		return "<title>" + title + "</title><header><a href=/>Home</a> <a href=/about>About</a></header><main><h1>" + title + "</h1>" + text + "</main><footer>© 2024</footer>"
	},
	"article": func(title, text string) string {
		return "<title>" + title + "</title><nav><a href=/>Home</a></nav><article><h1>" + title + "</h1><time datetime=2024-05-06>6 May 2024</time>" + text + "</article>"
	},
	"a byline": func(title, text string) string {
		return "<title>" + title + "</title><div class=wrap><h1>" + title + "</h1><p>By Ann Writer, May 6, 2024</p>" + text + "</div>"
	},
	"a menu and neighbours": func(title, text string) string {
		return "<title>" + title + " - The Gazette</title><ul><li><a href=/>Home</a><li><a href=/news>News</a><li><a href=/garden>Garden</a></ul><div><h1>" + title + "</h1>" + text + "<p><a href=/1>Previous</a> <a href=/2>Next</a></p></div>"
	},
	"a sidebar": func(title, text string) string {
		return "<title>" + title + "</title><div id=content><h2>" + title + "</h2>" + text + "</div><div id=sidebar><h3>About</h3><p>A small paper since 1921.</p><h3>Archive</h3><ul><li><a href=/2024/05>May 2024</a><li><a href=/2024/04>April 2024</a></ul></div>"
	},
	"a table": func(title, text string) string {
		return "<title>" + title + "</title><table><tr><td><a href=/>Home</a><br><a href=/map>Map</a></td><td><h1>" + title + "</h1>" + text + "</td></tr></table>"
	},
	"lines and no paragraphs": func(title, text string) string {
		return "<title>" + title + "</title><div><b>" + title + "</b><br><br>" + strings.NewReplacer("<p>", "", "</p>", "<br><br>").Replace(text) + "</div>"
	},
	"classes without a meaning": func(title, text string) string {
		return "<title>" + title + "</title><div class=a1><div class=b2><a href=/>x</a></div><div class=c3><h1 class=d4>" + title + "</h1>" + strings.ReplaceAll(text, "<p>", "<p class=e5>") + "</div></div>"
	},
}

// A page without a mark of a forum is none, however short it is: what a type changes (the body's
// title and comments, a page's role) must not hang on how long a text is.
func TestAShortPlainArticleIsNoForum(t *testing.T) {
	types := map[string]int{}
	for title, texts := range shortTexts {
		for name, layout := range shortLayouts {
			for n := 1; n <= len(texts); n++ {
				text := "<p>" + strings.Join(texts[:n], "</p>\n<p>") + "</p>"
				page := "<!doctype html><meta charset=utf-8>" + layout(title, text)
				v := Purify([]byte(page), "text/html; charset=utf-8")
				types[v.Type]++
				if v.Type == "forum" {
					t.Errorf("%d paragraphs of %q in a page with %s: a forum", n, title, name)
				}
			}
		}
	}
	t.Log(fmt.Sprint(types))
	if types["article"] == 0 {
		t.Errorf("of all these pages none is an article: %v", types)
	}
}
