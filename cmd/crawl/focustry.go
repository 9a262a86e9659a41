package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/topics"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/crawl"
)

func newFocusTry() *cobra.Command {
	pages, show := int64(50), 30
	cmd := &cobra.Command{
		Use:   "try [URL...]",
		Short: "Crawl a few pages for a topic, and show what a crawl would do next",
		Long: `try fetches some pages for a topic as crawl run would. It prints these pages, the words
that the topic's model uses, and the first of the waiting links with the terms of their
scores. The pages are stored in a temporary folder, which is removed: to keep them, give
the same flags to crawl run. All settings of crawl run can be given.`,
		Example: `  crawl focus try --topic "grey heron" --contact me@example.org https://example.org/ --pages 50`,
		Args:    checkStarts,
	}
	given := newFlagged(cmd)
	cmd.Flags().Int64Var(&pages, "pages", pages, "fetch `N` pages")
	cmd.Flags().IntVar(&show, "show", show, "show the first `N` waiting links")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if pages < 1 || show < 0 {
			return cli.Usagef("--pages %d, --show %d: want at least 1 page, and 0 or more links", pages, show)
		}
		if err := addStarts(given, args); err != nil {
			return err
		}
		dir, err := os.MkdirTemp("", "crawl-try")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		j := &job{dir: dir + "/job", stdin: cmd.InOrStdin(), screen: console.NewScreen(cmd.ErrOrStderr())}
		if j.settings, err = given.Over(configs.Default()); err != nil {
			return err
		}
		if !j.settings.Focused() {
			return cli.Usagef("there is no topic to try: give --topic, --like or --topic-model")
		}
		j.settings.MaxPages = pages
		ctx, stop := cli.UntilInterrupt(cmd.Context(), j.screen, "stopping", func() { os.RemoveAll(dir) })
		defer stop()
		if _, err := j.run(ctx); err != nil {
			return err
		}
		return showTry(cmd, j.dir, show)
	}
	return cmd
}

// showTry prints what a few pages have brought, and what comes next.
func showTry(cmd *cobra.Command, dir string, show int) error {
	st, err := cli.OpenWhole(dir, "a topic")
	if err != nil {
		return err
	}
	defer st.Close() // it was opened to be read
	w := cmd.OutOrStdout()
	h := st.Totals().Harvest
	if h != nil {
		fmt.Fprintln(w, "harvest: "+topics.HarvestText(h))
	}
	j, err := topics.Of(dir)
	if err != nil {
		return err
	}
	state, err := crawl.TopicOf(dir, h)
	if err != nil {
		return err
	}
	for _, line := range topics.GapsText(state) {
		fmt.Fprintln(w, line)
	}
	if err := topics.ShowWords(w, j, 20); err != nil {
		return err
	}
	urls, err := st.Head(cmd.Context(), show)
	if err != nil {
		return err
	}
	if len(urls) == 0 {
		fmt.Fprintln(w, "no link is waiting: everything that the seeds lead to was fetched; --scope any lets the crawl leave their sites")
	}
	for i, url := range urls {
		why, err := st.Why(cmd.Context(), url)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%3d  %6.1f  %s\n", i+1, why.Score, url)
		for _, t := range why.Terms {
			fmt.Fprintf(w, "     %+6.1f  %s\n", t.Value, t.Why)
		}
	}
	return nil
}
