package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl"
	"gatecrawl/configs"
	"gatecrawl/dedup"
	"gatecrawl/fetch"
	"gatecrawl/frontier"
	"gatecrawl/priority"
	"gatecrawl/store"
)

const defaultJob = "job"

func newRun() *cobra.Command {
	var dir string
	var asJSON, verbose, recrawl bool
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Crawl, go on with a crawl, or crawl anew what is finished",
		Long: `run crawls from start addresses and keeps everything in a job folder. A crawl
that was stopped goes on with crawl run --job DIR: the settings are saved in
the folder, and what is given now wins and is saved too.

A crawl that is finished is crawled again by the same command: it asks whether
its pages have changed. Of pages with one content it asks for one, and for a
sample of the others (--recrawl-copies); what it learned of addresses and
mirrors holds on; with --recrawl-pages it asks for so many, those first that are
most likely to have changed, by how often each did.`,
		Example: `  crawl run --contact me@example.org -u https://example.org/ --max-pages 1000
  crawl run --job news --contact me@example.org --seeds list.txt --scope domain
  crawl run --job news`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("%s: want start addresses as -u URL or in a --seeds FILE", args[0])
			}
			return nil
		},
	}
	given := newFlagged(cmd)
	cmd.Flags().StringVar(&dir, "job", defaultJob, "keep all state in the folder `DIR`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a summary as one JSON object at the end")
	cmd.Flags().BoolVar(&recrawl, "recrawl", false, "ask again for the pages of a job that is not finished too")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "log every page")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		saved, err := loadSaved(dir)
		if err != nil {
			return err
		}
		j := &job{dir: dir, stdin: cmd.InOrStdin(), screen: newScreen(cmd.ErrOrStderr()), verbose: verbose, recrawl: recrawl}
		j.forgetStdin(&saved)
		if j.settings, err = given.over(saved); err != nil {
			return err
		}
		ctx, stop := untilInterrupt(cmd.Context(), j.screen,
			"stopping: finishing the pages in hand; Ctrl-C again stops at once", func() {
				fmt.Fprintf(j.screen, "stopped at once; nothing is lost, go on with: %s\n", j.resume())
			})
		defer stop()
		r, err := j.run(ctx)
		if err != nil {
			return err
		}
		if asJSON {
			if err := json.NewEncoder(cmd.OutOrStdout()).Encode(r); err != nil {
				return err
			}
		}
		j.tellEnd(r)
		return silent(codeOfEnd(r.Ended))
	}
	return cmd
}

// A job is one crawl to be run: where its state lies, how it is set, and who
// watches.
type job struct {
	dir      string
	settings configs.Settings
	idf      *dedup.IDF            // of settings; nil: none
	scope    frontier.ScopeOptions // of settings, with what stands in files
	stdin    io.Reader
	screen   *screen
	verbose  bool
	recrawl  bool // ask again, whether the crawl is finished or not
	fetcher  *fetch.Fetcher
}

// A result is how a run ended, and the job as it is then.
type result struct {
	Ended gatecrawl.Ended `json:"ended"`
	gatecrawl.Status

	began, revisited int64 // records and visits of known pages before the run
}

func (j *job) resume() string { return "crawl run --job " + j.dir }

// forgetStdin drops a list on standard input that an earlier run did not read
// to its end: that input is gone.
func (j *job) forgetStdin(s *configs.Settings) {
	if slices.Contains(s.Seeds, "-") {
		s.Seeds = slices.DeleteFunc(s.Seeds, func(f string) bool { return f == "-" })
		fmt.Fprintln(j.screen, "the last run was stopped while it read seeds from standard input: "+
			"give them again with --seeds - (those that are in the job are not added twice)")
	}
}

// run crawls until the job is done, a limit is reached, or ctx ends. It is the
// one place where the packages are wired.
func (j *job) run(ctx context.Context) (r result, err error) {
	s := &j.settings
	begin, err := newStart(s, j.stdin, j.screen)
	if err != nil {
		return r, err
	}
	defer begin.Close()
	if err := j.mayBegin(begin); err != nil {
		return r, err
	}
	if err := j.absolute(); err != nil {
		return r, err
	}
	if j.scope, err = s.LoadScope(); err != nil {
		return r, usagef("%w", err)
	}

	if j.idf, err = openIDF(s.IDF); err != nil {
		return r, usagef("%w", err)
	}
	so := s.StoreOptions()
	so.IDF = j.idf.Version()
	st, err := store.Open(j.dir, so)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	// From here on the job is ours alone.
	if err := save(j.dir, *s); err != nil {
		return r, fmt.Errorf("saving the settings: %w", err)
	}
	crawler, err := j.wire(st)
	if err != nil {
		return r, err
	}
	stopRender, err := j.renderWith(crawler)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, stopRender()) }()
	stopArchive, err := j.archiveIn(crawler)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, stopArchive()) }()
	shut, err := serveControl(j.dir, st, j.addSeeds(crawler), changeRules(st))
	if err != nil {
		fmt.Fprintf(j.screen, "this crawl cannot be asked while it runs: %v\n", err)
	}
	defer shut()

	r.began, r.revisited = st.Totals().Pages, st.Totals().Revisits
	watched := j.screen.watch(st.Totals)
	defer watched()
	if r.Ended, err = j.crawl(ctx, crawler, st, begin); err != nil {
		return r, err
	}
	if err := st.Stopped(string(r.Ended)); err != nil {
		return r, err
	}
	r.Status, err = st.Status(context.WithoutCancel(ctx))
	r.Running, r.Stopped = false, string(r.Ended)
	return r, err
}

