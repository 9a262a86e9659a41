package corpus

import (
	"path/filepath"
	"slices"
	"testing"
)

// A folder may be named by a path of any length, and what its own folders repeat is learned as
// if it were a host: otherwise the folders that lead there are those that are learned.
func TestTheFoldersOfAFileAreThoseBelowTheArgument(t *testing.T) {
	for _, c := range []struct {
		site, url string
		want      []string
		itself    bool
	}{
		{"docs.example", "http://docs.example/v1/en/a.html", []string{"v1/", "v1/en/"}, false},
		{filepath.FromSlash("/srv/www/docs"), "/srv/www/docs/v1/en/a.html", []string{"v1/", "v1/en/"}, false},
		{filepath.FromSlash("www/docs/"), "www/docs/v1/en/deep/a.html", []string{"v1/", "v1/en/"}, false},
		{filepath.FromSlash("../docs"), "../docs/v1/a.html", []string{"v1/"}, false},
		{".", "v1/en/a.html", []string{"v1/", "v1/en/"}, false},
		{filepath.FromSlash("/srv/www/docs/pages.jsonl"), "/srv/www/docs/pages.jsonl:12", nil, false},
	} {
		places, itself := placesOf(c.site, c.url)
		var folders []string
		for _, p := range places[1:] {
			folders = append(folders, p.folder)
		}
		if places[0] != (sitePlace{site: c.site}) || itself != c.itself {
			t.Errorf("%s in %s: the site is %+v, itself %v", c.url, c.site, places[0], itself)
		}
		if !slices.Equal(folders, c.want) {
			t.Errorf("%s in %s has the folders %q, want %q", c.url, c.site, folders, c.want)
		}
	}
}
