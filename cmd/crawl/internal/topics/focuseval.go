package topics

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority/focus/replay"
)

func newFocusEval() *cobra.Command {
	dir, asJSON := cli.DefaultJob, false
	var truths []string
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Compare how a job found its topic with breadth first and the ideal order",
		Long: `eval compares the order of a job with two other orders over the job's own links: breadth
first, and the order of a crawl that knows which pages are on the topic. For each it prints
the share of the topic's pages among the first 5, 10 and 20% of all pages (r5, r10, r20), the
share of the first 100 and 200 pages that is on the topic (h100, h200), and the number of
pages after which a quarter of the topic's pages was found (t25), with 95% intervals.

The pages on the topic are listed in the file of --truth, one URL a line. Each further file
is another topic, and the figures are the means over all topics. Without --truth they are
the pages that the crawl itself rated at focus-threshold or above: then the figures say how
soon it found what it took for the topic. Pages that the job did not fetch do not count:
crawl a site to its end to measure on all of it. A job that has refused pages with --focus-keep
cannot be measured: the links of these pages are not stored.`,
		Example: "  crawl focus eval --job birds --truth birds.txt\n  crawl focus eval --job birds --truth owls.txt --truth herons.txt --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !crawl.Exists(dir) {
				return cli.NoJob(dir)
			}
			threshold := configs.Default().FocusThreshold
			if s, err := crawl.SavedSettings(dir); err == nil {
				threshold = s.FocusThreshold
			}
			var web replay.Web
			rated := make(map[string]bool)
			refused := 0
			err := cli.Client(dir).Rows(cmd.Context(), gatecrawl.Wanted{Links: true}, func(r *gatecrawl.Row) error {
				p := &r.Page
				if p.Status == 0 {
					return nil
				}
				if p.Rule == ruleTopic {
					refused++
				}
				if p.Verdict == page.VerdictNew && float64(p.Relevance) >= threshold {
					rated[p.URL] = true
				}
				var links []string
				for _, e := range r.Links {
					links = append(links, e.To)
				}
				if p.Location != "" {
					links = append(links, p.Location)
				}
				web.Add(p.URL, p.Depth == 0, links)
				return nil
			})
			if err != nil {
				return err
			}
			if refused > 0 {
				return fmt.Errorf("%s has refused %s off the topic (--focus-keep), whose links are not stored, so that no other order can be followed: to compare orders, crawl into another job without --focus-keep",
					dir, humanize.Many(refused, "page", "pages"))
			}
			topics := [][]bool{}
			if len(truths) == 0 {
				topic, n := web.Topic(func(url string) bool { return rated[url] })
				if n == 0 {
					return fmt.Errorf("no page of %s is rated %.2f or above: name the topic's pages with --truth FILE", dir, threshold)
				}
				topics = append(topics, topic)
			}
			for _, name := range truths {
				urls, err := readTruth(name)
				if err != nil {
					return err
				}
				topic, n := web.Topic(func(url string) bool { return urls[url] })
				if n == 0 {
					return fmt.Errorf("%s: the job has fetched none of its %s", name, humanize.Many(len(urls), "URL", "URLs"))
				}
				if n < len(urls) {
					fmt.Fprintf(cmd.ErrOrStderr(), "%s: the job has fetched %d of its %s\n", name, n, humanize.Many(len(urls), "URL", "URLs"))
				}
				topics = append(topics, topic)
			}
			return showReplay(cmd, &web, topics, asJSON)
		},
	}
	cmd.Flags().StringVar(&dir, "job", cli.DefaultJob, "the job's folder `DIR`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object an order")
	cmd.Flags().StringArrayVar(&truths, "truth", nil, "`FILE` with the URLs of the pages on the topic, one a line; may be given more than once, for several topics")
	return cmd
}

// ruleTopic is the rule of records of pages that are off the topic.
const ruleTopic = "topic"

// readTruth reads URLs, one a line. Empty lines and those that start with # are skipped.
func readTruth(name string) (map[string]bool, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	urls := make(map[string]bool)
	var faults []error
	for i, line := range strings.Split(string(b), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		u, err := weburl.Parse(line)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", name, i+1, err))
			continue
		}
		urls[u.String()] = true
	}
	if len(faults) == 0 && len(urls) == 0 {
		faults = append(faults, fmt.Errorf("%s: no URL: write one a line", name))
	}
	return urls, errors.Join(faults...)
}

// showReplay prints the figures of the three orders.
func showReplay(cmd *cobra.Command, web *replay.Web, topics [][]bool, asJSON bool) error {
	type row struct {
		Order string `json:"order"`
		replay.Marks
	}
	breadthFirst, stray := web.BreadthFirst()
	rows := []row{{Order: "this job"}, {Order: "breadth first"}, {Order: "ideal"}}
	var marks [3][]replay.Marks
	for _, topic := range topics {
		for i, o := range []replay.Order{web.Crawled(), breadthFirst, web.Ideal(topic)} {
			marks[i] = append(marks[i], o.Mark(topic))
		}
	}
	w := cmd.OutOrStdout()
	enc := json.NewEncoder(w)
	if !asJSON {
		sizes := make([]string, len(topics))
		for i, topic := range topics {
			n := 0
			for _, on := range topic {
				if on {
					n++
				}
			}
			sizes[i] = humanize.Count(n)
		}
		fmt.Fprintf(w, "%s, %s on the topic\n", humanize.Many(web.Len(), "page", "pages"), strings.Join(slices.Compact(sizes), ", "))
		fmt.Fprintf(w, "%-14s %-17s %-17s %-17s %-17s %-17s %s\n", "order", "r5", "r10", "r20", "h100", "h200", "t25")
	}
	for i := range rows {
		rows[i].Marks = replay.Mean(marks[i])
		if asJSON {
			if err := enc.Encode(rows[i]); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(w, "%-14s", rows[i].Order)
		for _, x := range []replay.Interval{rows[i].R5, rows[i].R10, rows[i].R20, rows[i].H100, rows[i].H200} {
			fmt.Fprintf(w, " %-17s", fmt.Sprintf("%.2f [%.2f,%.2f]", x.Share, x.Low, x.High))
		}
		fmt.Fprintf(w, " %.0f\n", rows[i].QuarterHad)
	}
	if stray > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "no link of a kept page leads to %s, which come last in the replayed orders\n", humanize.Many(stray, "page", "pages"))
	}
	return nil
}
