package purify

import "testing"

func TestDateAndAuthorAreReadFromTheByline(t *testing.T) {
	page := `<title>Bees in winter - Site</title><nav><a href=/>Home</a></nav><h1>Bees in winter</h1><div>By <a href="/authors/ann">Ann Writer</a> · Last updated 7 June 2025</div><div>May 6, 2024</div><p>` + prose(1, 1, 9)[0]
	v := Purify([]byte(page), "text/html")
	if v.Date != "2024-05-06" || v.Author != "Ann Writer" {
		t.Errorf("Purify = date %q, author %q; want 2024-05-06, Ann Writer", v.Date, v.Author)
	}
}

func TestTheAddressNamesWhatThePageDoesNot(t *testing.T) {
	v := PurifyAt("https://example.com/en/garden-care/2024/05/06/bees", []byte("<h1>Bees</h1><p>"+prose(1, 1, 9)[0]), "text/html")
	if v.Date != "2024-05-06" || len(v.Category) != 1 || v.Category[0] != "garden care" {
		t.Errorf("PurifyAt = date %q, category %q; want 2024-05-06, [garden care]", v.Date, v.Category)
	}
}

func TestAnAuthorIsAPersonBeforeTheSite(t *testing.T) {
	const ld = `<script type="application/ld+json">{"@type":"Article","author":{"name":"Daily News"}}</script><meta property="og:site_name" content="Daily News">`
	for _, c := range []struct{ name, page, want string }{
		{"in the byline", ld + "<h1>Bees in winter</h1><div>By Ann Writer, May 6</div>", "Ann Writer"},
		{"nowhere", ld + "<h1>Bees in winter</h1>", "Daily News"},
		{"a number", "<meta name=author content=105464><h1>Bees in winter</h1>", ""},
		{"marked by itemprop", "<h1>Bees in winter</h1><p>" + prose(1, 1, 4)[0] + "<div itemprop=author>Ann Writer</div><div>by the gate</div>", "Ann Writer"},
		{"marked by rel", "<h1>Bees in winter</h1><p>Seen by a keeper, told by <a rel=author href=/ann>Ann Writer</a>, in May", "Ann Writer"},
		{"marked before all text", "<span itemprop=author></span><p>Bees", ""},
		{"marked without text", "<h1>Bees in winter</h1><span itemprop=author><meta itemprop=name content=Ann></span><div>Share</div><p>They sleep.", ""},
		{"declared as a person behind the publisher", "<meta name=author content='Gazette Media'><meta property='article:author' content='Ann Writer'><h1>Bees in winter</h1>", "Ann Writer"},
		{"declared behind the URL of a profile", "<meta property='article:author' content='/@ann'><meta name=author content='Ann Writer'><h1>Bees in winter</h1>", "Ann Writer"},
		{"declared behind a placeholder", "<meta name=author content=Name><meta name=author content='Ann Writer'><h1>Bees in winter</h1>", "Ann Writer"},
		{"an organisation before a person", `<script type="application/ld+json">[{"@type":"Article","author":{"@type":"Organization","name":"Gazette Media"}},{"@type":"BlogPosting","author":[{"@type":"Person","name":"By Ann Writer"}]}]</script><h1>Bees in winter</h1>`, "Ann Writer"},
		{"the user who posted it", "<meta name='twitter:label1' content='Written by'><meta name='twitter:data1' content='Ann Writer'><h1>Bees in winter</h1>", "Ann Writer"},
		{"the price of a product", "<meta name='twitter:label1' content='Price'><meta name='twitter:data1' content='Five Pounds'><h1>Bees in winter</h1>", ""},
		{"the user who posted another's text", "<meta name='twitter:label1' content='Written by'><meta name='twitter:data1' content='Web Desk'><h1>Bees in winter</h1><p>By Ann Writer</p>", "Ann Writer"},
		{"marked by itemprop without text", "<h1>Bees in winter</h1><meta itemprop=author content='Ann &amp; Bo'><p>They sleep.", "Ann & Bo"},
		{"marked behind a label", "<h1>Bees in winter</h1><div itemprop=author>Written By: Ann Writer</div>", "Ann Writer"},
		{"behind a date", "<h1>Bees in winter</h1><p>September 1st, 2023 by Ann Writer</p>", "Ann Writer"},
		{"in the next block", "<h1>Bees in winter</h1><p>Written by</p><p>Ann Writer</p>", "Ann Writer"},
		{"in a sentence", "<h1>Bees in winter</h1><p>All of our pages are written by humans, not robots.</p>", ""},
		{"a request", "<h1>Bees in winter</h1><a href=/members/new>Join us today</a><p>They sleep.", ""},
		{"words of a menu", "<h1>Bees in winter</h1><a href=/user/login>登录 退出</a><p>They sleep.", ""},
		{"a time", "<h1>Bees in winter</h1><p>By 10:00 a.m. they flew.", ""},
	} {
		if got := Purify([]byte(c.page), "text/html").Author; got != c.want {
			t.Errorf("%s: author is %q, want %q", c.name, got, c.want)
		}
	}
}

