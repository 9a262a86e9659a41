package dedup

import "testing"

// The end of a URL in ASCII may have the name of a title in another language, or spell it in a way that its letters do not
// tell: tokyo is 東京.
func TestTitlesInOtherLettersNameTwoWhereURLsTranslateThem(t *testing.T) {
	page := pagesThatName(14)
	of := func(address, title, line string) *Text {
		x := page("http://a.example"+address, title, line, "so")
		x.named = true
		return x
	}
	const first, second = "It is open until noon", "It is open until one"
	for _, c := range []struct {
		what                       string
		a, title, b, another, last string
		same                       bool
	}{
		{"Chinese", "/beijing.html", "北京分公司简介", "/shanghai.html", "上海分公司简介", second, false},
		{"Japanese", "/tokyo/", "会議の議事録 東京支社", "/osaka/", "会議の議事録 大阪支社", second, false},
		{"Arabic", "/cairo.html", "تقرير الاجتماع القاهرة", "/baghdad.html", "تقرير الاجتماع بغداد", second, false},
		{"Hebrew", "/london", "דוח ישיבה לונדון", "/paris", "דוח ישיבה פריז", second, false},
		{"Thai", "/chiangmai", "รายงานการประชุม เชียงใหม่", "/phuket", "รายงานการประชุม ภูเก็ต", second, false},
		{"Korean", "/korea", "한국 지사 회의록", "/china", "중국 지사 회의록", second, false},
		{"Russian", "/vienna", "Отчёт собрания Вена", "/prague", "Отчёт собрания Прага", second, false},
		{"a word more", "/matches-regex/", "正则表达式[匹配]检查", "/matches-not-regex/", "正则表达式[不匹配]检查", second, false},

		{"equal texts", "/beijing.html", "北京分公司简介", "/shanghai.html", "上海分公司简介", first, true},
		{"one title", "/beijing.html", "分公司简介", "/shanghai.html", "分公司简介", second, true},
		{"one end of the URLs", "/beijing/office.html", "北京分公司简介", "/shanghai/office.html", "上海分公司简介", second, true},
		{"keys of pages", "/485b6c50.html", "北京分公司简介", "/d7b1caee.html", "上海分公司简介", second, true},
		{"codes of languages", "/office-cn.html", "北京分公司简介", "/office-tw.html", "上海分公司简介", second, true},
		{"editions", "/office-stable.html", "北京分公司简介", "/office-latest.html", "上海分公司简介", second, true},
		{"the name of the site", "/about.html", "分公司简介 - 北方网", "/company.html", "分公司简介", second, true},
		{"a page of a list", "/news.html", "分公司简介新闻 第1页", "/more.html", "分公司简介新闻 第2页", second, true},
		{"a page of a list in words", "/news.html", "分公司简介新闻 第一页", "/more.html", "分公司简介新闻 第二页", second, true},
		{"simplified and traditional", "/about.html", "公司简介与发展历史的说明", "/company.html", "公司簡介与发展历史的说明", second, true},
	} {
		a, b := of(c.a, c.title, first), of(c.b, c.another, c.last)
		if j, same := one(a, b); same != c.same || j < ruling().Resemblance {
			t.Errorf("%s: one %v, resemblance %.2f", c.what, same, j)
		}
		if j, same := one(b, a); same != c.same {
			t.Errorf("%s, the other way: one %v, resemblance %.2f", c.what, same, j)
		}
	}
}

// Two tags may be translations of two names, and list the same.
func TestListsOfTheSameAreOneWhateverTheirTitlesInOtherLetters(t *testing.T) {
	page := pagesThatName(15)
	list := func(address, title, line string) *Text {
		x := page("http://a.example"+address, title, line, "so")
		x.Thin, x.fixed, x.listing = true, true, true
		return x
	}
	if j, same := one(list("/tags/boats", "标签：小船", "First of all"), list("/categories/water", "分类：水上", "First of these")); !same {
		t.Errorf("a tag and a category with the same links are two (%.2f)", j)
	}
}
