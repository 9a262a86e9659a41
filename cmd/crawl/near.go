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
page: those that the page would be a copy of. It prints them nearest first: what
has the same bytes, then the same body, then by the bits in which SimHashes
differ. A page that the job has kept is not among its own neighbours.

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
	sig, err := json.Marshal(dedup.Sign(p.content, p.view()))
	if err != nil {
		return err
	}
	return n.ask(cmd, arg, question{verb: "near", sign: string(sig), limit: n.limit})
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

// answerNear answers for a page of the job, or for a signature.
func answerNear(ctx context.Context, in gatecrawl.Inspector, q question, enc *json.Encoder) error {
	var members []gatecrawl.Member
	var err error
	if q.sign == "" {
		members, err = in.NearPage(ctx, q.url, q.limit)
	} else {
		var sig dedup.Signature
		if err := readSignature(q.sign, &sig); err != nil {
			return err
		}
		members, err = in.Near(ctx, sig, q.limit)
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

// readSignature reads what another process of this program has signed.
func readSignature(text string, sig *dedup.Signature) error {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(sig); err != nil {
		return fmt.Errorf("sign: not a signature of this version: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("sign: more than one signature")
	}
	return nil
}
