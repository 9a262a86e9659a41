package duplicates

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/corpus/labelled"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/methods"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
)

// A methodFlag has the flags of commands that compare pages by a published method.
type methodFlag struct {
	name string
	idf  string
}

func (m *methodFlag) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.name, "method", "", "compare by a published method, `NAME[:OPTION=VALUE,...]`, in place of the gate; crawl methods lists them")
	cmd.Flags().StringVar(&m.idf, "idf", "", "weigh words of --method by the table `FILE` of crawl idf build; default: by the pages themselves")
}

// options sets what the flags say; nothing without --method.
func (m *methodFlag) options(o *corpus.Options) error {
	var err error
	if m.name == "" {
		if m.idf != "" {
			return cli.Usagef("--idf: the table is for --method; of a job's own gate it is a setting of the crawl")
		}
		return nil
	}
	if o.Method, err = methods.Parse(m.name, labelled.LeastOfPages); err != nil {
		return cli.Usagef("--method: %w", nearMethod(err))
	}
	if m.idf != "" {
		if o.Words, err = cli.OpenIDF(m.idf); err != nil {
			return fmt.Errorf("--idf: %w", err)
		}
	}
	return nil
}

// nearMethod names the method that a mistyped name may mean, in place of all.
func nearMethod(err error) error {
	if unknown, ok := errors.AsType[*methods.UnknownError](err); ok {
		if name := configs.Nearest(unknown.Name, unknown.All); name != "" {
			return fmt.Errorf("no such method: %q: did you mean %s?", unknown.Name, name)
		}
	}
	return err
}

// jobBytes returns the pages of a job folder whose bytes it has; nil for another folder.
func jobBytes(cmd *cobra.Command) func(dir string) iter.Seq2[corpus.Page, error] {
	return func(dir string) iter.Seq2[corpus.Page, error] {
		if !crawl.Exists(dir) {
			return nil
		}
		return func(yield func(corpus.Page, error) bool) {
			enough := errors.New("no more pages are wanted")
			err := cli.Client(dir).Rows(cmd.Context(), gatecrawl.Wanted{Bodies: true}, func(r *gatecrawl.Row) error {
				if r.Body == nil {
					return nil
				}
				p := corpus.Page{URL: r.Page.URL, Fetched: r.Page.Fetched, Status: r.Page.Status, Type: r.Page.Type, Body: r.Body, Marked: r.Page.Verdict == page.VerdictCopy}
				if r.Page.Charset != "" {
					p.Type += "; charset=" + r.Page.Charset
				}
				if !yield(p, nil) {
					return enough
				}
				return nil
			})
			if err != nil && !errors.Is(err, enough) {
				yield(corpus.Page{}, err)
			}
		}
	}
}

// jobPages returns the pages of a job folder whose text it has; nil for another folder. They come
// with their bytes, to be read anew: a batch learns from all blocks of a page what its site repeats,
// and the views that a job keeps lack most of the frame. A page without bytes, and each page of a
// job with body selectors, comes with its view.
func jobPages(cmd *cobra.Command) func(dir string) iter.Seq2[corpus.Page, error] {
	return func(dir string) iter.Seq2[corpus.Page, error] {
		if !crawl.Exists(dir) {
			return nil
		}
		return func(yield func(corpus.Page, error) bool) {
			enough := errors.New("no more pages are wanted")
			s, err := crawl.SavedSettings(dir)
			selected := err == nil && len(s.Keep)+len(s.Drop) > 0
			err = cli.Client(dir).Rows(cmd.Context(), gatecrawl.Wanted{Views: true, Bodies: !selected}, func(r *gatecrawl.Row) error {
				if r.View == nil {
					return nil
				}
				p, err := jobPage(r)
				if !yield(p, err) {
					return enough
				}
				return nil
			})
			if err != nil && !errors.Is(err, enough) {
				yield(corpus.Page{}, err)
			}
		}
	}
}

// jobPage returns the page of a row with a view.
func jobPage(r *gatecrawl.Row) (p corpus.Page, err error) {
	p = corpus.Page{
		URL: r.Page.URL, Fetched: r.Page.Fetched, Status: r.Page.Status, Type: r.Page.Type,
		Truncated: r.Page.Truncated, Size: r.Page.Bytes,
	}
	if p.Digest, err = dedup.ParseDigest(r.Page.Digest); err != nil {
		return p, err
	}
	if r.Body == nil {
		p.View, err = page.UnpackView(r.View)
		return p, err
	}
	p.Body = r.Body
	if r.Page.Charset != "" {
		p.Type += "; charset=" + r.Page.Charset
	}
	return p, nil
}

func newMethods() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "methods [NAME...]",
		Short: "List the published methods of finding copies, and their options",
		Long: `methods lists the methods that crawl dedup --method, crawl near --method and crawl
eval --methods take, with their source and the options that set their constants:
NAME:OPTION=VALUE,OPTION=VALUE. Next to those published is the gate itself, for comparison.`,
		Example: "  crawl methods docview\n" +
			"  crawl dedup pages.jsonl --method docview:n=10,delta=.2",
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted := "all"
			if len(args) > 0 {
				wanted = strings.Join(args, ",")
			}
			list, err := methods.Named(wanted, labelled.LeastOfPages)
			if err != nil {
				return cli.Usagef("%w", nearMethod(err))
			}
			return showMethods(cmd.OutOrStdout(), list, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object a method")
	return cmd
}

