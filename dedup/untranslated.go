package dedup

import (
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// Untranslated reports whether a page is in the folder of a language that its text is not in, and another page
// of its host is the original: the URLs differ in nothing but that folder, which the original does not have
// ("/de/guide/", "/guide/"), or has with the name of the text's language ("/ar-MA/guide/", "/en-US/guide/").
// Sites have such pages until somebody translates them. The languages are those of the texts, as BCP 47 tags.
func Untranslated(url, language, original, of string) bool {
	language = primary(language)
	if language == "" || primary(of) != language {
		return false
	}
	u, err := weburl.Parse(url)
	if err != nil {
		return false
	}
	o, err := weburl.Parse(original)
	if err != nil || o.Host() != u.Host() || o.Query() != u.Query() {
		return false
	}
	in, at := strings.Split(u.Path(), "/"), strings.Split(o.Path(), "/")
	for i, folder := range in[:len(in)-1] {
		if i < len(at) && at[i] == folder {
			continue
		}
		named := folderLanguage(folder)
		return named != "" && named != language &&
			(slices.Equal(in[i+1:], at[i:]) || i < len(at) && folderLanguage(at[i]) == language && slices.Equal(in[i+1:], at[i+1:]))
	}
	return false
}

// inTwoLanguages reports whether the URLs of two pages differ in nothing but a folder, near their ends, that is named for a language.
func inTwoLanguages(x, y *Text) bool {
	in, at := strings.Split(x.folder, "/"), strings.Split(y.folder, "/")
	if x.Name != y.Name || len(in) != len(at) || x.folder == y.folder {
		return false
	}
	for i, folder := range in {
		if folder != at[i] && (folderLanguage(folder) == "" || folderLanguage(at[i]) == "") {
			return false
		}
	}
	return true
}

// primary returns the language of a tag, without region and script.
func primary(tag string) string {
	language, _, _ := strings.Cut(tag, "-")
	return strings.ToLower(language)
}

// folderLanguage returns the language that a folder may be named for: "de", "pt_BR" and "zh-Hant" are, "docs" and
// "v2" are not. It is "" if the folder has no such name.
func folderLanguage(folder string) string {
	name, rest, more := strings.Cut(strings.ReplaceAll(folder, "_", "-"), "-")
	if !letters(name) || len(name) != 2 || more && (!letters(rest) || len(rest) != 2 && len(rest) != 4) {
		return ""
	}
	return strings.ToLower(name)
}

func letters(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
