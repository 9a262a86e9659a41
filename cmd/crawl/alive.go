package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl"
	"gatecrawl/configs"
	"gatecrawl/dedup"
	"gatecrawl/fetch"
	"gatecrawl/frontier"
	"gatecrawl/mirror"
	"gatecrawl/purify"
)

// maxTried bounds how many candidates are asked for one lost page, its own
// address and the target of its redirect not counted.
const maxTried = 5

func newAlive() *cobra.Command {
	var a seeker
	var contact, list string
	var delay time.Duration
	cmd := &cobra.Command{
		Use:   "alive [URL...]",
		Short: "Find where pages live that are lost",
		Long: `alive looks for a living copy of each URL that the job has met: at its own
address and where that redirects to; then, as the job knows them, at copies of the
page, where other pages of its folder moved to, on mirrors of its site, and among
pages of the site with nearly the same body or with its title. At most five of
these are asked, as their robots.txt allows, with a rest between two requests to
one host. An answer is the first whose page is what the job has kept of the lost
one, or that with edits.

A line has the lost page, the living one, how it was found, and how far the two are
apart: in how many of 64 bits their SimHashes differ, and how much of the text is
the same by estimate. Of a page that the job has not kept the text only a redirect
is an answer, since nothing else can be checked.

A list of any length is taken with --urls, an address a line; empty lines and those
that begin with # are passed over.

The exit code is 1 if there is no answer for one URL or more.`,
		Example: "  crawl alive --job news https://example.org/2019/story.html\n" +
			"  crawl alive --job news --json --urls dead.txt | jq -r 'select(.alive) | [.url, .alive] | @tsv'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && list == "" {
				return usagef("no address is given: name some, or a list with --urls FILE")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if delay < 0 {
				return usagef("--delay: %v: want 0 or more", delay)
			}
			if err := a.begin(contact, delay); err != nil {
				return err
			}
			defer a.close()
			for _, arg := range args {
				u, err := frontier.ParseSeed(arg)
				if err == nil {
					err = a.may(u)
				}
				if err != nil {
					return usagef("%w", err)
				}
				a.batch = append(a.batch, u)
			}
			if err := a.runList(cmd, list); err != nil {
				return err
			}
			return a.end(cmd)
		},
	}
	a.flags(cmd)
	cmd.Flags().StringVar(&list, "urls", "", "read addresses from `FILE`, or from - for standard input")
	cmd.Flags().StringVar(&contact, "contact", "", "address for complaints, `URL|MAIL`, sent in the User-Agent; needed off loopback; default that of the job")
	cmd.Flags().DurationVar(&delay, "delay", time.Second, "rest between two requests to one host for `TIME`; robots.txt may ask for more")
	return cmd
}

// A seeker asks for candidates, one after another.
type seeker struct {
	asker
	fetch    *fetch.Fetcher
	settings configs.Settings
	delay    time.Duration
	robots   map[string]*fetch.Robots // by origin
	next     map[string]time.Time     // when a host may be asked again

	batch  []frontier.URL // that the job was not asked about yet
	lost   int            // pages without an answer
	faults error          // lines and addresses that are of no use
}

// A survivor is the answer on one lost page.
type survivor struct {
	URL        string   `json:"url"`
	Alive      string   `json:"alive"` // "": nowhere
	How        string   `json:"how,omitempty"`
	Why        string   `json:"why,omitempty"`
	Distance   int      `json:"distance"`        // bits in which the SimHashes differ, 0 to 64; -1: not known
	Similarity float64  `json:"similarity"`      // estimated, 0 to 1
	Tried      []string `json:"tried,omitempty"` // what was asked for in vain, and why it is no answer
}

// begin makes the seeker ready. Who is named to the owners of sites is what the
// job has named, unless another is given.
func (a *seeker) begin(contact string, delay time.Duration) error {
	s, err := loadSaved(a.dir)
	if err != nil {
		s = configs.Default() // its manners are the careful ones
	}
	if contact != "" {
		s.Contact = contact
	}
	if err := s.Validate(); err != nil {
		return usagef("%w", err)
	}
	a.settings, a.delay = s, delay
	return a.ready()
}

// ready makes a fetcher as the settings say.
func (a *seeker) ready() (err error) {
	a.robots, a.next = make(map[string]*fetch.Robots), make(map[string]time.Time)
	a.fetch, err = fetch.New(a.settings.FetchOptions(version()))
	return err
}

func (a *seeker) close() { a.fetch.Close() }

