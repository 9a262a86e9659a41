package inspect

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/version"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/purify"
)

// askSites answers from a job that no process has open, and asks the sites for documents that the
// job does not have.
func (m *mirrorsReport) askSites(cmd *cobra.Command) (r mirror.Report, err error) {
	if !crawl.Exists(m.Dir) {
		return r, cli.NoJob(m.Dir)
	}
	s, err := crawl.SavedSettings(m.Dir)
	if err != nil {
		s = configs.Default() // the defaults are polite
	}
	if m.contact != "" {
		s.Contact = m.contact
	}
	st, err := cli.OpenWhole(m.Dir, "--probe live")
	if cli.IsLocked(err) {
		return r, fmt.Errorf("%w: run this when the crawl has ended, or use --probe store", err)
	}
	if err != nil {
		return r, err
	}
	defer st.Close()
	c, err := fetch.NewClient(fetch.ClientOptions{
		Fetch: s.FetchOptions(version.Short()), Anonymous: s.Contact == "",
		Delay: time.Duration(s.Delay), MaxDelay: time.Duration(s.MaxDelay), Known: st.Robots,
	})
	if err != nil {
		return r, err
	}
	defer c.Close()
	reader, err := s.CrawlOptions().Reader()
	if err != nil {
		return r, err
	}
	p := &prober{client: c, reader: reader, template: func(u weburl.URL) (*purify.Template, error) { return st.Template(u.String()) }}
	pairs, err := st.PairsBy(cmd.Context(), p.probe)
	if err == nil && p.anonymous > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s not asked for: they are not on this machine, and no contact is given for their owners; use --contact\n", humanize.Many(p.anonymous, "URL was", "URLs were"))
	}
	r = mirror.Gather(pairs)
	if m.q.Limit > 0 {
		r.Groups = r.Groups[:min(len(r.Groups), m.q.Limit)]
		r.Pairs = r.Pairs[:min(len(r.Pairs), m.q.Limit-len(r.Groups))]
	}
	return r, err
}
