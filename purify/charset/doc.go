// Package charset turns the bytes of a page into UTF-8.
//
// Decode follows the declarations of the server and the page as far as the bytes agree with
// them, and guesses otherwise: UTF-8 first, then the multi-byte charsets of Chinese, Japanese
// and Korean, then charsets of one byte a character by the letters that they would give.
package charset
