package urls

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/version"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

func newRobots() *cobra.Command {
	q := robotsQuestion{}
	cmd := &cobra.Command{
		Use:   "robots FILE|URL [URL...]",
		Short: "Check whether a robots.txt allows URLs, and by which line",
		Long: `robots reads a robots.txt as a crawl does (by RFC 9309, and like Google's parser
where that is open) and prints for each URL "allowed" or "disallowed", the URL,
and the line of the file that decides. The first argument is the robots.txt: a FILE,
- for standard input, or a URL, for the file of that site, which is fetched, following
redirects. A URL may be only a path, such as /private/. If a URL is the only
argument, it is checked against the robots.txt of its own site.

With --compare it also prints the verdict of temoto/robotstxt, the library by which
colly and other crawlers in Go read the file. If the two differ it prints why, and
which section of RFC 9309 applies. Without URLs it checks paths made from the rules.

With --tsv each line of FILE, or of standard input for - or without FILE, is a case
of three fields separated by tabs: product token, URL and robots.txt, each in
hexadecimal. For each case 1 (allowed) or 0 is printed. The URL is not normalized.
Lines that start with # are skipped. A bad line ends the command, so that line N of
the output belongs to case N.

The exit code is 0 when every question was answered, whatever the answer.`,
		Example: `  crawl robots robots.txt --agent FooBot https://example.org/private/
  crawl robots --contact me@example.org https://example.org/private/
  crawl robots --contact me@example.org https://example.org /a /b?c
  crawl robots --compare robots.txt
  crawl robots --tsv cases.tsv`,
	}
	fs := cmd.Flags()
	fs.StringVar(&q.agent, "agent", fetch.Token, "ask for the crawler with the product token `NAME`")
	fs.StringVar(&q.contact, "contact", "", "contact for complaints, `URL|MAIL`, sent in the User-Agent; needed off loopback")
	fs.StringVar(&q.proxy, "proxy", "", "fetch a robots.txt through this proxy `URL`")
	fs.BoolVar(&q.allowPrivate, "allow-private", false, "fetch a robots.txt from a private address too")
	fs.BoolVar(&q.asJSON, "json", false, "print JSON, one object a line")
	fs.BoolVar(&q.compare, "compare", false, "print the verdict of temoto/robotstxt too, and why it differs")
	fs.BoolVar(&q.tsv, "tsv", false, "read cases in hexadecimal, print 1 or 0 for each")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		out := bufio.NewWriter(cmd.OutOrStdout())
		err := q.answer(cmd, args, out)
		return errors.Join(out.Flush(), err)
	}
	return cmd
}

// A robotsQuestion has the flags of robots.
type robotsQuestion struct {
	agent, contact, proxy     string
	allowPrivate, asJSON, tsv bool
	compare                   bool
}

func (q *robotsQuestion) answer(cmd *cobra.Command, args []string, out io.Writer) (err error) {
	if q.tsv {
		return q.answerCases(cmd, args, out)
	}
	if len(args) == 1 && !q.compare && strings.Contains(args[0], "://") {
		args = []string{args[0], args[0]}
	}
	if len(args) < 2 && !(q.compare && len(args) == 1) {
		return cli.Usagef("want a robots.txt (FILE, or URL of its site) and at least one URL")
	}
	token := robots.ProductToken(q.agent)
	if token == "" || strings.ContainsAny(token, " \t") {
		return cli.Usagef("--agent %q is not a product token: want the letters, \"-\" and \"_\" by which a robots.txt names a crawler, such as FooBot", q.agent)
	}
	if token != q.agent {
		fmt.Fprintf(cmd.ErrOrStderr(), "asking for the product token %s\n", token)
	}
	if args[0] == "-" {
		for _, arg := range args[1:] {
			if arg == "-" {
				return cli.Usagef("standard input is the robots.txt, so it cannot be a list of URLs too")
			}
		}
	}
	file, site, err := q.file(cmd, args[0])
	if err != nil {
		return err
	}
	rules := file.Rules()
	answer := func(a robotsAddress) error { return q.tell(out, token, a, rules.Check(token, a.url)) }
	if q.compare {
		c := &robotsComparison{comparer: robots.NewComparer(file, token), out: out, token: token, asJSON: q.asJSON}
		defer func() { err = errors.Join(err, c.end()) }()
		if answer = c.tell; len(args) == 1 {
			args = append(args, c.comparer.Paths()...)
		}
	}
	bad := 0
	for _, arg := range args[1:] {
		for a, err := range robotsAddresses(arg, site, cmd.InOrStdin()) {
			if err == nil {
				if err := answer(a); err != nil {
					return err
				}
				continue
			}
			bad++
			fmt.Fprintln(cmd.ErrOrStderr(), err)
		}
	}
	if bad > 0 {
		return cli.Silent(cli.CodeFailure)
	}
	return nil
}

