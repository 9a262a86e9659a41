package inspect

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/version"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/report"
)

func newReport() *cobra.Command {
	var a cli.Asker
	var html, dir string
	var rows int
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Write what a crawl found out about its sites, as a page, CSV or JSON",
		Long: `report tells what a crawl found out: pages by verdict, status, type, language, depth and
host; broken links with the pages that link there; redirects that lead on or in a
circle; documents at several URLs, and what differs; titles and descriptions that
several pages share; canonical links and translations that contradict what was found;
mirrors as groups; what was refused, and which hosts do not answer.

--html writes one page that needs nothing else, to be sent to somebody. --csv writes a
folder of tables, --json an object. It works while a crawl runs, too.`,
		Example: "  crawl report --job site --html report.html\n" +
			"  crawl report --job site --csv report/\n" +
			"  crawl report --job site --json | jq '.broken.rows[] | .url'",
		Args: cobra.NoArgs,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if html == "" && dir == "" && !a.AsJSON {
			return cli.Usagef("say what to write: --html FILE, --csv DIR or --json")
		}
		if html == "-" && a.AsJSON {
			return cli.Usagef("--html - and --json both go to standard output: name a file for the page")
		}
		if rows < 1 {
			return cli.Usagef("--rows: %d: want 1 or more", rows)
		}
		r, err := askReport(&a, cmd)
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		r.Software = "gatecrawl/" + version.Short()
		if err := writeReport(cmd, r, html, dir, rows); err != nil {
			return fmt.Errorf("report: %w", err)
		}
		if a.AsJSON {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(r)
		}
		return nil
	}
	a.Flags(cmd)
	a.ClusterFlags(cmd)
	cmd.Flags().StringVar(&html, "html", "", "write one page to the file `OUT`, - for standard output")
	cmd.Flags().StringVar(&dir, "csv", "", "write tables into the new folder `DIR`")
	cmd.Flags().IntVar(&rows, "rows", 1000, "at most `N` rows of each list on the page")
	return cmd
}

func askReport(a *cli.Asker, cmd *cobra.Command) (*report.Report, error) {
	answer, err := a.Ask(cmd.Context(), control.Question{Verb: "report"})
	if err != nil {
		return nil, err
	}
	defer answer.Close() // a job opened to be read has nothing to lose
	var r *report.Report
	_, err = control.Each(answer, func(one report.Report) error { r = &one; return nil })
	if err == nil && r == nil {
		err = control.ErrCutOff
	}
	return r, err
}

func writeReport(cmd *cobra.Command, r *report.Report, html, dir string, rows int) error {
	page := func(f io.Writer) error {
		w := bufio.NewWriter(f)
		if err := r.WriteHTML(w, rows); err != nil {
			return err // of a full disk Flush says the same again
		}
		return w.Flush()
	}
	switch html {
	case "":
	case "-":
		if err := page(cmd.OutOrStdout()); err != nil {
			return err
		}
	default:
		if err := cli.WriteFile(html, func(f *os.File) error { return page(f) }); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s\n", html)
	}
	if dir != "" {
		if err := r.WriteCSV(dir, console.Plain); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "wrote tables to %s\n", dir)
	}
	return nil
}
