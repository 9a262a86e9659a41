// Package requisites finds what a page needs to be seen: the style sheets, pictures, scripts,
// fonts and icons that a browser asks for to show it.
//
// Of reads an HTML page, OfStyle a style sheet. Both return references as they are written, in
// their order and each once, for their caller to resolve; those that bring their bytes along
// (data:) are left out. What a page loads by its scripts is not found, nor frames, sounds and
// films: the former are pages of their own, the latter large.
package requisites
