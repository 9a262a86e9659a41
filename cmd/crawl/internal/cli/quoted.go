package cli

import (
	"strings"
	"unicode"
)

// Quoted returns an argument as a POSIX shell reads it, so that a command in a message can be pasted:
// in quotes if it has a space or another character that means something to the shell.
func Quoted(arg string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-+=:,./@%", r)
	}
	if arg != "" && strings.TrimFunc(arg, plain) == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
