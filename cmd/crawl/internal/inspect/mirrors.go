package inspect

import (
	"encoding/csv"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/picture"
)

// A mirrorsReport has the flags of mirrors.
type mirrorsReport struct {
	cli.Asker
	format  string
	probe   string
	contact string
	q       control.Question
}

func newMirrors() *cobra.Command {
	m := mirrorsReport{q: control.Question{Verb: "mirrors"}}
	cmd := &cobra.Command{
		Use:   "mirrors",
		Short: "List groups of mirrored sites, and other hosts that carry the same documents",
		Long: `mirrors compares the sites of a job: it looks up a sample of each site's documents
at the corresponding paths of the other. It lists groups first: a canonical site,
the reason why it is the canonical one, and its members, each with a class:

  alias    one site under two names: redirects, www, http and https
  mirror   each has 80% of the other's documents or more, and at nearly all paths that
           both have the same content: at 93% of those looked up, at 90.5% if these are
           120 or more, and at 95% if two versions of a manual are compared
  partial  one has 80% of the other's documents, and the same content in this way

A group is shown by the site that the crawl asks in place of the others, even if
another was named first and was given up.

Below a group it says why a member was fetched all the same: a site of another owner is
left out only if its pages have equal bytes or texts.

Then it lists pairs of hosts that are not in one group:

  shared-folders  each has pages of its own, and both have the folders under map
  near-version    the same paths and much of the content: two versions of a manual
  same-shape      the same paths and different content: a translation
  -               they only share some documents

The overlap is the share of the second host's documents that the first has too: in
the sample if the sites were compared, otherwise in all its documents, by the copies
that the gate found.
The answer comes from the job alone, which may be running. With --probe live the
sites are asked for documents that the job does not have: at most 20 requests a pair,
if their robots.txt allows it, with the job's delay between two requests. The job
must not be running then.

The formats are table, json (one object a line), csv, dot (for Graphviz), svg, and
html, one file with everything in it. Up to 30 hosts are drawn as a graph, more as a
matrix of overlaps.`,
		Example: "  crawl mirrors --job news\n  crawl mirrors --job news --format html >mirrors.html\n" +
			"  crawl mirrors --job news --json | jq 'select(.members) | [.canonical, .members[].b]'\n" +
			"  crawl mirrors explain --job news example.org mirror.example.net",
		Args: jobAlone,
		RunE: func(cmd *cobra.Command, _ []string) error { return m.run(cmd) },
	}
	m.Flags(cmd)
	m.ClusterFlags(cmd)
	fs := cmd.Flags()
	fs.IntVar(&m.q.Limit, "limit", 0, "at most `N` groups and pairs; 0 means no limit")
	fs.StringVar(&m.format, "format", "table", "output `FORMAT`: table, json, csv, dot, svg or html")
	fs.StringVar(&m.probe, "probe", "store", "look pages up in the `store`, or also ask the sites: live")
	fs.StringVar(&m.contact, "contact", "", "for --probe live: contact for complaints, `URL|MAIL`, sent in the User-Agent; needed off loopback; default that of the job")
	cmd.AddCommand(newMirrorsExplain())
	return cmd
}

// Writers write a report, by the name of the format.
var Writers = map[string]func(io.Writer, mirror.Report) error{
	"table": WriteTable, "json": WriteLines, "csv": writeCSV, "dot": picture.DOT, "svg": picture.SVG, "html": picture.HTML,
}

func (m *mirrorsReport) run(cmd *cobra.Command) error {
	if m.AsJSON {
		m.format = "json"
	}
	write := Writers[m.format]
	switch {
	case write == nil:
		return cli.Usagef("--format: there is no format %q: want table, json, csv, dot, svg or html", m.format)
	case m.probe != "store" && m.probe != "live":
		return cli.Usagef("--probe: %q is neither store nor live", m.probe)
	case m.probe == "live" && m.Cluster.Given():
		return cli.Usagef("--probe live does not go with --cluster: no node may ask the hosts of another")
	}
	var report mirror.Report
	var err error
	if m.probe == "live" {
		report, err = m.askSites(cmd)
	} else {
		lines := cli.Asker{Dir: m.Dir, Cluster: m.Cluster} // each line is looked at
		err = cli.Each(&lines, cmd, m.q, func(l control.MirrorLine) error {
			if l.Group != nil {
				report.Groups = append(report.Groups, *l.Group)
			} else {
				report.Pairs = append(report.Pairs, *l.Pair)
			}
			return nil
		})
	}
	if err != nil {
		return err
	}
	if len(report.Groups)+len(report.Pairs) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "no two hosts share documents")
	}
	if m.format != "table" || len(report.Groups) == 0 {
		return write(cmd.OutOrStdout(), report)
	}
	s, err := m.Settings(cmd.Context())
	if err != nil {
		return fmt.Errorf("settings of the job: %w", err)
	}
	if s.Mirrors != mirror.ModeOn || s.Dedup != dedup.ModeDiscard {
		fmt.Fprintf(cmd.ErrOrStderr(), "every mirror was fetched: the job has --mirrors %s and --dedup %s; --mirrors on --dedup discard leaves out what is certain\n", s.Mirrors, s.Dedup)
		return write(cmd.OutOrStdout(), report)
	}
	return writeTable(cmd.OutOrStdout(), report, whyFetched)
}

