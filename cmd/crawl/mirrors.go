package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl/mirror"
)

// A mirrorsReport has the flags of mirrors.
type mirrorsReport struct {
	asker
	format  string
	probe   string
	contact string
	q       question
}

func newMirrors() *cobra.Command {
	m := mirrorsReport{q: question{verb: "mirrors"}}
	cmd := &cobra.Command{
		Use:   "mirrors",
		Short: "List hosts that carry the same documents, and what they are to each other",
		Long: `mirrors lists the pairs of hosts that carry the same documents, and holds their
sites against each other: sampled documents of each are looked up on the other,
where the paths of both say they should be. The class says what came of it:

  alias         one site under two names: redirects, www, http and https
  mirror        each has nearly all (80%) that the other has
  partial       one has nearly all of the other, or they share the folders in map
  near-version  the same paths and much of the content: two versions of a manual
  same-shape    the same paths and another content: a translation
  -             they share some documents, and that is all

Of an alias, a mirror and a partial the canonical site is named with the reason.
All is answered from what the job knows, while it runs or after. With --probe
live sites are asked for what it does not know: at most 20 requests a pair, as
their robots.txt allows and with the job's delay between two. Only a job that no
crawl works on can be asked so.

The formats: table, json (one object a line), csv, dot (for Graphviz), svg, and
html, a page that needs nothing else. Up to 30 hosts are drawn as a graph, more
as a map of how much of each is on the other.`,
		Example: "  crawl mirrors --job news\n  crawl mirrors --job news --format html >mirrors.html\n" +
			"  crawl mirrors --job news --json | jq 'select(.class == \"mirror\") | .canonical'\n" +
			"  crawl mirrors explain --job news example.org mirror.example.net",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return m.run(cmd) },
	}
	m.flags(cmd)
	fs := cmd.Flags()
	fs.IntVar(&m.q.limit, "limit", 0, "at most `N` pairs; 0 is no limit")
	fs.StringVar(&m.format, "format", "table", "print a `FORMAT`: table, json, csv, dot, svg or html")
	fs.StringVar(&m.probe, "probe", "store", "look pages up in the `store`, or also ask the sites: live")
	fs.StringVar(&m.contact, "contact", "", "for --probe live: address for complaints, `URL|MAIL`, sent in the User-Agent; needed off loopback; default that of the job")
	cmd.AddCommand(newMirrorsExplain())
	return cmd
}

// writers print all pairs, by the name of the format.
var writers = map[string]func(io.Writer, []mirror.Pair) error{
	"table": writeTable, "json": writeLines, "csv": writeCSV, "dot": writeDOT, "svg": writeSVG, "html": writeHTML,
}

func (m *mirrorsReport) run(cmd *cobra.Command) error {
	if m.asJSON {
		m.format = "json"
	}
	write := writers[m.format]
	switch {
	case write == nil:
		return usagef("--format: %q is none: want table, json, csv, dot, svg or html", m.format)
	case m.probe != "store" && m.probe != "live":
		return usagef("--probe: %q is neither store nor live", m.probe)
	case m.q.limit < 0:
		return usagef("--limit: %d: want 0 pairs, which is no limit, or more", m.q.limit)
	}
	pairs := []mirror.Pair{}
	var err error
	if m.probe == "live" {
		pairs, err = m.askSites(cmd)
	} else {
		lines := asker{dir: m.dir} // each line is looked at
		err = each(&lines, cmd, m.q, func(p mirror.Pair) error {
			pairs = append(pairs, p)
			return nil
		})
	}
	if err != nil {
		return err
	}
	return write(cmd.OutOrStdout(), pairs)
}

func writeLines(w io.Writer, ps []mirror.Pair) error {
	for _, p := range ps {
		if err := encodeLine(w, p); err != nil {
			return err
		}
	}
	return nil
}