// file reads the robots.txt from a file, or fetches that of a URL's site, and then also returns the
// URL.
func (q *robotsQuestion) file(cmd *cobra.Command, from string) (robots.File, weburl.URL, error) {
	if strings.Contains(from, "://") {
		u, err := weburl.Parse(from)
		if err != nil {
			return robots.File{}, u, cli.Usagef("%w", err)
		}
		if err := cli.NeedContact(q.contact, u); err != nil {
			return robots.File{}, u, err
		}
		file, err := q.ask(cmd.Context(), u)
		return file, u, err
	}
	if from == "-" {
		file, err := robots.ReadFile(cmd.InOrStdin())
		return file, weburl.URL{}, err
	}
	f, err := os.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		return robots.File{}, weburl.URL{}, fmt.Errorf("no file %s; a URL starts with http:// or https://", from)
	}
	if err != nil {
		return robots.File{}, weburl.URL{}, err
	}
	defer f.Close()
	file, err := robots.ReadFile(f)
	if err != nil {
		return robots.File{}, weburl.URL{}, fmt.Errorf("%s: %w", from, err)
	}
	return file, weburl.URL{}, nil
}

// ask fetches the robots.txt of a site.
func (q *robotsQuestion) ask(ctx context.Context, u weburl.URL) (robots.File, error) {
	s := configs.Default()
	s.Contact, s.AllowLoopback = q.contact, u.Loopback()
	s.Proxy, s.AllowPrivate = q.proxy, q.allowPrivate
	if err := s.Validate(); err != nil {
		return robots.File{}, cli.Usagef("%w", err)
	}
	f, err := fetch.New(s.FetchOptions(version.Short()))
	if err != nil {
		return robots.File{}, err
	}
	defer f.Close()
	return f.Robots(ctx, u.Origin()), nil
}

// A robotsAddress is a URL to check, as it was given and parsed.
type robotsAddress struct {
	given string
	url   weburl.URL
}

// robotsAddresses yields a URL argument, or for - the URLs on standard input. A plain path belongs
// to the site; without a site it may belong to any.
func robotsAddresses(arg string, site weburl.URL, stdin io.Reader) func(func(robotsAddress, error) bool) {
	return func(yield func(robotsAddress, error) bool) {
		if strings.HasPrefix(arg, "/") && !strings.HasPrefix(arg, "//") {
			base := site
			if base.IsZero() {
				base, _ = weburl.Parse("http://localhost/") // it is a URL
			}
			u, err := base.Parse(arg)
			if err != nil {
				err = fmt.Errorf("%q: %w", arg, err)
			}
			yield(robotsAddress{u.RequestURI(), u}, err)
			return
		}
		for u, err := range cli.URLsOf([]string{arg}, stdin) {
			if err == nil && !site.IsZero() && u.Origin() != site.Origin() {
				err = fmt.Errorf("%s is not of %s, whose robots.txt was asked for", u, site.Origin())
			}
			if !yield(robotsAddress{u.String(), u}, err) {
				return
			}
		}
	}
}

// tell prints one verdict.
func (q *robotsQuestion) tell(out io.Writer, token string, a robotsAddress, v robots.Verdict) error {
	if q.asJSON {
		return console.EncodeLine(out, struct {
			URL     string `json:"url"`
			Agent   string `json:"agent"`
			Allowed bool   `json:"allowed"`
			Line    int    `json:"line"`
			Rule    string `json:"rule"`
		}{a.given, token, v.Allowed, v.Line, v.Rule})
	}
	word, why := "disallowed", v.Rule
	if v.Allowed {
		word = "allowed"
	}
	switch {
	case v.Line > 0:
		why = fmt.Sprintf("line %d: %s", v.Line, v.Rule)
	case why == "":
		why = "no rule matches"
	}
	_, err := fmt.Fprintf(out, "%s\t%s\t%s\n", word, a.given, why)
	return err
}
