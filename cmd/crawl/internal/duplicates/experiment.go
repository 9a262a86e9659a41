package duplicates

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/corpus/experiment"
	"gatecrawl.example/gatecrawl/corpus/labelled"
	"gatecrawl.example/gatecrawl/humanize"
)

// experimentOn runs one of the articles' experiments.
func (e *evalCommand) experimentOn(cmd *cobra.Command, names []string) error {
	if e.Raw && e.experiment == "purify" {
		return cli.Usagef("--raw: purify is the experiment that compares both")
	}
	switch flags := cmd.Flags(); {
	case e.sweep && e.experiment != "docview":
		return cli.Usagef("--sweep: docview is the experiment that has other constants to try")
	case e.size != 0 && e.experiment != "tables":
		return cli.Usagef("--size: tables is the experiment that takes random fingerprints")
	case flags.Changed("methods"):
		return cli.Usagef("--methods: an experiment has methods of its own: want one of the two")
	case e.plot != "":
		return cli.Usagef("--plot: an experiment has tables of its own: want one of the two")
	}
	progress := func(string) {}
	if console.OnTerminal(cmd.ErrOrStderr()) {
		progress = func(what string) { fmt.Fprintf(cmd.ErrOrStderr(), "%s ...\n", what) }
	}
	r, err := experiment.Run(e.experiment, experiment.Options{
		Options: e.Options, Names: names, Stdin: cmd.InOrStdin(), Sweep: e.sweep, Size: e.size, Progress: progress,
	})
	var use *labelled.UseError
	switch {
	case errors.As(err, &use):
		return cli.Usagef("%w", err)
	case err != nil:
		return err
	case e.asJSON:
		return console.EncodeLine(cmd.OutOrStdout(), r)
	}
	return showExperiment(cmd.OutOrStdout(), r)
}

func showExperiment(w io.Writer, r *experiment.Report) error {
	fmt.Fprintf(w, "%s: %s\nof: %s\n", r.Name, r.Asks, r.Article)
	if r.Truth != "" {
		fmt.Fprintf(w, "%s; truth: %s\n", humanize.Many(r.Pages, "page", "pages"), r.Truth)
	}
	for _, t := range r.Tables {
		fmt.Fprintf(w, "\n%s\n", t.Title)
		table := console.NewTable(w, t.Head...)
		for _, row := range t.Rows {
			table.Row(row...)
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	if len(r.Remarks) > 0 {
		fmt.Fprintln(w)
	}
	for _, remark := range r.Remarks {
		if _, err := fmt.Fprintf(w, "- %s\n", remark); err != nil {
			return err
		}
	}
	return nil
}

// listExperiments prints what there is.
func listExperiments(w io.Writer, asJSON bool) error {
	for _, x := range experiment.All() {
		var err error
		if asJSON {
			err = console.EncodeLine(w, struct {
				Name    string `json:"name"`
				Article string `json:"article"`
				Asks    string `json:"asks"`
			}{x.Name, x.Article, x.Asks})
		} else {
			_, err = fmt.Fprintf(w, "%-9s %s\n          %s\n", x.Name, x.Asks, x.Article)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
