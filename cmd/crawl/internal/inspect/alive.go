package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/version"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/mirror/linkrot"
)

func newAlive() *cobra.Command {
	var a seeker
	var contact, list string
	var delay time.Duration
	cmd := &cobra.Command{
		Use:   "alive [URL...]",
		Short: "Find live copies of dead links",
		Long: `alive looks for a live copy of each URL that the job has met: at the URL itself and
where it redirects to; then, as far as the job knows them, at copies of the page (those
with the same bytes first, then the most similar; one of each host comes before further ones), where other pages of
its folder moved to, on mirrors and other versions of its site, among pages of the site
with nearly the same body or the same title, and next to it in lists of many pages. At most
ten of these are requested, if their robots.txt allows it, with a delay between requests to
one host. The answer is the first page that is the same as what is kept of the lost one,
or an edited version of it. Where there is none, a page at such a place with the title of the lost one and 30% or
more of its own lines (those that other pages of its site do not have) is the answer, and called altered.

A line has the lost page, the live one, how it was found, and how much they differ: by how
many of 64 bits their SimHashes differ, and how much of the text is the same by estimate.
Of a page that was discarded as a near copy no text is kept. What is compared then is the
page that it was a copy of, and the line says so, with how much the two resembled each other;
if that page itself is the answer and has not changed, the line has only this.
Where the job has not kept the text of a page, only a redirect is an answer, since nothing
else can be checked.

--urls takes a list of any length, one URL a line; empty lines and lines that start with #
are skipped.

The exit code is 1 if any URL has no live copy.`,
		Example: "  crawl alive --job news https://example.org/2019/story.html\n" +
			"  crawl alive --job news --json --urls dead.txt | jq -r 'select(.alive) | [.url, .alive] | @tsv'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && list == "" {
				return cli.Usagef("no URL is given: name some, or a list with --urls FILE")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if delay < 0 {
				return cli.Usagef("--delay: %v: want 0 or more", delay)
			}
			if err := a.prepare(cmd.Context(), contact, delay); err != nil {
				return err
			}
			defer a.close()
			for _, arg := range args {
				u, err := seeds.Parse(arg)
				if err == nil {
					err = a.may(u)
				}
				if err != nil {
					return cli.Usagef("%w", err)
				}
				a.batch = append(a.batch, u)
			}
			if err := a.runList(cmd, list); err != nil {
				return err
			}
			return a.end(cmd)
		},
	}
	a.Flags(cmd)
	a.ClusterFlags(cmd)
	cmd.Flags().StringVar(&list, "urls", "", "read URLs from `FILE`, or from - for standard input")
	cmd.Flags().StringVar(&contact, "contact", "", "contact for complaints, `URL|MAIL`, sent in the User-Agent; needed off loopback; default: that of the job")
	cli.TimeVar(cmd.Flags(), &delay, "delay", time.Second, "`TIME` between two requests to one host; robots.txt may ask for more")
	return cmd
}

// A seeker asks for candidates, one after another.
type seeker struct {
	cli.Asker
	client   *fetch.Client
	settings configs.Settings
	delay    time.Duration

	batch  []weburl.URL // that the job was not asked about yet
	lost   int          // pages without an answer
	faults error        // lines and URLs that are of no use
}

// prepare makes the search ready. The contact for site owners is the job's, unless another is given.
func (a *seeker) prepare(ctx context.Context, contact string, delay time.Duration) error {
	s, err := a.Settings(ctx)
	if err != nil && a.Cluster.Given() {
		return err
	}
	if err != nil {
		s = configs.Default() // its manners are the careful ones
	}
	if contact != "" {
		s.Contact = contact
	}
	if err := s.Validate(); err != nil {
		return cli.Usagef("%w", err)
	}
	a.settings, a.delay = s, delay
	return a.ready()
}

// ready makes a client as the settings say.
func (a *seeker) ready() (err error) {
	a.client, err = fetch.NewClient(fetch.ClientOptions{
		Fetch: a.settings.FetchOptions(version.Short()), Anonymous: a.settings.Contact == "", Delay: a.delay,
	})
	return err
}

func (a *seeker) close() { a.client.Close() }

