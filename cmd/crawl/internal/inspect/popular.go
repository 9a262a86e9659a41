package inspect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/humanize"
)

// A popular is a kept page that others carry too.
type popular struct {
	URL    string `json:"url"`
	Degree int    `json:"degree"` // other registrable domains with a copy
	Copies int    `json:"copies"`
}

func newPopular() *cobra.Command {
	var a cli.Asker
	limit := 100
	cmd := &cobra.Command{
		Use:   "popular",
		Short: "List the kept pages that most other domains have copies of",
		Long: `popular lists kept pages by their mirror degree, the number of other registrable
domains that carry a copy, the highest first; those of one degree by the number of
copies. The degree raises the pages that a page links to in the queue, and the page
itself in a re-crawl (priority-mirror); crawl fold --weight orders search results by it.`,
		Example: "  crawl popular --job news\n  crawl popular --job news --limit 0 --json > degrees.jsonl",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := mostPopular(&a, cmd, limit)
			if err != nil {
				return err
			}
			if len(list) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "no page has a copy on another domain")
				return nil
			}
			if a.AsJSON {
				enc := json.NewEncoder(cmd.OutOrStdout())
				for _, p := range list {
					if err := enc.Encode(p); err != nil {
						return err
					}
				}
				return nil
			}
			t := console.NewTable(cmd.OutOrStdout(), "domains", "copies", "page")
			for _, p := range list {
				t.Row(humanize.Count(p.Degree), humanize.Count(p.Copies), p.URL)
			}
			return t.Flush()
		},
	}
	a.Flags(cmd)
	a.ClusterFlags(cmd)
	cmd.Flags().IntVar(&limit, "limit", limit, "at most `N` pages; 0 means no limit")
	return cmd
}

// mostPopular returns the pages of the highest degrees, and no page without one. It holds
// twice as many as are asked for in memory.
func mostPopular(a *cli.Asker, cmd *cobra.Command, limit int) (list []popular, err error) {
	r, err := a.Ask(cmd.Context(), control.Question{Verb: "dups"})
	if err != nil {
		return nil, err
	}
	defer r.Close() // a job opened to be read has nothing to lose
	best := func() {
		slices.SortStableFunc(list, func(a, b popular) int {
			return cmp.Or(cmp.Compare(b.Degree, a.Degree), cmp.Compare(b.Copies, a.Copies))
		})
		if limit > 0 {
			list = list[:min(len(list), limit)]
		}
	}
	_, err = control.Each(r, func(g gatecrawl.Group) error {
		if g.Degree == 0 {
			return nil
		}
		list = append(list, popular{g.URL, g.Degree, len(g.Copies)})
		if limit > 0 && len(list) >= 2*limit {
			best()
		}
		return nil
	})
	best()
	return list, err
}