// A methodLine is a method as crawl methods writes it in JSON.
type methodLine struct {
	Name      string           `json:"name"`
	Source    string           `json:"source"`
	Threshold float64          `json:"threshold"`
	Sketches  bool             `json:"sketches"` // crawl dedup takes --pairs and --sketches with it
	Options   []methods.Option `json:"options"`
}

func showMethods(w io.Writer, list []methods.Method, asJSON bool) error {
	for _, m := range list {
		_, sketches := m.(methods.Scalable)
		l := methodLine{m.Name(), m.Source(), m.Threshold(), sketches, methods.Options(m)}
		if asJSON {
			if err := console.EncodeLine(w, l); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(w, "%-18s %s\n", l.Name, l.Source)
		if !sketches {
			fmt.Fprintln(w, "    decides page by page: crawl dedup has no --pairs and --sketches with it")
		}
		for _, o := range l.Options {
			value := o.Value
			if n, err := strconv.ParseFloat(value, 64); err == nil && len(value) > 6 {
				value = strconv.FormatFloat(n, 'g', 4, 64) // a third has no end
			}
			if _, err := fmt.Fprintf(w, "    %-10s %-6s %s\n", o.Name, value, o.About); err != nil {
				return err
			}
		}
	}
	return nil
}

// other returns a page that is not in the collections: the stored version of a copy, a file, or a
// fetched page.
func (n *nearness) other(cmd *cobra.Command, arg string) (corpus.Page, error) {
	if u, err := weburl.Parse(arg); err == nil && len(n.in) == 0 {
		kept := ""
		job := cli.Asker{Dir: n.Dir}
		err := cli.Each(&job, cmd, control.Question{Verb: "view", URL: u.String()}, func(v control.View) error {
			kept = v.URL
			return nil
		})
		if err != nil && !errors.Is(err, gatecrawl.ErrUnknown) {
			return corpus.Page{}, err
		}
		if kept != "" {
			return keptPage(cmd, n.Dir, kept, u.String())
		}
		if err := n.mayFetch(cmd, u); err != nil {
			return corpus.Page{}, err
		}
	}
	p, err := readPage(cmd, arg, n.contact)
	if err != nil {
		return corpus.Page{}, err
	}
	return corpus.Page{URL: arg, Body: p.Content, Type: p.Type, View: p.View()}, nil
}

// keptPage returns the stored text of a copy's kept page as that of the copy.
func keptPage(cmd *cobra.Command, dir, url, copied string) (corpus.Page, error) {
	for p, err := range jobPages(cmd)(dir) {
		if err != nil || p.URL == url {
			p.URL = copied
			return p, err
		}
	}
	return corpus.Page{}, fmt.Errorf("%s: %w", url, gatecrawl.ErrUnknown)
}

// nearBy lists the pages of collections that a method, or the gate, finds to be copies of one page.
func (n *nearness) nearBy(cmd *cobra.Command, arg string) error {
	o := corpus.Options{Dedup: configs.Default().DedupOptions(), Apart: n.apart}
	if err := n.method.options(&o); err != nil {
		return err
	}
	b, err := corpus.NewBatch(o)
	if err != nil {
		return err
	}
	faults := &cli.Faults{To: cmd.ErrOrStderr()}
	defer faults.End()
	b.Fault = faults.Tell
	names := n.in
	if len(names) == 0 {
		if names = []string{n.Dir}; !crawl.Exists(n.Dir) {
			return cli.NoJob(n.Dir)
		}
	}
	from := func() *corpus.Source {
		return &corpus.Source{Names: names, Stdin: cmd.InOrStdin(), Jobs: jobPages(cmd)}
	}
	near, err := b.Near(from(), corpus.Page{URL: arg})
	if errors.Is(err, gatecrawl.ErrUnknown) {
		asked, readErr := n.other(cmd, arg)
		if readErr != nil {
			return readErr
		}
		if b, err = corpus.NewBatch(o); err != nil {
			return err
		}
		near, err = b.Near(from(), asked)
	}
	if err != nil {
		return err
	}
	found := make(map[bool]int) // by whether they are copies
	for _, m := range near {
		isCopy := m.Apart == ""
		if found[isCopy]++; n.limit > 0 && found[isCopy] > n.limit {
			continue
		}
		switch {
		case n.AsJSON:
			err = console.EncodeLine(cmd.OutOrStdout(), m)
		case !isCopy:
			err = tellApart(cmd.OutOrStdout(), m.URL, m.Score, m.Apart)
		default:
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s  (%s)\n", console.OneLine(m.URL), cli.Likeness(m.Class, m.Level, m.Distance, m.Score))
		}
		if err != nil {
			return err
		}
	}
	if found[true] == 0 {
		by := "the gate"
		if o.Method != nil {
			by = o.Method.Name()
		}
		if faults.N > 0 {
			return fmt.Errorf("not all of %s could be read, and no page of what could be is near %s by %s", strings.Join(names, ", "), arg, by)
		}
		return fmt.Errorf("no page of %s is near %s by %s", strings.Join(names, ", "), arg, by)
	}
	return nil
}
