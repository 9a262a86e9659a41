package inspect

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/export/sheet"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/humanize"
)

// A listLine is the result for one line of a user's list.
type listLine struct {
	List  string `json:"list"`
	Line  int    `json:"line"`
	Input string `json:"input"` // as the user wrote it
	Same  string `json:"same_as,omitempty"`
	*control.Listed
	Fault string `json:"fault,omitempty"` // why the line is not a URL
}

// A lister prints the results for lists of URLs, line by line.
type lister struct {
	cli.Asker
	stdin  io.Reader
	column string
	head   func() // writes the header line, once
	put    func(*listLine) error

	first   map[string]string // the first line with a URL
	waiting []*listLine
	counts  map[string]int64
}

func newList() *cobra.Command {
	l := &lister{first: make(map[string]string), counts: make(map[string]int64)}
	cmd := &cobra.Command{
		Use:   "list FILE...",
		Short: "Print the result of each URL in a list",
		Long: `list reads lists of URLs and prints for each line, in the same order and with the URL as it
is written there, its result in the job: the verdict, the end of its redirects, and the
reason if there is no page. For a URL that was on an earlier line it prints the number of
that line. It reads the same lists as crawl run --seeds; - is standard input.

The output is CSV, or with --json one object a line. The totals go to stderr.`,
		Example: "  crawl list --job news list.txt > answers.csv\n  crawl list --job news list.csv --json | jq 'select(.verdict==\"failed\")'",
	}
	cmd.Args = cobra.MinimumNArgs(1)
	cmd.RunE = func(cmd *cobra.Command, files []string) error { return l.run(cmd, files) }
	l.Flags(cmd)
	cmd.Flags().StringVar(&l.column, "column", "", "`NAME` or number of the column of a CSV file that has the URLs")
	return cmd
}

func (l *lister) run(cmd *cobra.Command, files []string) error {
	l.stdin = cmd.InOrStdin()
	out := cmd.OutOrStdout()
	table := csv.NewWriter(out)
	if enc := json.NewEncoder(out); l.AsJSON {
		l.head = func() {}
		l.put = func(line *listLine) error { return enc.Encode(line) }
	} else {
		l.put = func(line *listLine) error { return table.Write(line.cells()) }
		l.head = sync.OnceFunc(func() {
			table.Write([]string{"list", "line", "input", "verdict", "status", "final", "of", "same_as", "reason"}) // Flush reports errors
		})
	}
	var err error
	for _, f := range files {
		if err == nil {
			err = l.file(cmd, f)
		}
	}
	table.Flush()
	if err = errors.Join(err, table.Error()); err != nil {
		return err
	}
	if len(l.counts) > 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), humanize.Counts(l.counts))
	}
	return nil
}

func (l *lister) file(cmd *cobra.Command, name string) error {
	if name == "-" {
		return l.read(cmd, l.stdin, "standard input")
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() // it was only read
	return l.read(cmd, f, name)
}

// read prints the results for a list.
func (l *lister) read(cmd *cobra.Command, r io.Reader, name string) error {
	const batch = 500 // URLs in a question
	for s, err := range crawl.SeedsIn(r, name, l.column) {
		line := &listLine{List: name, Line: s.Line, Input: s.Text}
		var bad *seeds.LineError
		switch {
		case errors.As(err, &bad):
			line.Line, line.Input, line.Fault = bad.Line, bad.Text, bad.Err.Error()
		case err != nil && len(l.waiting) == 0: // of a file that is no list there is nothing to answer
			return err
		case err != nil: // the list ends there
			return errors.Join(l.answer(cmd), err)
		default:
			line.Listed = &control.Listed{URL: s.URL.String()}
		}
		if l.waiting = append(l.waiting, line); len(l.waiting) == batch {
			if err := l.answer(cmd); err != nil {
				return err
			}
		}
	}
	return l.answer(cmd)
}

// answer asks about the buffered lines, and prints their results. For a list without a URL it only
// asks whether the job exists.
func (l *lister) answer(cmd *cobra.Command) error {
	var ask []string
	for _, line := range l.waiting {
		if line.Listed != nil {
			ask = append(ask, line.URL)
		}
	}
	var answers []control.Listed
	quiet := cli.Asker{Dir: l.Dir}
	err := cli.Each(&quiet, cmd, control.Question{Verb: "list", URL: strings.Join(ask, "\n")}, func(a control.Listed) error {
		answers = append(answers, a)
		return nil
	})
	if err == nil && len(answers) != len(ask) {
		err = control.ErrCutOff
	}
	if err != nil {
		return err
	}
	l.head()
	for _, line := range l.waiting {
		kind := "not a URL"
		if line.Listed != nil {
			line.Listed, answers = &answers[0], answers[1:]
			kind = line.kind()
			if at, ok := l.first[line.URL]; ok {
				line.Same = at
				l.counts["repeated"]++
			} else {
				l.first[line.URL] = fmt.Sprintf("line %d of %s", line.Line, line.List)
			}
		}
		l.counts[kind]++
		if err := l.put(line); err != nil {
			return err
		}
	}
	l.waiting = l.waiting[:0]
	return nil
}

// kind returns the total that a line counts for.
func (n *listLine) kind() string {
	if n.Verdict != "" {
		return string(n.Verdict)
	}
	return n.State
}

// cells returns the line's columns in CSV.
func (n *listLine) cells() []string {
	cells := []string{sheet.Text(n.List), strconv.Itoa(n.Line), sheet.Text(n.Input), "not a URL", "", "", "", sheet.Text(n.Same), sheet.Text(n.Fault)}
	if a := n.Listed; a != nil {
		status := ""
		if a.Status != 0 {
			status = strconv.Itoa(a.Status)
		}
		copy(cells[3:], []string{n.kind(), status, a.Final, a.Of})
		cells[8] = sheet.Text(a.Reason)
	}
	return cells
}