func writeTable(w io.Writer, ps []mirror.Pair) error {
	t := newTable(w, "class", "shared", "overlap", "host", "pages", "host", "pages", "canonical")
	for _, p := range ps {
		class, canonical := "-", ""
		if p.Relation != nil {
			class, canonical = string(p.Class), p.Canonical
		}
		if p.Deferred > 0 {
			canonical += fmt.Sprintf("  (%s of the other not asked for)", many(p.Deferred, "address", "addresses"))
		}
		t.row(class, count(int64(p.Shared)), percent(p.Overlap), p.A, count(int64(p.PagesA)), p.B, count(int64(p.PagesB)), canonical)
	}
	return t.flush()
}

func newMirrorsExplain() *cobra.Command {
	var a asker
	cmd := &cobra.Command{
		Use:   "explain A B",
		Short: "Hold two sites of a job against each other, and show by which pages",
		Long: `explain holds two sites against each other, each named by its host or as
http://HOST, whether or not anything speaks for it: the mapping of their paths,
how much of each is on the other with the bounds of 90 %, the canonical one with
the reason, and some pages that agree and some that do not, with the bits in
which their SimHashes differ. Where both pages are known to the gate, it says
whether they agree, and not the bits.`,
		Example: "  crawl mirrors explain --job news example.org mirror.example.net",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			q := question{verb: "mirror", url: args[0], other: args[1]}
			return each(&a, cmd, q, func(p mirror.Pair) error { return explainPair(cmd.OutOrStdout(), p) })
		},
	}
	a.flags(cmd)
	return cmd
}

// explainPair prints one pair in words.
func explainPair(w io.Writer, p mirror.Pair) error {
	r := p.Relation
	if r == nil {
		return fmt.Errorf("the answer on %s and %s says nothing of their sites: is the running crawl of another version?", p.A, p.B)
	}
	t := newTable(w)
	class := string(r.Class)
	if r.Class == mirror.None {
		class = "none: neither can stand for the other"
	}
	t.row("class", class)
	if r.Canonical != "" {
		t.row("canonical", r.Canonical+": "+r.Why)
	}
	if r.Evidence != "" {
		t.row("also", r.Evidence)
	}
	for _, m := range r.Maps {
		t.row("map", m.String())
	}
	t.row("a", fmt.Sprintf("%s, %s; %s", r.A, many(p.PagesA, "document", "documents"), onOther(r.AB, r.PathsAB, r.Folders)))
	t.row("b", fmt.Sprintf("%s, %s; %s", r.B, many(p.PagesB, "document", "documents"), onOther(r.BA, r.PathsBA, r.Folders)))
	t.row("shared", many(p.Shared, "document of b has a copy on a", "documents of b have a copy on a"))
	if r.Probes > 0 {
		t.row("asked", many(r.Probes, "request", "requests"))
	}
	for _, e := range r.Same {
		t.row("agree", fmt.Sprintf("%s  %s  (%s apart)", e.A, e.B, many(e.Distance, "bit", "bits")))
	}
	for _, e := range r.Differ {
		what := many(e.Distance, "bit", "bits") + " apart"
		if e.Distance <= 3 {
			what += ", and not one for the gate"
		}
		if e.Missing != "" {
			what = "no document at " + e.Missing
		}
		t.row("differ", fmt.Sprintf("%s  %s  (%s)", e.A, e.B, what))
	}
	return t.flush()
}

// onOther says how much of a site is on the other.
func onOther(in mirror.Interval, paths float64, folders bool) string {
	if in.N == 0 {
		return "nothing of it could be looked up on the other"
	}
	of := "of it is on the other"
	if folders {
		of = "of what lies under map is on the other"
	}
	return fmt.Sprintf("%s %s (%s to %s, by %s), and %s of its paths", percent(in.Share), of, percent(in.Low), percent(in.High),
		many(in.N, "look-up", "look-ups"), percent(paths))
}

// mapping writes the mappings of a relation in one cell.
func mapping(r *mirror.Relation) string {
	if r == nil {
		return ""
	}
	texts := make([]string, len(r.Maps))
	for i, m := range r.Maps {
		texts[i] = m.String()
	}
	return strings.Join(texts, ", ")
}
