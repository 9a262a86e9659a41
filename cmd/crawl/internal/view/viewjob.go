package view

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/corpus/single"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
)

// viewKept shows the stored data of a URL.
func viewKept(cmd *cobra.Command, a *cli.Asker, text string, asJSON bool, paint paintFlags, show func(v *purify.DocView, content []byte, contentType string) error) error {
	u, err := seeds.Parse(text)
	if err != nil {
		return cli.Usagef("%w", err)
	}
	if paint.out != "" {
		s, err := a.Settings(cmd.Context())
		if err != nil {
			return err
		}
		reader, err := s.CrawlOptions().Reader()
		if err != nil {
			return fmt.Errorf("settings of the job: %w", err)
		}
		return cli.Each(a, cmd, control.Question{Verb: "body", URL: u.String()}, func(b control.Body) error {
			tellCopy(cmd.ErrOrStderr(), b.URL, b.Copy)
			at, err := weburl.Parse(b.URL)
			if err != nil {
				return err
			}
			return paint.write(cmd.OutOrStdout(), &single.Page{URL: at, Content: b.Body, Type: b.Type, Reader: reader})
		})
	}
	return cli.Each(a, cmd, control.Question{Verb: "view", URL: u.String()}, func(v control.View) error {
		tellCopy(cmd.ErrOrStderr(), v.URL, v.Copy)
		v.DocView.Layout, _ = strconv.ParseUint(v.Layout, 16, 64) // "" is 0
		if asJSON && v.Copy != nil {
			return console.EncodeLine(cmd.OutOrStdout(), v)
		}
		var kept control.Body
		err := cli.Each(a, cmd, control.Question{Verb: "body", URL: u.String()}, func(b control.Body) error { kept = b; return nil })
		if err != nil && !errors.Is(err, gatecrawl.ErrUnknown) { // without its bytes the body has paragraphs only
			return err
		}
		return show(v.DocView, kept.Body, kept.Type)
	})
}

// tellCopy says that another page than the requested one is shown.
func tellCopy(w io.Writer, kept string, c *gatecrawl.Member) {
	if c != nil {
		fmt.Fprintf(w, "%s is a copy (%s); this is the kept page, %s\n", c.URL, cli.Likeness(c.Class, c.Level, c.Distance, c.Similarity), kept)
	}
}