// whyFetched says why a member of a group was fetched although the canonical site has its pages, and what leaves it out; "" if pages of
// it were left out.
func whyFetched(m *mirror.Pair) string {
	r, why, last := m.Relation, "", ""
	for _, t := range m.Twins {
		switch {
		case t.GivenUp:
			why = decided(t)
		case t.Origin == r.B:
			last = decided(t) + ", and none of its URLs is left out"
		}
	}
	switch {
	case m.Deferred > 0:
		return ""
	case why != "":
	case r.Unequal > 0 && r.Strangers():
		why = unequal(r)
	case last != "":
		why = last
	default:
		why = fmt.Sprintf("it was not known to be a copy while it was fetched; by %s looked up now it is one (%s)", humanize.Many(r.BA.N, "document", "documents"), r.Class)
	}
	return fmt.Sprintf("%s was fetched too: %s; crawl mirrors explain %s %s shows more, and --exclude '^%s' leaves the site out in later runs",
		r.B, why, r.A, r.B, regexp.QuoteMeta(r.B+"/"))
}

// unequal says why both of two sites of different owners are fetched.
func unequal(r *mirror.Relation) string {
	return fmt.Sprintf("of sites of two owners one is left out only if each document looked up has the same bytes or the same text, and %d have not, such as %s", r.Unequal, r.UnequalAt)
}

// WriteLines writes groups and pairs as JSON, one object a line.
func WriteLines(w io.Writer, r mirror.Report) error {
	for _, l := range control.MirrorLines(r) {
		if err := console.EncodeLine(w, l); err != nil {
			return err
		}
	}
	return nil
}

// WriteTable prints groups of mirrored sites and other pairs of hosts for people.
func WriteTable(w io.Writer, r mirror.Report) error {
	return writeTable(w, r, func(*mirror.Pair) string { return "" })
}

// writeTable is WriteTable with a note on each member of a group that has one.
func writeTable(w io.Writer, r mirror.Report, note func(*mirror.Pair) string) error {
	for _, g := range r.Groups {
		fmt.Fprintf(w, "%s, %s, and %s\n", g.Canonical, humanize.Many(g.Documents, "document", "documents"), humanize.Many(len(g.Members), "mirror of it", "mirrors of it"))
		fmt.Fprintf(w, "  it is the canonical one: %s\n", g.Why)
		t := console.NewTable(w, "  class", "overlap", "documents", "not asked for", "site")
		for _, m := range g.Members {
			t.Row("  "+string(m.Class), humanize.Percent(m.Overlap), humanize.Count(m.PagesB), humanize.Count(m.Deferred), m.Relation.B)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		for i := range g.Members {
			if says := note(&g.Members[i]); says != "" {
				fmt.Fprintf(w, "  %s\n", says)
			}
		}
		fmt.Fprintln(w)
	}
	if len(r.Groups) > 0 && len(r.Pairs) > 0 {
		fmt.Fprintln(w, "Other hosts that carry the same documents, or have the same paths:")
	}
	t := console.NewTable(w, "class", "overlap", "by", "host", "documents", "host", "documents")
	for _, p := range r.Pairs {
		class := "-"
		if p.Relation != nil && p.Class != mirror.None {
			class = string(p.Class)
		}
		t.Row(class, humanize.Percent(p.Overlap), p.By, p.A, humanize.Count(p.PagesA), p.B, humanize.Count(p.PagesB))
	}
	return t.Flush()
}

func writeCSV(w io.Writer, report mirror.Report) error {
	c := csv.NewWriter(w)
	c.Write([]string{"group", "class", "canonical", "a", "b", "shared", "pages_a", "pages_b", "overlap", "overlap_by", "a_on_b", "b_on_a", "map", "deferred", "why"})
	share := func(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }
	row := func(group string, p *mirror.Pair) {
		r := p.Relation
		if r == nil {
			r = &mirror.Relation{A: p.A, B: p.B}
		}
		c.Write([]string{
			group, string(r.Class), r.Canonical, r.A, r.B, strconv.Itoa(p.Shared), strconv.Itoa(p.PagesA), strconv.Itoa(p.PagesB),
			share(p.Overlap), p.By, share(r.AB.Share), share(r.BA.Share), r.Mapping(), strconv.Itoa(p.Deferred), r.Why,
		})
	}
	for i, g := range report.Groups {
		for k := range g.Members {
			row(strconv.Itoa(i+1), &g.Members[k])
		}
	}
	for i := range report.Pairs {
		row("", &report.Pairs[i])
	}
	c.Flush()
	return c.Error()
}

func newMirrorsExplain() *cobra.Command {
	var a cli.Asker
	cmd := &cobra.Command{
		Use:   "explain A B",
		Short: "Compare two sites of a job and show the evidence",
		Long: `explain compares two sites, each named by its host or as http://HOST, whether or
not anything suggests that they are mirrors. It shows the mapping of their paths,
how much of each is on the other with 90 % bounds, which one is canonical and why,
and some pages that agree and some that do not, with the number of bits in which
their SimHashes differ. Where the gate knows both pages, it shows whether they
agree, and not the bits.`,
		Example: "  crawl mirrors explain --job news example.org mirror.example.net",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			q := control.Question{Verb: "mirror", URL: args[0], Other: args[1]}
			return cli.Each(&a, cmd, q, func(p mirror.Pair) error { return explainPair(cmd.OutOrStdout(), p) })
		},
	}
	a.Flags(cmd)
	a.ClusterFlags(cmd)
	return cmd
}