// may reports in an error what is missing for an address to be asked for.
func (a *seeker) may(u frontier.URL) error {
	if err := needContact(a.settings.Contact, u); err != nil {
		return err
	}
	if !u.Loopback() || a.settings.AllowLoopback {
		return nil
	}
	a.settings.AllowLoopback = true
	a.close()
	return a.ready()
}

// aliveAtOnce is how many addresses the job is asked about in one question. While
// the sites are asked nobody holds the job.
const aliveAtOnce = 200

// runList seeks the pages of a list, "" for none. Bad lines are told at the end.
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
			return usagef("--urls: %w", err)
		}
		defer f.Close()
		in = f
	}
	for s, err := range frontier.Seeds(in, name) {
		if err == nil {
			err = a.may(s.URL)
		}
		var bad *frontier.SeedError
		if errors.As(err, &bad) {
			a.faults = errors.Join(a.faults, err)
			continue
		}
		if err != nil {
			return err
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

// flush answers on what is in the batch.
func (a *seeker) flush(cmd *cobra.Command) error {
	answers, err := a.lookUp(cmd, a.batch)
	a.batch = a.batch[:0]
	if err != nil {
		return err
	}
	for _, l := range answers {
		if l.Unknown {
			a.faults = errors.Join(a.faults, fmt.Errorf("%s: the job %s never met it: give an address that crawl why --job %s knows", l.URL, a.dir, a.dir))
			continue
		}
		found, err := a.seek(cmd.Context(), l.Lost)
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

// end answers on the last addresses, and says what was in vain.
func (a *seeker) end(cmd *cobra.Command) error {
	if err := a.flush(cmd); err != nil {
		return err
	}
	if a.lost > 0 {
		a.faults = errors.Join(a.faults, fmt.Errorf("no living copy of %s", many(a.lost, "page", "pages")))
	}
	return a.faults
}

func (a *seeker) tell(out, faults io.Writer, s survivor) error {
	if a.asJSON {
		return encodeLine(out, s)
	}
	if s.Alive == "" {
		for _, t := range s.Tried {
			fmt.Fprintf(faults, "%s: not at %s\n", s.URL, t)
		}
		return nil
	}
	far := "not compared: its text is not kept"
	if s.Distance >= 0 {
		far = fmt.Sprintf("%d of 64 bits differ, about %.0f%% of the text is the same", s.Distance, 100*s.Similarity)
	}
	_, err := fmt.Fprintf(out, "%s  %s  (%s: %s; %s)\n", s.URL, s.Alive, s.How, s.Why, far)
	return err
}

// A lostPage is what a job answers on one address.
type lostPage struct {
	gatecrawl.Lost
	Unknown bool `json:"unknown,omitempty"` // the job never met it
}

// lookUp asks the job about some addresses.
func (a *seeker) lookUp(cmd *cobra.Command, urls []frontier.URL) (lost []lostPage, err error) {
	if len(urls) == 0 {
		return nil, nil
	}
	lines := asker{dir: a.dir} // each line is looked at
	err = each(&lines, cmd, question{verb: "alive", url: joined(urls)}, func(l lostPage) error {
		lost = append(lost, l)
		return nil
	})
	return lost, err
}

// joined writes addresses in one text, a line each.
func joined(urls []frontier.URL) string {
	var b strings.Builder
	for i, u := range urls {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(u.String())
	}
	return b.String()
}

// seek finds a living copy of one page.
func (a *seeker) seek(ctx context.Context, lost gatecrawl.Lost) (survivor, error) {
	s := survivor{URL: lost.URL}
	tried := make(map[string]bool)
	try := func(c gatecrawl.Candidate) (moved string, found bool) {
		tried[c.URL] = true
		p, moved, why := a.get(ctx, c.URL)
		if p != nil {
			if why = s.check(&lost, c, p); why == "" {
				s.Alive, s.How, s.Why = c.URL, c.How, c.Why
				return "", true
			}
		}
		s.Tried = append(s.Tried, c.URL+": "+why)
		return moved, false
	}
	moved, found := try(gatecrawl.Candidate{URL: lost.URL, How: gatecrawl.HowItself, Why: "it is at its address", Digest: lost.Digest})
	for hops := 0; moved != "" && !found && !tried[moved] && hops < maxTried; hops++ {
		moved, found = try(gatecrawl.Candidate{URL: moved, How: gatecrawl.HowRedirect, Why: "its address redirects there"})
	}
	for n, i := 0, 0; !found && i < len(lost.Candidates) && n < maxTried && ctx.Err() == nil; i++ {
		c := lost.Candidates[i]
		if tried[c.URL] {
			continue
		}
		n++
		to, ok := try(c)
		if found = ok; !found && to != "" && !tried[to] {
			_, found = try(gatecrawl.Candidate{URL: to, How: c.How, Why: c.Why + ", and redirects"})
		}
	}
	if !found {
		s.Distance, s.Similarity = -1, 0
	}
	return s, ctx.Err()
}

// check says why a page is no answer; "": it is one, and its distance is filled in.
func (s *survivor) check(lost *gatecrawl.Lost, c gatecrawl.Candidate, p *rawPage) string {
	digest := dedup.DigestOf(p.content).String()
	if c.Digest != "" && c.Digest == digest && c.Digest == lost.Digest {
		s.Distance, s.Similarity = 0, 1
		return ""
	}
	if lost.Sign == nil {
		s.Distance = -1
		if c.How == gatecrawl.HowRedirect {
			return ""
		}
		return "nothing is kept of the lost page to compare it with"
	}
	view := purify.PurifyAt(p.url.String(), p.content, p.contentType)
	was, is := printOf(lost.Sign, lost.Title), printOf(new(dedup.Sign(p.content, view)), view.Title)
	s.Distance, s.Similarity = was.Distance(is)
	same := c.Digest != "" && c.Digest == digest // what the gate took for a copy
	if same || was.Survives(is, c.How != gatecrawl.HowNear && c.How != gatecrawl.HowItself) {
		return ""
	}
	return fmt.Sprintf("another page: %d of 64 bits differ, about %.0f%% of the text is the same", s.Distance, 100*s.Similarity)
}

func printOf(s *dedup.Signature, title string) mirror.Print {
	return mirror.Print{SimHash: s.SimHash, Sketch: s.Sketch, Tokens: int(s.Tokens), Title: title}
}

// get fetches a page when its host may be asked, as its robots.txt allows. Without
// one it says why, and where the address redirects to if it does.
func (a *seeker) get(ctx context.Context, address string) (p *rawPage, moved, why string) {
	u, err := frontier.Parse(address)
	if err != nil {
		return nil, "", err.Error()
	}
	if needContact(a.settings.Contact, u) != nil {
		return nil, "", "not asked for: it is not on this machine, and nobody is named with --contact"
	}
	rules := a.robots[u.Origin()]
	if rules == nil {
		a.rest(ctx, u, 0)
		rules = a.fetch.Robots(ctx, u.Origin()).Rules()
		a.robots[u.Origin()] = rules
		a.next[u.Host()] = time.Now().Add(a.delay)
	}
	if v := rules.Check(fetch.Token, u); !v.Allowed {
		if v.Line == 0 {
			return nil, "", "not asked for: " + v.Rule
		}
		return nil, "", fmt.Sprintf("its robots.txt forbids it, line %d: %s", v.Line, v.Rule)
	}
	a.rest(ctx, u, rules.Delay(fetch.Token)-a.delay)
	r, err := a.fetch.Fetch(ctx, u)
	a.next[u.Host()] = time.Now().Add(a.delay)
	switch {
	case err != nil:
		return nil, "", err.Error()
	case r.Location() != "":
		to, err := u.Parse(r.Location())
		if err != nil {
			return nil, "", fmt.Sprintf("redirects to %q, which is no address", r.Location())
		}
		return nil, to.String(), "redirects to " + to.String()
	case r.Status < 200 || r.Status > 299:
		return nil, "", fmt.Sprintf("http status %d", r.Status)
	}
	kind := r.Header.Get("Content-Type")
	if kind == "" {
		kind = r.ContentType
	}
	return &rawPage{url: u, content: r.Body, contentType: kind}, "", ""
}

// maxAliveRest caps what a Crawl-delay may ask for: somebody waits for the answer.
const maxAliveRest = 30 * time.Second

// rest waits until a host may be asked, and for what its robots.txt asks on top.
func (a *seeker) rest(ctx context.Context, u frontier.URL, more time.Duration) {
	at, ok := a.next[u.Host()]
	if !ok {
		return
	}
	if d := time.Until(at.Add(min(max(0, more), maxAliveRest))); d > 0 {
		pause(ctx, d)
	}
}

// answerAlive answers with what the job knows, a line for each line of the
// question.
func answerAlive(ctx context.Context, in gatecrawl.Inspector, q question, enc *json.Encoder) error {
	for line := range strings.Lines(q.url) {
		url := strings.TrimSuffix(line, "\n")
		lost, err := in.Alive(ctx, url)
		l := lostPage{Lost: lost}
		if errors.Is(err, gatecrawl.ErrUnknown) {
			l.Unknown, err = true, nil
		}
		if err := put(enc, l, err); err != nil {
			return err
		}
	}
	return nil
}