// may reports in an error what is missing for a URL to be asked for.
func (a *seeker) may(u weburl.URL) error {
	if err := cli.NeedContact(a.settings.Contact, u); err != nil {
		return err
	}
	if !u.Loopback() || a.settings.AllowLoopback {
		return nil
	}
	a.settings.AllowLoopback = true
	a.close()
	return a.ready()
}

// aliveAtOnce is how many URLs the job is asked about in one question. While the sites are
// asked the job is not held open.
const aliveAtOnce = 200

// runList searches for the pages of a list, "" for none. Bad lines are reported at the end.
func (a *seeker) runList(cmd *cobra.Command, name string) error {
	in := cmd.InOrStdin()
	switch name {
	case "":
		return nil
	case "-":
		name = "standard input"
	default:
		f, err := os.Open(name)
		if err != nil {
			return cli.Usagef("--urls: %w", err)
		}
		defer f.Close()
		in = f
	}
	for s, err := range seeds.Read(in, name) {
		if err == nil {
			err = a.may(s.URL)
		}
		var bad *seeds.LineError
		if errors.As(err, &bad) {
			a.faults = errors.Join(a.faults, err)
			continue
		}
		if err != nil { // the list ends there
			return errors.Join(a.flush(cmd), err)
		}
		if a.batch = append(a.batch, s.URL); len(a.batch) < aliveAtOnce {
			continue
		}
		if err := a.flush(cmd); err != nil {
			return err
		}
	}
	return nil
}

// flush answers for what is in the batch.
func (a *seeker) flush(cmd *cobra.Command) error {
	answers, err := a.lookUp(cmd, a.batch)
	a.batch = a.batch[:0]
	if err != nil {
		return err
	}
	for _, l := range answers {
		if l.Unknown {
			a.faults = errors.Join(a.faults, fmt.Errorf("%s: the job %s never met it: give a URL that crawl why --job %s knows", l.URL, a.Dir, cli.Quoted(a.Dir)))
			continue
		}
		found, err := linkrot.Search(cmd.Context(), a.client, &l.Lost)
		if err != nil {
			return err
		}
		if found.Alive == "" {
			a.lost++
		}
		if err := a.tell(cmd.OutOrStdout(), cmd.ErrOrStderr(), found); err != nil {
			return err
		}
	}
	return nil
}

// end answers for the last URLs, and says which searches failed.
func (a *seeker) end(cmd *cobra.Command) error {
	if err := a.flush(cmd); err != nil {
		return err
	}
	if a.lost > 0 {
		a.faults = errors.Join(a.faults, fmt.Errorf("no live copy of %s", humanize.Many(a.lost, "page", "pages")))
	}
	return a.faults
}

func (a *seeker) tell(out, faults io.Writer, s linkrot.Found) error {
	if a.AsJSON {
		return console.EncodeLine(out, s)
	}
	if s.Alive == "" {
		for _, t := range s.Tried {
			fmt.Fprintf(faults, "%s: not at %s\n", s.URL, t)
		}
		return nil
	}
	far := "not compared: its text is not kept"
	if s.Distance >= 0 {
		far = fmt.Sprintf("%d of 64 bits differ, %s", s.Distance, dedup.SameShare(s.Similarity))
	}
	if s.Altered > 0 {
		far = fmt.Sprintf("an altered page that has %d%% of its own lines: %s", int(100*s.Altered), far)
	}
	if s.ComparedWith != "" {
		far = fmt.Sprintf("compared with %s, which it was a copy of, %s: %s", s.ComparedWith, dedup.SameShare(s.Resembled), far)
	}
	_, err := fmt.Fprintf(out, "%s  %s  (%s: %s; %s)\n", s.URL, s.Alive, s.How, s.Why, far)
	return err
}

// lookUp asks the job about some URLs.
func (a *seeker) lookUp(cmd *cobra.Command, urls []weburl.URL) (lost []control.LostPage, err error) {
	if len(urls) == 0 {
		return nil, nil
	}
	lines := cli.Asker{Dir: a.Dir, Cluster: a.Cluster} // each line is looked at
	err = cli.Each(&lines, cmd, control.Question{Verb: "alive", URL: joined(urls)}, func(l control.LostPage) error {
		lost = append(lost, l)
		return nil
	})
	return lost, err
}

// joined writes URLs in one text, a line each.
func joined(urls []weburl.URL) string {
	var b strings.Builder
	for i, u := range urls {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(u.String())
	}
	return b.String()
}
