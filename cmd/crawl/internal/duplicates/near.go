package duplicates

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/corpus/single"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

func newNear() *cobra.Command {
	var n nearness
	cmd := &cobra.Command{
		Use:   "near URL|FILE",
		Short: "List the kept pages that a page is a copy of",
		Long: `near asks the gate of a job which kept pages are near a page: those that it would be a
copy of if a crawl fetched it now. It works while a crawl runs, too. It prints them
nearest first: pages with the same bytes, then with the same body, then by how much of
the texts is the same. A page that the job has kept is not its own neighbour. A page with
fewer than 100 words outside links is compared with its links, as in a crawl, so that
another menu hides a copy of it; a page without text of its own is found by its bytes only.

With --apart it then lists pages that share half of their text with the page but are
other documents, the most similar first, each with the rule of the gate that tells the two
apart: titles may name two things, or too little of the texts may be the same. Pages that
the gate compares are listed, by SimHash, sketch and title, and of a page of the job those
that were found to have as much in common with it when the run ended (crawl parts). The exit
code still depends on pages that are near.

A URL that the job has visited is not fetched: what the job has kept of it is used, and for a
copy, the page that it is a copy of. If the visit brought no document, such as a page that
says noindex, the reason is said. Any other URL is fetched once, if its robots.txt
allows it. A FILE, or - for standard input, is read. The job does not change.

With --in the page is compared with the pages of WARC files, JSON lines, folders or jobs,
one after the other and without an index. A FILE is read as a page of the site there whose
template it has. With --method these pages, or all pages whose text the job has, are compared
by a published method (crawl methods), which learns from them what it needs, such as weights of words.

As with grep, the exit code is 1 if no page is near.`,
		Example: "  crawl near --job news https://example.org/2024/story.html\n" +
			"  crawl near --job news page.html --json | jq -r .url\n" +
			"  crawl near --in archive.warc.gz page.html\n" +
			"  crawl near --method docview:n=10 --in archive.warc.gz page.html",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return n.run(cmd, args[0]) },
	}
	n.Flags(cmd)
	n.ClusterFlags(cmd)
	n.method.flags(cmd)
	cmd.Flags().StringSliceVar(&n.in, "in", nil, "pages of these WARC files, JSON lines, folders or jobs `FILE,...`, in place of the gate of --job")
	cmd.Flags().IntVar(&n.limit, "limit", 0, "at most `N` pages, and with --apart as many other documents; 0 means no limit")
	cmd.Flags().BoolVar(&n.apart, "apart", false, "also list pages that resemble the page and are other documents, and why")
	cmd.Flags().StringVar(&n.contact, "contact", "", "contact for complaints, `URL|MAIL`, sent in the User-Agent; needed off loopback")
	return cmd
}

// A nearness has the flags of near.
type nearness struct {
	cli.Asker
	method  methodFlag
	in      []string
	limit   int
	apart   bool
	contact string
}

func (n *nearness) run(cmd *cobra.Command, arg string) error {
	switch {
	case n.Cluster.Given() && (n.method.name != "" || len(n.in) > 0):
		return cli.Usagef("--cluster goes with neither --method nor --in: export the job with crawl export --cluster, and give the file with --in")
	case len(n.in) > 0 && cmd.Flags().Changed("job"):
		return cli.Usagef("--job and --in: want one of them; --in takes the folders of jobs, too")
	case n.apart && n.method.name != "":
		return cli.Usagef("--apart names a rule of the gate, and a method has none: leave out --method")
	case n.method.name != "" || len(n.in) > 0:
		return n.nearBy(cmd, arg)
	case n.method.idf != "":
		return cli.Usagef("--idf is for --method: without one the gate is asked")
	case !n.Cluster.Given() && !crawl.Exists(n.Dir):
		err := cli.NoJob(n.Dir)
		if errors.Is(err, fs.ErrPermission) {
			return err
		}
		return fmt.Errorf("%w, or compare with files: crawl near --in FILE %s", err, arg)
	}
	if strings.Contains(arg, "://") {
		u, err := weburl.Parse(arg)
		if err != nil {
			return cli.Usagef("%w", err)
		}
		err = n.ask(cmd, arg, control.Question{Verb: "near", URL: u.String(), Limit: n.limit})
		if !errors.Is(err, gatecrawl.ErrUnknown) {
			return err
		}
		if err := n.mayFetch(cmd, u); err != nil {
			return err
		}
	}
	p, err := readPage(cmd, arg, n.contact)
	if err != nil {
		return err
	}
	asked, view, err := n.signAs(cmd.Context(), p)
	if err != nil {
		return err
	}
	if view.TextError != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: its text could not be read, so that only equal bytes are found: %s\n", arg, view.TextError)
	}
	marshalled, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	err = n.ask(cmd, arg, control.Question{Verb: "near", Page: string(marshalled), Limit: n.limit})
	if text := dedup.TextOf(view); errors.Is(err, errNoneNear) && text.Thin {
		return fmt.Errorf("%w: it has few words outside links, so that only a page with nearly the same links, or menus, is near it", err)
	}
	return err
}

