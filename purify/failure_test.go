package purify

import (
	"strings"
	"testing"
)

// A server that shows its errors writes them into the text of a page: all posts with one fault would have one body.
func TestAMessageOfPHPIsNoPartOfAPage(t *testing.T) {
	page := func(text string) string {
		return `<html lang="ja"><head><title>巣箱の冬支度</title></head><body><h1>巣箱の冬支度</h1><div class="post__content"><p>巣箱を藁で包み、入り口を狭くして、冬の風を防ぐ。</p>` + text + `<p>春になったら藁を外して、蜂の数を確かめる。</p></div></body></html>`
	}
	clean := PurifyAt("https://h.example/2019/03/23/hive/", []byte(page("")), "text/html; charset=utf-8")
	for _, message := range []string{
		"<br />\n<b>Fatal error</b>:  Uncaught Error: Call to undefined function hum() in /srv/www/hive.php:12\nStack trace:\n#0 /srv/www/bee.php(8): hum('x')\n#1 {main}\n  thrown in <b>/srv/www/hive.php</b> on line <b>12</b><br />\n",
		"<br />\n<b>Warning</b>:  Undefined variable $bee in <b>/srv/www/hive.php</b> on line <b>3</b><br />\n<br />\n<b>Notice</b>:  Undefined index: bee in <b>/srv/www/hive.php</b> on line <b>4</b><br />\n",
		"<br />\n<b>Deprecated</b>:  Function hum() is deprecated in <b>/srv/www/hive.php</b> on line <b>3</b><br />\n",
	} {
		v := PurifyAt("https://h.example/2019/03/23/hive/", []byte(page(message)), "text/html; charset=utf-8")
		if v.Body != clean.Body || v.Lang != "ja" || len(v.Blocks) != len(clean.Blocks) {
			t.Errorf("with %q: language %q, %d blocks, body\n%s\nwant ja, %d blocks, body\n%s", message, v.Lang, len(v.Blocks), v.Body, len(clean.Blocks), clean.Body)
		}
	}
	const quoted = "<p>It says: <b>Warning</b>: Undefined variable $bee in <b>/srv/www/hive.php</b> on line 3, and I do not know what that means for my hive.</p>"
	if v := Purify([]byte(page(quoted)), "text/html; charset=utf-8"); !strings.Contains(v.Body, "Undefined variable") {
		t.Errorf("what somebody writes about a message is left out:\n%s", v.Body)
	}
}
