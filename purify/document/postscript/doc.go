// Package postscript runs PostScript programs for the text that they show.
//
// A program draws pages: where its words stand, and in what order, is known only by running
// it (PostScript Language Reference, third edition). The interpreter here has the language, the
// matrices and the fonts as far as the place and the width of characters need them, and draws
// nothing. What it does not know is passed over. A program ends after maxSteps, and when more
// objects than maxObjects were made; its caller bounds memory and time.
package postscript
