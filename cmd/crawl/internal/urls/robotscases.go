package urls

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/fetch/robots"
)

// answerCases answers each line of a file, or of standard input, in order. The
// first bad line ends it.
func (q *robotsQuestion) answerCases(cmd *cobra.Command, args []string, out io.Writer) error {
	switch {
	case len(args) > 1:
		return cli.Usagef("--tsv reads one FILE, or standard input")
	case q.asJSON:
		return cli.Usagef("--tsv prints 1 or 0 a line, so it does not go with --json")
	case cmd.Flags().Changed("agent"):
		return cli.Usagef("--tsv has the product token in each line, so it does not go with --agent")
	case len(args) == 0:
		args = []string{"-"}
	}
	r, name, err := corpus.Open(args[0], cmd.InOrStdin())
	if err != nil {
		return err
	}
	defer r.Close()
	for l, err := range corpus.WholeLines(r) {
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if bytes.HasPrefix(l.Text, []byte("#")) {
			continue
		}
		answer, err := answerCase(l.Text)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, l.N, err)
		}
		if _, err := out.Write(answer); err != nil {
			return err
		}
	}
	return nil
}

// answerCase returns "1\n" if the case is allowed and "0\n" if it is not.
func answerCase(line []byte) ([]byte, error) {
	fields := bytes.Split(line, []byte("\t"))
	if len(fields) != 3 {
		return nil, fmt.Errorf("the line has %d fields: want product token, URL and robots.txt, each in hexadecimal, with tabs between them", len(fields))
	}
	var text [3][]byte
	for i, name := range []string{"product token", "URL", "robots.txt"} {
		text[i] = make([]byte, hex.DecodedLen(len(fields[i])))
		if _, err := hex.Decode(text[i], fields[i]); err != nil {
			return nil, fmt.Errorf("the %s is not in hexadecimal: %w", name, err)
		}
	}
	rules := robots.Parse(text[2])
	if rules.CheckRaw(robots.ProductToken(string(text[0])), string(text[1])).Allowed {
		return []byte("1\n"), nil
	}
	return []byte("0\n"), nil
}
