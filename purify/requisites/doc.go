// Package requisites finds the files that are needed to show a page: the style sheets, pictures,
// scripts, fonts and icons that a browser fetches for it.
//
// Of reads an HTML page, OfStyle a style sheet. Both return each reference once, as it is written
// and in order; the caller resolves it. Data URLs are left out. What the scripts of a page load is
// not found. Frames are left out because they are pages of their own, sounds and films because they
// are large.
package requisites
