package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl"
	"gatecrawl/dedup"
	"gatecrawl/frontier"
)

func newNear() *cobra.Command {
	var n nearness
	cmd := &cobra.Command{
		Use:   "near URL|FILE",
		Short: "List the kept pages that a page is a copy of",
		Long: `near asks the gate of a job, while it runs or after, which kept pages are near a
page: those that the page would be a copy of, by the texts, as a crawl decides.
It prints them nearest first: what has the same bytes, then the same body, then by
how much of the texts is the same. A page that the job has kept is not among its
own neighbours.

What the job knows of a URL is taken from it; of a copy that is the page that it
was found to be a copy of. Any other URL is fetched once, as its robots.txt
allows, and a FILE, or - for standard input, is read. The job does not change.

As with grep the exit code is 1 where there is none.`,
		Example: "  crawl near --job news https://example.org/2024/story.html\n" +
			"  crawl near --job news page.html --json | jq -r .url",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return n.run(cmd, args[0]) },
	}
	n.flags(cmd)
	cmd.Flags().IntVar(&n.limit, "limit", 0, "at most `N` pages; 0 is no limit")
	cmd.Flags().StringVar(&n.contact, "contact", "", "address for complaints, `URL|MAIL`, sent in the User-Agent; needed off loopback")
	return cmd
}

// A nearness has the flags of near.
type nearness struct {
	asker
	limit   int
	contact string
}

func (n *nearness) run(cmd *cobra.Command, arg string) error {
	if n.limit < 0 {
		return usagef("--limit: %d: want 0 pages, which is no limit, or more", n.limit)
	}
	if strings.Contains(arg, "://") {
		u, err := frontier.Parse(arg)
		if err != nil {
			return usagef("%w", err)
		}
		err = n.ask(cmd, arg, question{verb: "near", url: u.String(), limit: n.limit})
		if !errors.Is(err, gatecrawl.ErrUnknown) {
			return err
		}
	}
	p, err := readSource(cmd, arg, n.contact)
	if err != nil {
		return err
	}
	view := p.view()
	page, err := json.Marshal(askedPage{dedup.Sign(p.content, view), dedup.TextOf(view)})
	if err != nil {
		return err
	}
	return n.ask(cmd, arg, question{verb: "near", page: string(page), limit: n.limit})
}

// ask prints the answer. None is an exit code.
func (n *nearness) ask(cmd *cobra.Command, arg string, q question) error {
	out, found := cmd.OutOrStdout(), 0
	lines := asker{dir: n.dir} // each line is looked at
	err := each(&lines, cmd, q, func(m gatecrawl.Member) error {
		found++
		if n.asJSON {
			return encodeLine(out, m)
		}
		_, err := fmt.Fprintf(out, "%s  (%s)\n", m.URL, likeness(m.Class, m.Level, m.Distance, m.Similarity))
		return err
	})
	if err == nil && found == 0 {
		err = fmt.Errorf("no kept page of %s is near %s", n.dir, arg)
	}
	return err
}

// An askedPage is a page that the job does not know.
type askedPage struct {
	Sign dedup.Signature `json:"sign"`
	Text dedup.Text      `json:"text"`
}

// answerNear answers for a page of the job, or for another.
func answerNear(ctx context.Context, in gatecrawl.Inspector, q question, enc *json.Encoder) error {
	var members []gatecrawl.Member
	var err error
	if q.page == "" {
		members, err = in.NearPage(ctx, q.url, q.limit)
	} else {
		var p askedPage
		if err := readAsked(q.page, &p); err != nil {
			return err
		}
		members, err = in.Near(ctx, p.Sign, &p.Text, q.limit)
	}
	if err != nil {
		return err
	}
	for _, m := range members {
		if err := enc.Encode(m); err != nil {
			return err
		}
	}
	return nil
}

// readAsked reads what another process of this program has written.
func readAsked(page string, p *askedPage) error {
	dec := json.NewDecoder(strings.NewReader(page))
	dec.DisallowUnknownFields()
	if err := dec.Decode(p); err != nil {
		return fmt.Errorf("page: not a signature and a text of this version: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("page: more than one")
	}
	return nil
}
