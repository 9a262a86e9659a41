// Package words cuts a text into words and finds out what the text is about: its keywords, the
// sentences that sum it up, and its language.
//
// Chinese, Japanese and Korean (CJK) are written without spaces. In these a word is a run of
// characters, and keywords are runs whose pairs of characters occur about equally often. How rare a
// word is comes from a table of common words or from a Collection. The language comes from the
// script of the letters, or from runs of three letters.
package words
