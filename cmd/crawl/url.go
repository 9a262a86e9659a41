package main

import (
	"fmt"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

func newURL() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "url URL...",
		Short: "Print the canonical form and the key of URLs",
		Long: `url prints the canonical form of each URL, a tab, and its key. Two URLs with
one key are one page to a crawl. With - the URLs are read from standard
input, one a line.`,
		Example: "  crawl url 'HTTP://Example.ORG:80/a/../b?#top'\n  crawl url --json - < list.txt",
		Args:    cobra.MinimumNArgs(1),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		out, bad := cmd.OutOrStdout(), 0
		show := func(u weburl.URL) error {
			if !asJSON {
				_, err := fmt.Fprintf(out, "%s\t%s\n", u, u.Key())
				return err
			}
			return encodeLine(out, struct {
				URL string `json:"url"`
				Key string `json:"key"`
			}{u.String(), u.Key().String()})
		}
		for u, err := range urlsOf(args, cmd.InOrStdin()) {
			if err != nil {
				bad++
				fmt.Fprintln(cmd.ErrOrStderr(), err)
				continue
			}
			if err := show(u); err != nil {
				return err
			}
		}
		if bad > 0 {
			return silent(codeFailure)
		}
		return nil
	}
	return cmd
}

// urlsOf yields the URLs that were typed, and for - those on standard
// input.
func urlsOf(args []string, stdin io.Reader) iter.Seq2[weburl.URL, error] {
	return func(yield func(weburl.URL, error) bool) {
		for _, arg := range args {
			if arg != "-" {
				if !yield(seeds.Parse(arg)) {
					return
				}
				continue
			}
			for s, err := range seeds.Read(stdin, "standard input") {
				if !yield(s.URL, err) {
					return
				}
			}
		}
	}
}
