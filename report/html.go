package report

import (
	"cmp"
	_ "embed" // for page.html
	"fmt"
	"html/template"
	"io"
	"reflect"
	"slices"
	"sync"

	"gatecrawl.example/gatecrawl/control/style"
)

//go:embed report.html
var pageText string

//go:embed report.css
var ownStyle string

// reportPage is read when the first page is written: each start of the command would pay for it.
var reportPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"num": style.Number, "bytes": style.Size, "clock": style.Clock, "plain": style.Plain,
		"share": func(x float64) string { return fmt.Sprintf("%.0f%%", 100*x) },
		"links": func(url string) bool { return len(url) < 2048 },
		"less":  func(a, b int64) int64 { return a - b },
		"int":   func(n int) int64 { return int64(n) },
		"slow":  slowest,
		"bar":   bar,
		"dict":  func(name string, all []Count) named { return named{name, top(all, 15)} },

		"cutHosts": func(hosts []Host, n int) []Host { return hosts[:min(len(hosts), n)] },
		"beyond":   func(have, n int) int64 { return int64(max(0, have-n)) },
		"pieces":   pieces,
		"table":    func(label string, rows any) table { return table{label, rows} },
	}).Parse(pageText)) // the template is embedded: it cannot fail at run time
})

// A view is what the template of the HTML page gets.
type view struct {
	*Report
	Rows  int // of each table
	Sheet template.CSS
}

// A named list of counts has a heading.
type named struct {
	Name   string
	Counts []Count
}

// WriteHTML writes a report as one HTML page, with at most the given number of rows for each list.
func (r *Report) WriteHTML(w io.Writer, rows int) error {
	return reportPage().Execute(w, view{r, rows, template.CSS(style.Sheet + ownStyle)})
}

// pieceRows is how many rows a table of the page has. The rest of a list is in further ones: a browser
// lays out those that are on the screen, but no part of a table without the others.
const pieceRows = 200

// pieces returns a slice in pieces.
func pieces(rows any) (all []any) {
	v := reflect.ValueOf(rows)
	for from := 0; from < v.Len(); from += pieceRows {
		all = append(all, v.Slice(from, min(from+pieceRows, v.Len())).Interface())
	}
	return all
}

// A table is a list's rows, and what they are called to those who do not see the page: each
// table of it something else.
type table struct {
	Label string
	Rows  any
}

// Cut returns the first rows of a list.
func (l List[T]) Cut(n int) []T { return l.Rows[:min(len(l.Rows), n)] }

// Beyond returns how many rows there are after the first n.
func (l List[T]) Beyond(n int) int64 { return max(0, l.Len()-int64(n)) }

// slowest returns the hosts with the longest response times.
func slowest(hosts []Host) []Host {
	all := slices.Clone(hosts)
	slices.SortStableFunc(all, func(a, b Host) int { return cmp.Compare(b.MeanMS, a.MeanMS) })
	return all[:min(len(all), 20)]
}

// bar draws a bar as long as the count's ratio to the largest count of the list.
func bar(c Count, all []Count) template.HTML {
	most := int64(1)
	for _, x := range all {
		most = max(most, x.N)
	}
	return template.HTML(fmt.Sprintf(`<span class="bar" style="width:%.1f%%"></span>`, 100*float64(c.N)/float64(most))) // safe: it contains a number only
}

// top returns at most n counts: the first of a list, and the sum of the rest as the last.
func top(all []Count, n int) []Count {
	if len(all) <= n {
		return all
	}
	rest := Count{Name: fmt.Sprintf("%d others", len(all)-n+1)}
	for _, c := range all[n-1:] {
		rest.N += c.N
	}
	return append(append([]Count(nil), all[:n-1]...), rest)
}
