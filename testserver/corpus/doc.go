// Package corpus makes articles in English and Chinese from a seed.
//
// A Corpus has pools of sentences for each of its topics, with every word in place
// and only the facts (persons, places, numbers) open. A Text is an article, stored
// as the numbers that it is made from; Edited returns a version of it with some
// sentences changed. An RNG gives the random numbers, the same ones under every
// release of Go. Shingles and Jaccard measure how much two texts have in common.
//
// A text is the same bytes for the same seed. The package knows no markup, no URL
// and no page: Append writes a text with the Markup that it is given.
package corpus