// absolute makes the names of files in the settings independent of the current
// folder, so that a saved job finds them again.
func (j *job) absolute() (err error) {
	s := &j.settings
	if s.Seeds, err = absolute(s.Seeds); err != nil {
		return err
	}
	if s.URLRules, err = absolute(s.URLRules); err != nil {
		return err
	}
	for _, name := range []*string{&s.IDF, &s.Surts, &s.IncludeFile, &s.ExcludeFile} {
		if *name == "" {
			continue
		}
		if *name, err = filepath.Abs(*name); err != nil {
			return err
		}
	}
	return nil
}

// crawl adds the start addresses and then crawls.
func (j *job) crawl(ctx context.Context, c *gatecrawl.Crawler, st *store.Store, begin *start) (gatecrawl.Ended, error) {
	err := j.seed(ctx, c, begin)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return gatecrawl.Interrupted, nil
	}
	if err != nil {
		return "", err
	}
	if err := j.refetch(ctx, c, st); err != nil {
		return "", err
	}
	if err := j.fetcher.Reach(ctx); err != nil {
		return "", fmt.Errorf("%w; start it, or name another one or none: %s --proxy ''", err, j.resume())
	}
	return c.Run(ctx)
}

// mayBegin refuses what cannot be a crawl before anything is written.
func (j *job) mayBegin(begin *start) error {
	s := &j.settings
	if begin.first != nil {
		if err := needContact(s.Contact, begin.first.URL); err != nil {
			return err
		}
		s.AllowLoopback = s.AllowLoopback || begin.first.URL.Loopback()
	} else if len(begin.files) > 0 || !store.Exists(j.dir) {
		return begin.without()
	}
	return nil
}

// wire puts the crawler together.
func (j *job) wire(st *store.Store) (*gatecrawl.Crawler, error) {
	s := j.settings
	var err error
	if j.fetcher, err = fetch.New(s.FetchOptions(version())); err != nil {
		return nil, err
	}
	scope, err := frontier.NewScope(j.scope)
	if err != nil {
		return nil, err
	}
	var topic *priority.Topic
	if s.Topic != "" {
		if topic, err = priority.NewTopic(s.Topic); err != nil {
			return nil, err
		}
	}
	o := s.CrawlOptions()
	o.IDF = j.idf
	if o.URLRules, err = s.LoadURLRules(j.tellRules()); err != nil {
		return nil, usagef("%w", err)
	}
	return gatecrawl.New(o, st, j.fetcher, scope, topic, j.log())
}

func (j *job) log() *slog.Logger {
	o := &slog.HandlerOptions{Level: slog.LevelWarn}
	if j.verbose {
		o.Level = slog.LevelDebug
	}
	if j.settings.LogFormat == configs.LogJSON {
		return slog.New(slog.NewJSONHandler(j.screen, o))
	}
	return slog.New(slog.NewTextHandler(j.screen, o))
}

// seed adds the start addresses. Until all are in, the saved settings name
// them, so that a run after a crash adds the rest.
func (j *job) seed(ctx context.Context, c *gatecrawl.Crawler, begin *start) error {
	var fault error
	_, err := c.Seed(ctx, begin.seeds(ctx, &j.settings, &fault), begin.tell)
	begin.Close()
	if err := errors.Join(fault, err); err != nil {
		return err
	}
	s := j.settings
	s.URL, s.Seeds = nil, nil
	if err := save(j.dir, s); err != nil {
		return fmt.Errorf("saving the settings: %w", err)
	}
	return nil
}

// tellEnd says in a line what came of a run and what can be done next.
func (j *job) tellEnd(r result) {
	w := j.screen
	again := r.Revisits - r.revisited
	switch {
	case r.Ended == gatecrawl.Done && r.Pages == r.began && again == 0:
		fmt.Fprintf(w, "nothing left to do: %s pages are in %s, see crawl status --job %s\n", count(r.Pages), j.dir, j.dir)
	default:
		fmt.Fprintf(w, "%s: %s pages in %s: %s new, %s copies, %s refused, %s failed\n", r.Ended, count(r.Pages),
			seconds(r.Active), count(r.New), count(r.Copies), count(r.Refused), count(r.Failed))
	}
	tellAvoided(w, r.Totals)
	if again > 0 {
		fmt.Fprintf(w, "%s asked for again stayed what they were\n", many(int(again), "page", "pages"))
	}
	if m := r.Mirrors; m["found"] > 0 {
		fmt.Fprintf(w, "%s found, %s of them given up: crawl mirrors --job %s\n",
			many(int(m["found"]), "mirrored site was", "mirrored sites were"), count(m["given-up"]), j.dir)
	}
	if r.Ended != gatecrawl.Done {
		fmt.Fprintf(w, "go on with: %s\n", j.resume())
	}
	if r.Held > 0 {
		fmt.Fprintf(w, "%s on hosts that have used up --max-pages-per-host or --max-new-per-host: go on with a higher one\n",
			many(int(r.Held), "URL waits", "URLs wait"))
	}
	if r.Parked > 0 {
		fmt.Fprintf(w, "%s on %s: tried again by %s\n",
			many(int(r.Parked), "URL waits", "URLs wait"), many(int(r.ParkedHosts), "host that does not answer or is too busy", "hosts that do not answer or are too busy"), j.resume())
	}
}

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(10 * time.Millisecond).String()
}