// explainPair prints the evidence for one pair.
func explainPair(w io.Writer, p mirror.Pair) error {
	r := p.Relation
	if r == nil {
		return fmt.Errorf("the answer on %s and %s does not compare their sites: is the running crawl of another version?", p.A, p.B)
	}
	t := console.NewTable(w)
	class := string(r.Class)
	if r.Class == mirror.None {
		class = "none: neither can stand for the other"
	}
	t.Row("class", class)
	if r.Canonical != "" {
		t.Row("canonical", r.Canonical+": "+r.Why)
	}
	if r.Evidence != "" {
		t.Row("also", r.Evidence)
	}
	for _, m := range r.Maps {
		t.Row("map", m.String())
	}
	t.Row("a", fmt.Sprintf("%s, %s; %s", r.A, humanize.Many(p.PagesA, "document", "documents"), onOther(r.AB, r.PathsAB, r.Folders)))
	t.Row("b", fmt.Sprintf("%s, %s; %s", r.B, humanize.Many(p.PagesB, "document", "documents"), onOther(r.BA, r.PathsBA, r.Folders)))
	t.Row("overlap", fmt.Sprintf("%s of %s is on %s, by %s", humanize.Percent(p.Overlap), p.B, p.A, p.By))
	for _, tw := range p.Twins {
		t.Row("crawl", decided(tw))
	}
	if len(p.Twins) == 0 && r.Canonical != "" && r.Unequal > 0 && r.Strangers() {
		t.Row("crawl", "both are requested: "+unequal(r))
	}
	if r.Probes > 0 {
		t.Row("asked", humanize.Many(r.Probes, "request", "requests"))
	}
	for _, e := range r.Same {
		t.Row("agree", fmt.Sprintf("%s  %s  (%s apart)", e.A, e.B, humanize.Many(e.Distance, "bit", "bits")))
	}
	for _, e := range r.Differ {
		what := humanize.Many(e.Distance, "bit", "bits") + " apart"
		if e.Distance <= 3 {
			what += ", and the gate keeps both: bodies so near are one only where the sketches of their words agree too, and their key facts"
		}
		if e.Missing != "" {
			what = "no document at " + e.Missing
		}
		t.Row("differ", fmt.Sprintf("%s  %s  (%s)", e.A, e.B, what))
	}
	return t.Flush()
}

// decided says what the crawl made of two sites while it ran.
func decided(t *mirror.Twin) string {
	is := "is"
	if t.GivenUp {
		is = "was, until it was given up,"
	}
	what := fmt.Sprintf("%s %s requested in place of %s: of %s fetched from both %d differ", t.To, is, t.Origin, humanize.Many(t.Checked, "page", "pages"), t.Missed)
	if t.Near > 0 {
		what += fmt.Sprintf(", and %s more are near copies", humanize.Count(t.Near))
	}
	if t.Differs != "" {
		what += fmt.Sprintf(" (the last is %s)", t.Differs)
	}
	if t.Lost > 0 {
		what += fmt.Sprintf(", and %s has no document at %d of the URLs of the other", t.To, t.Lost)
	}
	return what
}

// onOther says how much of a site is on the other one.
func onOther(in mirror.Interval, paths float64, folders bool) string {
	if in.N == 0 {
		return "nothing of it could be looked up on the other"
	}
	of := "of it is on the other"
	if folders {
		of = "of what is under map is on the other"
	}
	return fmt.Sprintf("%s %s (%s to %s, by %s), and %s of its paths", humanize.Percent(in.Share), of, humanize.Percent(in.Low), humanize.Percent(in.High),
		humanize.Many(in.N, "look-up", "look-ups"), humanize.Percent(paths))
}
