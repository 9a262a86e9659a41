package urls

import (
	"fmt"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

func newURL() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "url URL...",
		Short: "Print the canonical form and the key of URLs",
		Long: `url prints the canonical form of each URL, a tab, and its key. Two URLs with
one key are one page to a crawl. A seed is fetched as this says; of a link a
crawl also leaves out session ids and tracking parameters such as utm_source
(keep-sessions, keep-tracking). With - the URLs are read from standard input,
one a line.`,
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
			return console.EncodeLine(out, struct {
				URL string `json:"url"`
				Key string `json:"key"`
			}{u.String(), u.Key().String()})
		}
		for u, err := range cli.URLsOf(args, cmd.InOrStdin()) {
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
			return cli.Silent(cli.CodeFailure)
		}
		return nil
	}
	return cmd
}
