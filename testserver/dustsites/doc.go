// Package dustsites makes sites that serve one page under many URLs, and sites that
// only look as if they did.
//
// DUST is the field's word: different URLs with similar text (Bar-Yossef, Keidar and
// Schonfeld 2007). A Site gives its articles more URLs by the Patterns that it is told
// to use, some of them traps for a learner. A Manual has ten languages in which
// untranslated pages repeat the English text. Document says which text a URL serves,
// so that a learned rule can be checked against the truth.
package dustsites
