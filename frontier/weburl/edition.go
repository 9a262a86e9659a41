package weburl

import "strings"

// IsEdition reports whether a segment of a path, without slashes, is a word that projects use for an edition of
// their site or manual, in place of a version's number: latest, stable, nightly.
func IsEdition(segment string) bool { return editions[strings.ToLower(segment)] }

// IsVersion reports whether the name of a folder in a path is that of a version or an edition: 1.6, v2, 3.x, release-2.0,
// latest. A number alone may be a page of a list, and 2016.07 a month.
func IsVersion(folder string) bool {
	if IsEdition(folder) {
		return true
	}
	name, prefixed := strings.ToLower(folder), false
	for _, prefix := range [...]string{"release", "version", "v"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			name, prefixed = strings.TrimLeft(rest, "-_."), true
			break
		}
	}
	rest := strings.TrimLeft(name, "0123456789")
	number := name[:len(name)-len(rest)]
	switch {
	case number == "" || len(number) == 4 && (number[:2] == "19" || number[:2] == "20"):
		return false
	case rest == "":
		return prefixed && len(number) < 4
	}
	return rest[0] == '.' && len(rest) > 1
}

// CutVersions returns the path and the query of a URL with a sign in place of each folder that is a version, and
// without the name of an index page, and these folders; "" for both if no folder is one.
func CutVersions(url string) (place, versions string) {
	_, rest, _ := strings.Cut(url, "://")
	rest, _, _ = strings.Cut(rest, "#")
	path, query, _ := strings.Cut(rest, "?")
	_, path, _ = strings.Cut(path, "/")
	segments := strings.Split(WithoutIndex(path), "/")
	for i, s := range segments[:len(segments)-1] {
		if IsVersion(s) {
			segments[i], versions = "*", versions+s+"/"
		}
	}
	if versions == "" {
		return "", ""
	}
	return strings.Join(segments, "/") + "?" + query, versions
}

var editions = map[string]bool{
	"latest": true, "stable": true, "current": true, "release": true, "main": true, "master": true, "trunk": true, "head": true,
	"dev": true, "devel": true, "develop": true, "development": true, "unstable": true, "testing": true, "nightly": true, "snapshot": true,
	"next": true, "edge": true, "beta": true, "alpha": true, "preview": true, "lts": true, "legacy": true, "old": true, "archive": true,
}
