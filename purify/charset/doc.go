// Package charset turns the bytes of a page into UTF-8.
//
// Decode goes by what the server and the page declare as far as the bytes agree with
// it, and guesses where they do not: UTF-8 first, then the multi-byte charsets of
// Chinese, Japanese and Korean, then charsets of one byte a character by the letters
// that they would give.
package charset
