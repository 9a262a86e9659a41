package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl"
	"gatecrawl/configs"
	"gatecrawl/frontier"
	"gatecrawl/store"
)

func newSeeds() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "seeds",
		Short:   "Add start addresses to a job",
		Example: "  crawl seeds add --job news https://example.org/",
	}
	cmd.AddCommand(newSeedsAdd())
	return cmd
}

func newSeedsAdd() *cobra.Command {
	var dir string
	var files []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "add [URL...]",
		Short: "Add start addresses to a job, whether it runs or not",
		Long: `seeds add queues addresses in a job as its seeds are, and widens its scope by
them. A running crawl takes them at once; a stopped one when it goes on. What is
known already is not added again. A list is what crawl run --seeds takes: lines
of URLs, with label=WORD and priority=NUMBER behind tabs, a sitemap or a feed.`,
		Example: `  crawl seeds add --job news https://example.org/ example.net
  crawl seeds add --job news --seeds more.txt.gz
  grep -h '^http' *.txt | crawl seeds add --job news --seeds -`,
	}
	cmd.Flags().StringVar(&dir, "job", defaultJob, "the job's folder `DIR`")
	cmd.Flags().StringArrayVar(&files, "seeds", nil, "read addresses from `FILE`, or from - for standard input; may be given more than once")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.RunE = func(cmd *cobra.Command, urls []string) error {
		if len(urls)+len(files) == 0 {
			return usagef("no seeds: give URLs, or --seeds FILE")
		}
		if !store.Exists(dir) {
			return fmt.Errorf("no job at %s: start one with crawl run --job %s -u URL", dir, dir)
		}
		a := &adding{dir: dir, screen: newScreen(cmd.ErrOrStderr())}
		if err := a.all(cmd.Context(), urls, files, cmd.InOrStdin()); err != nil {
			return err
		}
		for _, fault := range a.sum.Faults {
			fmt.Fprintln(a.screen, fault)
		}
		if asJSON {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(a.sum)
		}
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s added, %s bad\n", many(a.sum.Added, "URL", "URLs"), many(a.sum.Bad, "line", "lines"))
		return err
	}
	return cmd
}

// An added says what came of adding seeds.
type added struct {
	Added  int      `json:"added"`            // URLs that were new
	Bad    int      `json:"bad"`              // lines that are no URL, or one that the crawl may not ask
	Faults []string `json:"faults,omitempty"` // of the first bad lines
}

// bad counts a line that is not added.
func (a *added) bad(err error) {
	if a.Bad++; a.Bad <= badShown {
		a.Faults = append(a.Faults, err.Error())
	}
}

// add puts what came of another list to this.
func (a *added) add(b added) {
	a.Added, a.Bad = a.Added+b.Added, a.Bad+b.Bad
	a.Faults = append(a.Faults, b.Faults...)
}

// An adding adds lists to one job.
type adding struct {
	dir    string
	screen *screen
	sum    added
}

// all adds the URLs, then each list.
func (a *adding) all(ctx context.Context, urls, files []string, stdin io.Reader) error {
	for _, u := range urls {
		if _, err := frontier.ParseSeed(u); err != nil {
			return usagef("%w", err)
		}
	}
	if len(urls) > 0 {
		if err := a.list(ctx, strings.NewReader(strings.Join(urls, "\n")), "command line"); err != nil {
			return err
		}
	}
	for _, name := range files {
		if name == "-" {
			if err := a.list(ctx, stdin, "standard input"); err != nil {
				return err
			}
			continue
		}
		if err := a.file(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (a *adding) file(ctx context.Context, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return usagef("--seeds: %w", err)
	}
	defer f.Close()
	return a.list(ctx, f, name)
}

// list hands a list to the crawl that works on the job, or adds it itself. A job
// that begins or ends just now is locked for a moment.
func (a *adding) list(ctx context.Context, r io.Reader, name string) error {
	text := bufio.NewReader(r) // what a failed attempt has not read is still there
	deadline := time.Now().Add(5 * time.Second)
	for {
		err := a.running(ctx, text, name)
		if !errors.Is(err, errNotRunning) {
			return err
		}
		err = a.stopped(ctx, text, name)
		var locked *store.LockedError
		if !errors.As(err, &locked) || time.Now().After(deadline) || ctx.Err() != nil {
			return err
		}
		pause(ctx, 50*time.Millisecond)
	}
}

// running posts the list to the crawl that works on the job.
func (a *adding) running(ctx context.Context, r io.Reader, name string) error {
	transport, err := toRunning(a.dir)
	if err != nil {
		return err
	}
	address := url.URL{Scheme: "http", Host: "crawl", Path: "/seeds", RawQuery: url.Values{"name": {name}}.Encode()}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), r)
	if err != nil {
		return err
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		return fmt.Errorf("the running crawl: %s", strings.TrimSpace(string(text)))
	}
	var came added
	if err := json.NewDecoder(resp.Body).Decode(&came); err != nil {
		return fmt.Errorf("the running crawl ended before all was added; add the list again: %w", err)
	}
	a.sum.add(came)
	return nil
}

// stopped adds the list to a job on which no crawl works.
func (a *adding) stopped(ctx context.Context, r io.Reader, name string) (err error) {
	j := &job{dir: a.dir, screen: a.screen}
	if j.settings, err = loadSaved(a.dir); err != nil {
		return err
	}
	if j.scope, err = j.settings.LoadScope(); err != nil {
		return usagef("%w", err)
	}
	if j.idf, err = openIDF(j.settings.IDF); err != nil {
		return usagef("%w", err)
	}
	so := j.settings.StoreOptions()
	so.IDF = j.idf.Version()
	st, err := store.Open(a.dir, so)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	loopback := j.settings.AllowLoopback
	j.settings.AllowLoopback = true // a seed on this machine allows it
	c, err := j.wire(st)
	if err != nil {
		return err
	}
	local := false
	n, err := c.Seed(ctx, permitted(seedsIn(r, name), name, &j.settings, &local), a.sum.bad)
	a.sum.Added += n
	if j.settings.AllowLoopback = loopback || local; j.settings.AllowLoopback != loopback {
		err = errors.Join(err, save(a.dir, j.settings))
	}
	return err
}

// permitted turns seeds that the crawl may not ask into faults. It notes whether
// one is on this machine.
func permitted(seeds iter.Seq2[frontier.Seed, error], name string, s *configs.Settings, local *bool) iter.Seq2[frontier.Seed, error] {
	return func(yield func(frontier.Seed, error) bool) {
		for seed, err := range seeds {
			if err == nil {
				err = mayAsk(s, seed.URL)
				if err != nil {
					err = fmt.Errorf("%s:%d: %w", name, seed.Line, err)
				}
			}
			*local = *local || err == nil && seed.URL.Loopback()
			if !yield(seed, err) {
				return
			}
		}
	}
}

// mayAsk refuses a seed that the settings of a job do not let it fetch.
func mayAsk(s *configs.Settings, u frontier.URL) error {
	if err := needContact(s.Contact, u); err != nil {
		return err
	}
	if u.Loopback() && !s.AllowLoopback {
		return fmt.Errorf("%s is on this machine, where the running crawl does not go: stop it, add the address, and go on", u)
	}
	return nil
}

// addSeeds answers POST /seeds of a running crawl.
func (j *job) addSeeds(c *gatecrawl.Crawler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Query().Get("name")
		var came added
		var local bool
		n, err := c.Seed(r.Context(), permitted(seedsIn(r.Body, name), name, &j.settings, &local), came.bad)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		came.Added = n
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(came)
	}
}
