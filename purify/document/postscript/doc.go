// Package postscript runs PostScript programs to get the text that they show.
//
// A program draws pages: where its words are, and in which order, is known only by running it
// (PostScript Language Reference, third edition). The interpreter has the language, and the
// matrices and fonts as far as they determine the position and width of characters, but draws
// nothing. Unknown operators are skipped. A program ends after maxSteps, or when it has made more
// than maxObjects objects; its caller must bound memory and time.
package postscript
