// Package dustsites makes sites that serve one page under many URLs, and sites that only seem to.
//
// DUST is the field's word: different URLs with similar text (Bar-Yossef, Keidar and Schonfeld
// 2007). A Site gives its articles more URLs by the given Patterns, some of which are traps for a
// learner. A Manual has ten languages in which untranslated pages repeat the English text. Document
// says which text a URL serves, so that a learned rule can be checked against the truth.
package dustsites
