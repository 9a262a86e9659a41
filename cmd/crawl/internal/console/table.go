package console

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// A Table aligns its columns, so it holds all rows until Flush. Listings that
// may be long have columns of fixed width instead.
type Table struct {
	w    *tabwriter.Writer
	head []string
	rows int
}

// NewTable returns a table with these heads of columns; without any it has rows alone.
func NewTable(w io.Writer, head ...string) *Table {
	return &Table{w: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0), head: head}
}

// Row adds a row, and the head before the first.
func (t *Table) Row(cells ...string) {
	if t.rows == 0 && len(t.head) > 0 {
		fmt.Fprintln(t.w, strings.Join(t.head, "\t"))
	}
	t.rows++
	fmt.Fprintln(t.w, strings.Join(cells, "\t"))
}

// Flush writes the table.
func (t *Table) Flush() error { return t.w.Flush() }