func TestNamesFromRunningTextAndFormsAreNoAuthors(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"a sentence", "<h1>Hives</h1><p>By default, hives are closed in winter.</p>", ""},
		{"the start of a list", "<h1>Hives</h1><p>By convention, hives have:</p><ul><li>a lid</ul>", ""},
		{"a nickname", "<h1>Hives</h1><p>by annwriter</p>", "annwriter"},
		{"a nickname that leads to its user", "<h1>Hives</h1><p><a href=/people/annwriter>annwriter</a></p>", "annwriter"},
		{"a word that leads to a list of people", "<h1>Hives</h1><p><a href=/people/alumni/index.html>former</a> Keeper</p>", ""},
		{"the menu for users", "<h1>Hives</h1><div id=block-user-1 class='block block-user'><h2>Navigation</h2><ul><li><a href=/feeds>Feeds</a></ul></div>", ""},
		{"what a user did", "<h1>Hives</h1><div id=block-views-hives-user><h2>Submitted hives</h2><p>There are none that are open to all, as far as anybody can tell now, be it here or elsewhere.</p></div>", ""},
		{"the name above what a user says", "<h1>Hives</h1><div class=user-profile><h2>Ann Writer</h2><p>None.</p></div>", "Ann Writer"},
		{"a sentence on a person", "<h1>Hives</h1><p>By Ann Writer, who keeps bees.</p>", "Ann Writer"},
		{"before a category", "<h1>Hives</h1><p>By Ann Writer under Bees No Comments</p>", "Ann Writer"},
		{"a user guide", "<h1>Hives</h1><p>See <a href=https://docs.example.com/hives/latest/userguide/lids.html>Lids and floors</a>", ""},
		{"a user guide with a hyphen", "<h1>Hives</h1><p>See <a href=/user-guide/lids.html>Lids and floors</a>", ""},
		{"a user's page", "<h1>Hives</h1><p>See <a href=/users/ann>Ann Writer</a>", "Ann Writer"},
		{"the field of a form", "<h1>Hives</h1><form><p class=comment-form-author><label>Name *</label></form>", ""},
		{"a picture of a person", "<h1>Hives</h1><div class=author>Avatar</div>", ""},
		{"an unfilled template", "<meta name=author content='{{ page.author }}'><h1>Hives</h1>", ""},
		{"an unfilled template in the text", "<h1>Hives</h1><p>By {{ page.author }}</p>", ""},
		{"a day", "<h1>Hives</h1><a href=/authors/>28-Apr-2008</a>", ""},
		{"the list of all", "<h1>Hives</h1><a href=/contributors/>Keepers of hives</a>", ""},
		{"one of all", "<h1>Hives</h1><a href=/contributors/ann>Ann Writer</a>", "Ann Writer"},
		{"a form to enter by", "<h1>Hives</h1><a href='/user/login/?to=hives'>Zaloguj</a>", ""},
		{"a user whose name starts so", "<h1>Hives</h1><a href='/user/loginka'>Loginka</a>", "Loginka"},
		{"a sign in a nickname", "<meta property=article:author content='0r@nge'><h1>Hives</h1>", "0r@nge"},
		{"an address of mail", "<meta name=author content='ann@hives.example'><h1>Hives</h1>", ""},
		{"an account behind a name", "<h1>Hives</h1><p>By Ann Writer @annwriter</p>", "Ann Writer"},
		{"a box of tweets", "<h1>Hives</h1><a href='https://twitter.com/intent/user/annwriter' rel=author>Tweets by annwriter</a>", ""},
		{"a heading in Hebrew", "<h1>Hives</h1><div class=author>על הסופר</div>", ""},
		{"a program", "<meta name=author content='Auto-generated by Munin'><h1>Hives</h1>", ""},
		{"markup", "<meta name=author content='&lt;bdi>Ann&lt;/bdi>'><h1>Hives</h1>", ""},
		{"a label", "<h1>Hives</h1><div class=author>Post Category:Wax</div>", ""},
		{"the list of a user", "<h1>Hives</h1><div class=author><h2>Author Archives: admin</h2></div>", ""},
		{"a password repeated", "<h1>Hives</h1><form><div class=user-pass><label>Confirm Password</label></div></form>", ""},
		{"a password on its own", "<h1>Hives</h1><div class=user-pass>Password</div>", ""},
		{"a section on users", "<h1>Hives</h1><ul><li><a href=#user-management>Keepers of hives</a></ul>", ""},
		{"a heading whose id repeats it", "<h1>Hives</h1><h2 id=user-management>User Management</h2>", ""},
		{"a name in a box of the author", "<h1>Hives</h1><div class=author-box><h4>Ann Writer</h4></div>", "Ann Writer"},
		{"a part of the list of all", "<h1>Hives</h1><a href='/profiles/?filter_by=new'>Newest keepers</a>", ""},
		{"a manual for users elsewhere", "<h1>Hives</h1><p>See <a href=https://hives.example/docs/users/python_api.md>Python API</a>", ""},
		{"a page on people", "<h1>Hives</h1><a href=https://hives.example/users/people.html>People</a>", ""},
		{"settings of a user", "<h1>Hives</h1><p>See <a href=https://hives.example/profile/setting>Choices</a>", ""},
		{"a way to go", "<h1>Hives</h1><h3>By Train</h3><p>The train stops there.", ""},
		{"a heading with a name", "<h1>Hives</h1><h3>By Ann Writer</h3><p>The train stops there.", "Ann Writer"},
		{"a section of a manual", "<h1>Hives</h1><div class=user-tags><h4>7.1.1.1. Tags</h4></div>", ""},
		{"a number of comments", "<h1>Hives</h1><div class=author><span>1 comment</span></div>", ""},
		{"a channel", "<h1>Hives</h1><div class=author>Our YouTube channel</div>", ""},
		{"a heading in Portuguese", "<h1>Hives</h1><div class=author>Sobre o autor</div>", ""},
		{"an order of a list", "<h1>Hives</h1><div class=author>Inheritance</div>", ""},
		{"a column of a forum", "<h1>Hives</h1><table><tr><th>Author</th><th>Message</th></tr><tr><td><b>ann</b></td><td>It hums.</td></tr></table>", ""},
		{"a heading of a menu", "<h1>Hives</h1><div class=author>Dashboard</div>", ""},
		{"what a person does", "<h1>Hives</h1><div class=profile><span><strong><a href=/team#ann>Ann Writer</a></strong><br>Keeper of bees</span></div>", "Ann Writer"},
		{"who comments", "<h1>Hives</h1><div class=author><a href=https://ann.example>Ann Writer</a> says:</div>", ""},
		{"a link in a text of a person", "<h1>Hives</h1><div class=author>Ann Writer <a href=/team>Team</a></div>", "Ann Writer Team"},
		{"what a user has written elsewhere", "<h1>Hives</h1><p>See <a href=https://school.example/user/ann/snippets/lids>School of Hives</a>", ""},
		{"a user with a number", "<h1>Hives</h1><p>See <a href=/users/4711/ann>Ann Writer</a>", "Ann Writer"},
		{"a type", "<h1>Hives</h1><div class=author>AuthorEntity[]</div>", ""},
		{"a link to a source", "<h1>Hives</h1><section class=author><h4>source§</h4></section>", ""},
		{"a network's name on a profile", "<h1>Hives</h1><p>Follow us: <a href=https://bsky.example/profile/hives>Bluesky</a>", ""},
		{"the tag of a user", "<h1>Hives</h1><p>Tags: <a href=/tag/user/ rel=tag>Keepers</a>", ""},
		{"a user without a folder of all", "<h1>Hives</h1><p>See <a href=/user/ann/>Ann Writer</a>", "Ann Writer"},
		{"a menu whose name has a word over its hyphens", "<h1>Hives</h1><ul id=menu-services class=menu><li><a href=/wax>Wax</a><li><a href=/lids>Lids</a></ul>", ""},
		{"the title of a post next to who wrote it", "<title>Hives in winter - Forum</title><h2>Forum</h2><div class=profile><h3>Hives in winter</h3><span>ann</span></div><p>It hums.", "ann"},
		{"the way back to all", "<h1>Hives</h1><p><a href=/team/>Go Back to the Team Page</a>", ""},
		{"the page of all", "<h1>Hives</h1><p><a href=/team/>Our Keepers</a>", ""},
		{"one of a team", "<h1>Hives</h1><p><a href=/team/ann/>Ann Writer</a>", "Ann Writer"},
		{"a request to go back", "<h1>Hives</h1><div class=author>Go back to all keepers</div>", ""},
		{"a name that starts like one", "<h1>Hives</h1><div class=author>Go Nagai</div>", "Go Nagai"},
		{"a part of a catalog", "<h1>Hives</h1><table><tr><th>Collection</th><td><a href=/parts/collections/profile_i.html>Profiles I</a></td></tr></table>", ""},
		{"a program that shows profiles", "<h1>Hives</h1><p>See <a href=/profile_view.php?id=4>Ann Writer</a>", "Ann Writer"},
		{"who comments in Chinese", "<h1>Hives</h1><div class=author>ann说道：</div>", ""},
		{"a number of readers", "<h1>Hives</h1><div class=author>40.5K Subscribers</div>", ""},
		{"a heading of a user's page", "<h1>ann</h1><div class=profile><h3>History</h3></div>", ""},
	} {
		if got := Purify([]byte(c.page), "text/html").Author; got != c.want {
			t.Errorf("%s: author is %q, want %q", c.name, got, c.want)
		}
	}
}

