package weburl

import "strings"

// IsEdition reports whether a segment of a path, without slashes, is a word that projects use for an edition of
// their site or manual, in place of a version's number: latest, stable, nightly.
func IsEdition(segment string) bool { return editions[strings.ToLower(segment)] }

var editions = map[string]bool{
	"latest": true, "stable": true, "current": true, "release": true, "main": true, "master": true, "trunk": true, "head": true,
	"dev": true, "devel": true, "develop": true, "development": true, "unstable": true, "testing": true, "nightly": true, "snapshot": true,
	"next": true, "edge": true, "beta": true, "alpha": true, "preview": true, "lts": true, "legacy": true, "old": true, "archive": true,
}
