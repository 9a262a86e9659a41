package duplicates

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

func newIDF() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "idf",
		Short:   "Make a table of word frequencies for later crawls",
		Example: "  crawl idf build --job news -o news.idf\n  crawl run --job more --idf news.idf ...",
	}
	cmd.AddCommand(newIDFBuild())
	return cmd
}

func newIDFBuild() *cobra.Command {
	var a cli.Asker
	out := ""
	cmd := &cobra.Command{
		Use:   "build [FILE|DIR...] -o FILE",
		Short: "Count the words of a job's kept pages, or of your own pages",
		Long: `build counts in how many kept pages of a job each word occurs, and writes a table
that a crawl with --idf FILE weighs words by: words that are on every page weigh least.
Signatures made with two tables cannot be compared, so a job always uses the table that
it was started with; the table does not change when the job that it was made from goes on.

With a FILE or DIR the words of these pages are counted, which are read as crawl dedup
reads them, copies once. crawl dedup --method needs such a table to sign a collection in shares.

Without a table a word weighs as much as it is frequent on its page. That finds more
copies on the pages of one site, see docs/measurements-gate.md; a table is for
collections in which most words of most pages belong to a template.`,
		Example: "  crawl idf build --job news -o news.idf\n" +
			"  crawl idf build part1.warc.gz part2.warc.gz -o all.idf",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case out == "":
				return cli.Usagef("-o: want the name of the table to write")
			case len(args) > 0 && cmd.Flags().Changed("job"):
				return cli.Usagef("--job: want it without names of files, or name the job's folder among them")
			}
			words, faults, err := countWords(cmd, &a, args)
			if err != nil {
				return err
			}
			t, err := writeIDF(words, out)
			if err != nil {
				return fmt.Errorf("%s: %w", out, err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "table %s: %s of %s\n", t.Version(), humanize.Many(t.Words(), "word", "words"), humanize.Many(t.Pages(), "page", "pages"))
			if err == nil && faults > 0 {
				return cli.Silent(cli.CodeFailure)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&a.Dir, "job", cli.DefaultJob, "the job's folder `DIR`")
	cmd.Flags().StringVarP(&out, "out", "o", "", "write the table to `FILE`")
	return cmd
}

// countWords counts the words of a job's kept pages, or of the pages in files and folders that are
// not copies, and how much of these could not be read.
func countWords(cmd *cobra.Command, a *cli.Asker, names []string) (words *dedup.IDFCount, faults int64, err error) {
	words = new(dedup.IDFCount)
	if len(names) == 0 {
		return words, 0, cli.Each(a, cmd, control.Question{Verb: "views"}, func(v purify.DocView) error {
			words.Add(v.Body)
			return nil
		})
	}
	came, err := eachDocument(cmd, names, configs.Default(), dedup.ModeMark, func(r *corpus.Result, text *dedup.Text, _ *purify.DocView) error {
		if r.Record.Verdict == page.VerdictNew {
			words.Add(text.Body)
		}
		return nil
	})
	return words, came.Faults, err
}

// writeIDF writes a table and reads it back before it gets its name.
func writeIDF(c *dedup.IDFCount, name string) (t *dedup.IDF, err error) {
	err = cli.WriteFile(name, func(f *os.File) error {
		if _, err := c.Write(f); err != nil {
			return err
		}
		t, err = cli.OpenIDF(f.Name())
		return err
	})
	return t, err
}