func TestALinkToAPersonIsABylineOnlyOnItsOwnAndOnTheSameSite(t *testing.T) {
	text := prose(1, 1, 9)[0]
	for _, c := range []struct{ name, page, want string }{
		{"alone", "<div><a href=/team/bo-keeper/>Bo Keeper</a></div><p>" + text, "Bo Keeper"},
		{"of another host of the site", "<div><a href=https://people.hive.example/author/bo/>Bo Keeper</a></div><p>" + text, "Bo Keeper"},
		{"in a text", "<p>The hive was built by the carpenter <a href=/team/bo-keeper/>Bo Keeper</a>. " + text, ""},
		{"of another site", "<li><a href=https://books.example/author/show/bo>Bo Keeper</a></li><p>" + text, ""},
		{"of another site behind a label", "<div>Geschrieben von <a href=https://archive.example/web/https://hive.example/author/bo/>Bo Keeper</a></div><p>" + text, "Bo Keeper"},
		{"of another site that is gone with its block", "<noscript><div>By <a href=https://books.example/author/bo/>Bo Keeper</a></div></noscript><div>Wax</div><p>" + text, ""},
		{"of another site by its host", "<p>Get it <a href=http://members.hive.example/~bo/wax.zip>Wax Tool</a></p><p>" + text, ""},
		{"of the page in another language", "<div><a href=/en/team/ann-writer/>In English</a></div><p>" + text, ""},
		{"of a person in another language", "<div><a href=/en/team/bo-keeper/>Bo Keeper</a></div><p>" + text, "Bo Keeper"},
		{"in a menu of the user", "<div role=navigation><ul><li id=pt-anonuserpage>Not logged in</li></ul></div><p>" + text, ""},
		{"words in quotes", `<p>By "old hive", do you mean "oak"</p><p>` + text, ""},
	} {
		page := "<title>Ann Writer</title><h1>Ann Writer</h1>" + c.page
		if got := PurifyAt("https://www.hive.example/team/ann-writer/", []byte(page), "text/html; charset=utf-8").Author; got != c.want {
			t.Errorf("a link %s: author is %q, want %q", c.name, got, c.want)
		}
	}
}
