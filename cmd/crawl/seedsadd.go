package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/humanize"
)

func newSeeds() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "seeds",
		Short:   "Add start URLs to a job",
		Example: "  crawl seeds add --job news https://example.org/",
	}
	cmd.AddCommand(newSeedsAdd())
	return cmd
}

func newSeedsAdd() *cobra.Command {
	var dir string
	var files []string
	var asJSON bool
	var at cli.Cluster
	cmd := &cobra.Command{
		Use:   "add [URL...]",
		Short: "Add start URLs to a job, whether it runs or not",
		Long: `seeds add queues URLs in a job as seeds, which widens its scope. A running crawl
takes them at once, a stopped one when it goes on. A URL that is already known is not
added again. Lists have the formats of crawl run --seeds: lines of URLs, with
label=WORD and priority=NUMBER after tabs, CSV, a sitemap or a feed, JSON lines, bookmarks,
OPML or a WARC file.`,
		Example: `  crawl seeds add --job news https://example.org/ example.net
  crawl seeds add --job news --seeds more.txt.gz
  grep -h '^http' *.txt | crawl seeds add --job news --seeds -`,
	}
	cmd.Flags().StringVar(&dir, "job", cli.DefaultJob, "the job's folder `DIR`")
	cmd.Flags().StringArrayVar(&files, "seeds", nil, "read URLs from `FILE`, or from - for standard input; may be given more than once")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	at.Flags(cmd)
	cmd.RunE = func(cmd *cobra.Command, urls []string) error {
		if len(urls)+len(files) == 0 {
			return cli.Usagef("no seeds: give URLs, or --seeds FILE")
		}
		if at.Given() {
			return addInCluster(cmd, &at, dir, urls, files)
		}
		if !crawl.Exists(dir) {
			return cli.NoJob(dir)
		}
		if err := needContact(dir, urls); err != nil {
			return err
		}
		a := &adding{dir: dir, screen: console.NewScreen(cmd.ErrOrStderr())}
		err := a.all(cmd.Context(), urls, files, cmd.InOrStdin())
		for _, fault := range a.sum.Faults {
			fmt.Fprintln(a.screen, fault)
		}
		if err != nil {
			return err
		}
		if asJSON {
			err = json.NewEncoder(cmd.OutOrStdout()).Encode(a.sum)
		} else {
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s added, %s bad\n", humanize.Many(a.sum.Added, "URL", "URLs"), humanize.Many(a.sum.Bad, "line", "lines"))
		}
		if err == nil && a.sum.Added == 0 && a.sum.Bad > 0 {
			return cli.Silent(cli.CodeFailure)
		}
		return err
	}
	return cmd
}

// needContact says how a job gets a contact, which it needs for a URL that was typed.
func needContact(dir string, urls []string) error {
	s, err := crawl.SavedSettings(dir)
	if err != nil || s.Contact != "" {
		return nil // damaged settings are told when the job is opened
	}
	for _, text := range urls {
		if u, err := seeds.Parse(text); err == nil && !u.Loopback() {
			return cli.Usagef("%s is not on this machine, and the job names no contact: crawl run --job %s --contact you@example.org says where its owner can reach you, and then takes seeds for other machines",
				u, cli.Quoted(dir))
		}
	}
	return nil
}

// An adding adds lists to one job.
type adding struct {
	dir    string
	screen *console.Screen
	sum    control.AddedSeeds
}

// all adds the URLs, then each list.
func (a *adding) all(ctx context.Context, urls, files []string, stdin io.Reader) error {
	for _, u := range urls {
		if _, err := seeds.Parse(u); err != nil {
			return cli.Usagef("%w", err)
		}
	}
	if len(urls) > 0 {
		if err := a.list(ctx, strings.NewReader(strings.Join(urls, "\n")), "command line"); err != nil {
			return err
		}
	}
	for _, name := range files {
		if name == "-" {
			if err := a.list(ctx, stdin, "standard input"); err != nil {
				return err
			}
			continue
		}
		if err := a.file(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (a *adding) file(ctx context.Context, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return cli.Usagef("--seeds: %w", err)
	}
	defer f.Close()
	return a.list(ctx, f, name)
}

// list hands a list to the crawl that works on the job, or adds it itself.
func (a *adding) list(ctx context.Context, r io.Reader, name string) error {
	came, err := cli.Client(a.dir).AddSeeds(ctx, r, name, func(list io.Reader) (control.AddedSeeds, error) {
		return a.stopped(ctx, list, name)
	})
	a.sum.Sum(came)
	return err
}

// stopped adds the list to a job that no crawl works on.
func (a *adding) stopped(ctx context.Context, r io.Reader, name string) (came control.AddedSeeds, err error) {
	came.Added, err = crawl.AddSeeds(ctx, a.dir, r, name, came.Fault)
	var setting *crawl.SettingError
	if errors.As(err, &setting) {
		return came, cli.Usagef("%w", err)
	}
	return came, err
}

// addSeeds returns what adds a list to the crawl that runs.
func addSeeds(c *crawl.Crawl) control.AddSeeds {
	return func(ctx context.Context, list io.Reader, name string) (came control.AddedSeeds, err error) {
		came.Added, err = c.AddSeeds(ctx, list, name, came.Fault)
		return came, err
	}
}