// mayFetch says of a URL that the job has no document of why it is not fetched for the comparison: the job's visit, or a rule, has
// decided about it, or no contact is given.
func (n *nearness) mayFetch(cmd *cobra.Command, u weburl.URL) error {
	found := ""
	lines := cli.Asker{Dir: n.Dir, Cluster: n.Cluster}
	err := cli.Each(&lines, cmd, control.Question{Verb: "why", URL: u.String()}, func(y gatecrawl.Why) error {
		switch p := y.Page; {
		case y.State == "refused":
			return fmt.Errorf("%s has no document to compare: refused by rule %s: %s", u, y.Rule, y.Detail)
		case p != nil && !p.Document():
			return fmt.Errorf("%s has no document to compare: %s: %s", u, p.Verdict, p.Reason)
		case p != nil:
			found = fmt.Sprintf("nothing of %s is kept in %s", u, n.Dir)
		default:
			found = fmt.Sprintf("%s was not fetched so far", u)
		}
		return nil
	})
	if err != nil && !errors.Is(err, gatecrawl.ErrUnknown) {
		return err
	}
	err = cli.NeedContact(n.contact, u)
	if err != nil && found != "" {
		return cli.Usagef("%s; %w", found, err)
	}
	return err
}

// errNoneNear says that a job has no page near the one that was asked for.
var errNoneNear = errors.New("no kept page")

// readPage reads a file or fetches a page.
func readPage(cmd *cobra.Command, arg, contact string) (*single.Page, error) {
	p, err := cli.ReadSource(cmd, arg, contact)
	if err == nil && bytes.HasPrefix(p.Content, []byte("WARC/1.")) {
		return nil, fmt.Errorf("%s is a WARC file, not a page: crawl near --in %[1]s compares a page with those in it", arg)
	}
	return p, err
}

// ask prints the answer. An empty answer has an exit code of its own.
func (n *nearness) ask(cmd *cobra.Command, arg string, q control.Question) error {
	out, found := cmd.OutOrStdout(), 0
	if n.apart {
		q.Parts = control.PartApart
	}
	lines := cli.Asker{Dir: n.Dir, Cluster: n.Cluster} // each line is looked at
	err := cli.Each(&lines, cmd, q, func(m gatecrawl.Member) error {
		if m.Apart == "" {
			found++
		}
		switch {
		case n.AsJSON:
			return console.EncodeLine(out, m)
		case m.Apart != "":
			return tellApart(out, m.URL, m.Similarity, m.Apart)
		}
		_, err := fmt.Fprintf(out, "%s  (%s)\n", m.URL, cli.Likeness(m.Class, m.Level, m.Distance, m.Similarity))
		return err
	})
	switch {
	case err != nil || found > 0:
	case q.Page == "": // the job knows the page, perhaps as a kept page
		err = fmt.Errorf("no other kept page of %s is near %s", n.Dir, arg)
	default:
		err = fmt.Errorf("%w of %s is near %s", errNoneNear, n.Dir, arg)
	}
	return err
}

// tellApart prints a page that is another document by a rule.
func tellApart(out io.Writer, url string, similarity float64, by dedup.Rule) error {
	_, err := fmt.Fprintf(out, "%s  (another document, similarity %.2f: %s)\n", console.OneLine(url), similarity, by)
	return err
}

// signAs signs a page as the job signs its own, since signatures with other weights of words can't
// be compared. It also returns the page's view.
func (n *nearness) signAs(ctx context.Context, p *single.Page) (asked control.Page, view *purify.DocView, err error) {
	s, err := n.Settings(ctx)
	if err != nil {
		return asked, nil, fmt.Errorf("settings of the job: %w", err)
	}
	words, err := cli.OpenIDF(s.IDF)
	if err != nil {
		return asked, nil, fmt.Errorf("the job's table of words: %w", err)
	}
	if p.Reader, err = s.CrawlOptions().Reader(); err != nil {
		return asked, nil, fmt.Errorf("settings of the job: %w", err)
	}
	view = p.View()
	return control.Page{Sign: words.SignView(dedup.DigestOf(p.Content), view), View: page.PackView(view)}, view, nil
}
