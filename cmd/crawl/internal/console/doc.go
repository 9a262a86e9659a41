// Package console is the terminal that a command writes to: text without what would steer
// the terminal, lines of progress at its foot, tables, lines of JSON.
package console
