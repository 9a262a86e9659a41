package weburl_test

import (
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// Wanted is what Chromium makes of these links, but for the canonical form of the rest.
func TestAQueryIsInTheCharsetOfItsPage(t *testing.T) {
	for _, c := range []struct{ ref, charset, want string }{
		{"/新?q=中文&a=b", "gbk", "http://a.example/%E6%96%B0?q=%D6%D0%CE%C4&a=b"},
		{"?q=中文#中文", "gb2312", "http://a.example/?q=%D6%D0%CE%C4"},
		{"?q=𠮷é", "gbk", "http://a.example/?q=%26%23134071%3B%A8%A6"},
		{"?q=é㐂", "gb18030", "http://a.example/?q=%A8%A6%819%EF1"},
		{"?q=許功蓋", "big5", "http://a.example/?q=%B3\\%A5\\%BB\\"},
		{"?q=ソ", "shift_jis", "http://a.example/?q=%83\\"},
		{"?q=日本", "euc-jp", "http://a.example/?q=%C6%FC%CB%DC"},
		{"?q=테", "euc-kr", "http://a.example/?q=%C5%D7"},
		{"?q=привет", "windows-1251", "http://a.example/?q=%EF%F0%E8%E2%E5%F2"},
		{"?q=中€é", "windows-1252", "http://a.example/?q=%26%2320013%3B%80%E9"},
		{"?q=é%C3%A9", "iso-8859-1", "http://a.example/?q=%E9%C3%A9"},
		{"?q=é", "utf-8", "http://a.example/?q=%C3%A9"},
		{"?q=é", "utf-16le", "http://a.example/?q=%C3%A9"},
		{"?q=é", "", "http://a.example/?q=%C3%A9"},
		{"?q=é", "klingon", "http://a.example/?q=%C3%A9"},
		{"/é?a=b", "gbk", "http://a.example/%C3%A9?a=b"},
		{"/é#?é", "gbk", "http://a.example/%C3%A9"},
	} {
		u, err := parse(t, "http://a.example/").Parse(weburl.EncodeQuery(c.ref, c.charset))
		if err != nil || u.String() != c.want {
			t.Errorf("%s on a page in %q leads to %s, %v; want %s", c.ref, c.charset, u, err, c.want)
		}
	}
}
