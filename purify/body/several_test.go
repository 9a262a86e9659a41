package body

import "testing"

func TestAFolderNamedArchiveMakesNoList(t *testing.T) {
	for url, want := range map[string]bool{
		"https://h.example/archive/board/t39/post.html":   false,
		"https://h.example/archive/wayback/scrumbut.html": false,
		"https://h.example/archives/manual/ref/list.html": false,
		"https://h.example/archives/2016/12/":             true,
		"https://h.example/archives/category/bees/":       true,
		"https://h.example/archives/page/2":               true,
	} {
		if got := isListsURL(url); got != want {
			t.Errorf("isListsURL(%q) is %v, want %v", url, got, want)
		}
	}
}
