package purify

import (
	"fmt"
	"strings"
	"testing"
)

// A board of a forum says who started a topic and when, and how many have answered and read, in elements without paragraphs or items.
func TestABoardOfAForumHasItsTopics(t *testing.T) {
	var topics, want strings.Builder
	for i, name := range []string{"Hello from the coast", "Leaving for now", "New here, old kites", "Introduction - Berta", "Back after three years"} {
		fmt.Fprintf(&topics, `<div class="structItem structItem--thread"><div class="structItem-cell structItem-cell--icon"><a href="/members/m%d/" class="avatar"><span>%c</span></a></div><div class="structItem-cell structItem-cell--main"><div class="structItem-title"><a href="/threads/t%[1]d/">%[3]s</a></div><div class="structItem-minor"><ul class="structItem-parts"><li><a href="/members/m%[1]d/" class="username">Keeper%[1]d</a></li><li><a href="/threads/t%[1]d/"><time datetime="2021-08-2%[1]dT10:00:00Z">Aug 2%[1]d, 2021</time></a></li></ul></div></div>
<div class="structItem-cell structItem-cell--meta"><dl><dt>Replies</dt><dd>%[1]d</dd></dl><dl><dt>Views</dt><dd>%[4]d</dd></dl></div><div class="structItem-cell structItem-cell--latest"><a href="/threads/t%[1]d/latest"><time class="structItem-latestDate" datetime="2021-08-2%[1]dT10:00:00Z">Aug 2%[1]d, 2021</time></a><div class="structItem-minor"><a href="/members/m%[1]d/" class="username">Keeper%[1]d</a></div></div></div>`, i, 'A'+i, name, 40+7*i)
		want.WriteString(name + "\n")
	}
	page := `<!DOCTYPE html><html id="XF" data-template="forum_view"><head><title>Introduction &amp; Farewells | Kite Forums</title></head><body data-template="forum_view"><div class="p-nav"><ul class="p-nav-list"><li><a href="/">Home</a></li><li><a href="/forums/">Forums</a></li><li><a href="/whats-new/posts/">New posts</a></li><li><a href="/search/?type=post">Search forums</a></li><li><a href="/login/">Log in</a></li><li><a href="/register/">Register</a></li></ul></div>
<div class="p-body"><div class="blockMessage js-browserWarning" style="display: none">You are using an out of date browser. It may not display this or other websites correctly.<br>You should upgrade or use an <a href="https://browser.test/">alternative browser</a>.</div><div class="p-body-header"><div class="p-title"><h1 class="p-title-value">Introduction &amp; Farewells</h1></div></div><div class="p-body-main"><div class="p-body-content"><div class="p-body-pageContent"><div class="block"><div class="block-container"><div class="block-filterBar"><div class="block-outer"><nav class="pageNavWrapper"><div class="pageNav"><ul class="pageNav-main"><li class="pageNav-page"><a href="/forums/introduction.8/">1</a></li><li class="pageNav-page"><a href="/forums/introduction.8/page-2">2</a></li></ul><a href="/forums/introduction.8/page-2" class="pageNav-jump">Next</a></div></nav></div><a class="filterBar-menuTrigger">Filters</a></div>
<div class="block-body"><div class="structItemContainer"><div class="structItemContainer-group">` + topics.String() + `</div></div></div></div></div></div></div></div></div><footer class="p-footer"><a href="/help/terms/">Terms and rules</a><a href="/help/privacy-policy/">Privacy policy</a></footer></body></html>`
	hasAll(t, PurifyAt("http://kites.test/forums/introduction.8/", []byte(page), "text/html").Body, strings.Split(strings.TrimSpace(want.String()), "\n"), []string{"Terms and rules", "Filters"})
}
