// Package console writes to the terminal of a command: text without characters that would control
// the terminal, lines of progress at the bottom, tables, JSON lines.
package console
