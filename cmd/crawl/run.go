package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/version"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/control/metrics"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/humanize"
)

// checkStart refuses an argument that can be read as a URL but is meant as something else.
func checkStart(u string) error {
	if _, err := netip.ParsePrefix(u); err == nil { // it follows --allow-private, which takes no value
		return cli.Usagef("%s is a network, not a URL: no flag takes one, and http://%[1]s would be a page", u)
	}
	if f, err := os.Stat(u); err == nil && f.Mode().IsRegular() {
		return cli.Usagef("%s is a file: --seeds %s reads start URLs from it; a host of that name is https://%[1]s", u, cli.Quoted(u))
	}
	return nil
}

// addStarts adds arguments to the start URLs.
func addStarts(given *cli.SettingFlags, args []string) error {
	for _, u := range args {
		if err := checkStart(u); err != nil {
			return err
		}
		if err := given.Add("url", u); err != nil {
			return err
		}
	}
	return nil
}

func newRun() *cobra.Command {
	var dir string
	var asJSON, verbose, recrawl, retry bool
	cmd := &cobra.Command{
		SuggestFor: []string{"recrawl", "crawl", "start", "fetch", "continue"},
		Use:        "run [URL...]",
		Short:      "Crawl, continue a crawl, or re-crawl a finished one",
		Long: `run crawls from start URLs and keeps everything in a job folder. A crawl
that was stopped goes on with crawl run --job DIR: its settings are saved in
the folder; flags that are given now override them, and are saved too.

The same command re-crawls a finished crawl: it requests the pages again to see
whether they have changed. Of pages with the same content it requests one, and a
sample of the others (--recrawl-copies). What it has learned about URLs and
mirrors stays in force. With --recrawl-pages it requests at most that many, those
first that are most likely to have changed, by how often each did. With
--retry-failed it requests the pages that failed, and nothing else.`,
		Example: `  crawl run --contact me@example.org https://example.org/ --max-pages 1000
  crawl run --job news --contact me@example.org --seeds list.txt --scope domain
  crawl run --job news`,
		Args: checkStarts,
	}
	given := newFlagged(cmd)
	cmd.Flags().StringVar(&dir, "job", cli.DefaultJob, "keep all state in the folder `DIR`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a summary as one JSON object at the end")
	cmd.Flags().BoolVar(&recrawl, "recrawl", false, "re-crawl the job even if it is not finished")
	cmd.Flags().BoolVar(&retry, "retry-failed", false, "fetch failed pages again; if the job is finished, nothing else")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "log every page")
	shown := serving{}
	cmd.Flags().StringVar(&shown.addr, "serve", "", "show the crawl in a browser, with buttons, metrics and an API, at `ADDRESS` such as 127.0.0.1:8900")
	shown.flags(cmd)
	again := schedule{}
	again.flags(cmd)
	var together clusterRun
	together.cluster.Flags(cmd)
	cmd.Flags().BoolVar(&together.detach, "detach", false, "with --cluster: return when the job has started")
	var headers []string
	cmd.Flags().StringArrayVar(&headers, "header", nil, "send this header to one host, such as `HOST:Name=Value`; the value is not kept; may be given more than once")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := addStarts(given, args); err != nil {
			return err
		}
		if err := again.check(); err != nil {
			return err
		}
		if together.cluster.Given() {
			if err := checkClusterFlags(cmd); err != nil {
				return err
			}
			s, err := given.Over(configs.Default())
			if err == nil {
				err = checkTopicFlags(cmd, s)
			}
			if err != nil {
				return err
			}
			return together.run(cmd, dir, s, asJSON)
		}
		saved, err := cli.SettingsOf(dir, given.File)
		if err != nil {
			return err
		}
		j := &job{dir: dir, stdin: cmd.InOrStdin(), screen: console.NewScreen(cmd.ErrOrStderr()), verbose: verbose, recrawl: recrawl, repeated: again.every > 0, retry: retry, headers: headers, shown: shown}
		j.forgetStdin(&saved)
		if j.settings, err = given.Over(saved); err != nil {
			return err
		}
		if err := checkTopicFlags(cmd, j.settings); err != nil {
			return err
		}
		forPrograms := j.settings.LogFormat == configs.LogJSON && !j.screen.Watched()
		if forPrograms {
			j.screen = console.NewScreen(console.JSONLines(cmd.ErrOrStderr()))
		}
		if again.every > 0 && j.settings.Depth != 0 && !cmd.Flags().Changed("sitemaps") {
			j.settings.Sitemaps = true // new pages are in them first; with depth 0 only the seeds are wanted
		}
		ctx, stop := cli.UntilInterrupt(cmd.Context(), j.screen,
			"stopping: finishing the pages under way; Ctrl-C again stops at once", func() {
				fmt.Fprintf(j.screen, "stopped at once; nothing is lost, go on with: %s\n", j.resume())
			})
		defer stop()
		r, err := again.run(ctx, j, func(r result) error {
			j.tellEnd(r)
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(r)
			}
			return nil
		})
		if err != nil && forPrograms {
			j.log().Error("the run failed", "err", err)
			return cli.Silent(cli.TellFault(io.Discard, "", err))
		}
		if err != nil {
			return err
		}
		return cli.Silent(cli.CodeOfEnd(cli.End{Ended: r.Ended, Run: r.Run, Empty: r.isEmpty(), Waiting: r.ParkedHosts > r.AsideHosts || r.Run.Seeds > 0}))
	}
	return cmd
}

// checkTopicFlags refuses flags about a topic for a crawl without one. Settings in files may have them: those that are
// saved with a job always do.
func checkTopicFlags(cmd *cobra.Command, s configs.Settings) error {
	if s.Focused() {
		return nil
	}
	for _, name := range []string{"explore", "focus-threshold", "focus-patience", "topic-learn"} {
		if cmd.Flags().Changed(name) {
			return cli.Usagef("--%s: given without a topic, like or topic-model: it changes nothing then", name)
		}
	}
	return nil
}

// checkClusterFlags refuses flags of run that its job in a cluster does not get: the nodes crawl, once, and not this
// command.
func checkClusterFlags(cmd *cobra.Command) error {
	for _, f := range []struct{ names, why string }{
		{"every recrawl retry-failed", "a job there is crawled once"},
		{"hook-url hook-secret-file hook-command", "nobody is called when a job there ends; without --detach the command returns then"},
		{"serve serve-token-file serve-pprof", "a cluster has no live page; crawl top --cluster watches a job"},
		{"header", "its value would be in the log of all nodes"},
		{"verbose", "nodes log every page with crawl node --verbose"},
	} {
		for name := range strings.FieldsSeq(f.names) {
			if cmd.Flags().Changed(name) {
				return cli.Usagef("--%s does not go with --cluster: %s", name, f.why)
			}
		}
	}
	return nil
}

// A job is a crawl to be run: its folder, its settings, and its observers.
type job struct {
	dir      string
	settings configs.Settings
	stdin    io.Reader
	screen   *console.Screen
	verbose  bool
	recrawl  bool     // fetch all pages again, whether the crawl is finished or not
	repeated bool     // with --every
	retry    bool     // fetch failed pages again
	headers  []string // --header
	shown    serving
	said     string // the address that was last printed
}

// A result has how a run ended, what it brought, and the state of the job then.
type result struct {
	Ended gatecrawl.Ended `json:"ended"`
	Run   gatecrawl.Tally `json:"run"`
	gatecrawl.Status

	before     int64 // records in the job before the run
	keptBefore int64 // and kept pages
}

// refusedAll reports whether rules exclude all that the job was given.
func (r *result) refusedAll() bool {
	return r.Ended == gatecrawl.Done && r.Pages == 0 && len(r.Rules) > 0
}

// isEmpty reports whether nothing is left to do and the job has no document.
func (r *result) isEmpty() bool { return r.Ended == gatecrawl.Done && r.New+r.Copies == 0 }

// didNothing reports whether a run has requested no URL.
func (r *result) didNothing() bool {
	return r.Run.Fetched+r.Run.Forbidden+r.Run.Excluded+r.Run.Unanswered+r.Run.Retries == 0
}

// reachedBefore reports whether the job's limit was reached before the run started.
func (r *result) reachedBefore() bool {
	return r.before > 0 && (r.Ended == gatecrawl.PageLimit || r.Ended == gatecrawl.SizeLimit) && r.didNothing()
}

func (j *job) resume() string { return "crawl run --job " + cli.Quoted(j.dir) }

// goOn returns the command that continues the job after a run. A limit that was reached has to be
// raised, or else the next run ends at once. The pages in hand may have exceeded it.
func (j *job) goOn(r result) string {
	s, value := j.settings, ""
	switch r.Ended {
	case gatecrawl.PageLimit:
		value = fmt.Sprint(beyond(s.MaxPages, r.Status.Answered()))
	case gatecrawl.SizeLimit:
		value = fmt.Sprint(beyond(s.MaxBytes, configs.Size(r.Status.Wire)))
	case gatecrawl.TopicTail:
		value = "0"
	case gatecrawl.TopicLimit:
		found := s.StopAfterRelevant
		if r.Harvest != nil {
			found = max(found, r.Harvest.OnTopic)
		}
		value = fmt.Sprint(found + s.StopAfterRelevant)
	default:
		return j.resume()
	}
	return fmt.Sprintf("%s --%s %s", j.resume(), r.Ended.Setting(), value)
}

// beyond returns twice a limit, or more if the job has that much already: a run may have been given
// a lower limit than the job has pages. The limit is 0 if it was set while the run was under way.
func beyond[N ~int64](limit, has N) N {
	if limit == 0 {
		limit = has
	}
	if has < 2*limit {
		return 2 * limit
	}
	return has + limit
}

// forgetStdin drops a list on standard input that an earlier run did not read to its end, since
// that input is gone.
func (j *job) forgetStdin(s *configs.Settings) {
	if slices.Contains(s.Seeds, "-") {
		s.Seeds = slices.DeleteFunc(s.Seeds, func(f string) bool { return f == "-" })
		fmt.Fprintln(j.screen, "the last run was stopped while it read seeds from standard input: "+
			"give them again with --seeds - (seeds that are already in the job are not added twice)")
	}
}

// crawlGarbage is how many bytes of garbage a crawl may have. It uses some 80 MB, and 130 MB with
// 125,000 pages, which garbage could otherwise double.
const crawlGarbage = 48 << 20

// run crawls until the job is done, a limit is reached, or ctx ends.
func (j *job) run(ctx context.Context) (r result, err error) {
	defer cli.BoundGarbage(crawlGarbage)()
	if limit := int64(j.settings.MemoryLimit); limit > 0 { // otherwise GOMEMLIMIT applies, if it is set
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	}
	g, err := j.shown.guarded()
	if err != nil {
		return r, err
	}
	faults := &cli.Faults{To: j.screen, One: "more line that is not a URL, or is refused", More: "more lines that are not URLs, or are refused"}
	defer faults.End()
	o := crawl.Options{
		Log: j.log(), Version: version.Short(), Stdin: j.stdin, Again: j.recrawl, Repeated: j.repeated, RetryFailed: j.retry, Headers: j.headers,
		BadSeed: faults.Tell, BadRule: j.tellRules(),
		Seeded: func(int) { faults.End() }, Requeued: j.tellRequeued,
		Known: j.tellKnown, Rows: func(ctx context.Context, dir string, fn func(*gatecrawl.Row) error) error {
			return cli.Client(dir).Rows(ctx, gatecrawl.Wanted{Views: true}, fn)
		},
	}
	var meter func(*crawl.Crawl) *metrics.Metrics
	if g != nil {
		meter = metered(&o)
	}
	c, err := j.open(ctx, o)
	if err != nil {
		return r, j.inFlags(err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	running := j.running(c)
	shut, err := control.Serve(j.dir, running)
	if err != nil {
		fmt.Fprintf(j.screen, "commands such as crawl status cannot reach this crawl while it runs: %v\n", err)
	}
	defer shut()
	if g != nil {
		at, shut, err := j.shown.serve(ctx, g, site{c.Job(), running, meter(c)})
		if err != nil {
			return r, err
		}
		defer shut()
		j.sayShown(at)
	}

	before := c.Totals()
	r.before, r.keptBefore = before.Pages, before.New
	watched := j.watch(c.Totals, c.Tally, func() (gatecrawl.Status, error) { return c.Job().Status(ctx) }, func() []string { return j.drawn(ctx, running) })
	r.Ended, err = c.Run(ctx)
	watched()
	if err != nil {
		return r, j.inFlags(err)
	}
	r.Run = c.Tally()
	r.Status, err = c.Job().Status(context.WithoutCancel(ctx))
	r.Running, r.Stopped = false, string(r.Ended)
	return r, err
}

// open opens the job. If crawl serve shows it, that lets go of it. A crawl, or a schedule between two
// runs, does not.
func (j *job) open(ctx context.Context, o crawl.Options) (*crawl.Crawl, error) {
	list := &kept{from: o.Stdin}
	if o.Stdin != nil && slices.Contains(j.settings.Seeds, "-") {
		o.Stdin = list
		defer list.forget()
	}
	c, err := crawl.OpenWith(j.dir, j.settings, o)
	if !cli.IsLocked(err) {
		return c, err
	}
	if answer, runs := cli.Client(j.dir).AskRunning(ctx, control.Question{Verb: "status"}); runs == nil {
		answer.Close()
		return c, err
	}
	done, unheard := cli.Want(j.dir)
	if unheard != nil {
		return c, err
	}
	defer done()
	for late := time.Now().Add(servePatience); cli.IsLocked(err) && time.Now().Before(late) && ctx.Err() == nil; {
		sleep(ctx, yieldRest)
		list.again()
		c, err = crawl.OpenWith(j.dir, j.settings, o)
	}
	return c, err
}

// A kept keeps what was read of standard input until forget, so that a job that could not be opened
// can be opened again with the same list.
type kept struct {
	from   io.Reader
	read   []byte
	next   int  // in read
	forgot bool // the rest is read once
}

// Read implements io.Reader.
func (k *kept) Read(p []byte) (n int, err error) {
	if k.next < len(k.read) {
		n = copy(p, k.read[k.next:])
	} else if n, err = k.from.Read(p); k.forgot {
		return n, err
	} else {
		k.read = append(k.read, p[:n]...)
	}
	k.next += n
	return n, err
}

// again makes Read start from the beginning.
func (k *kept) again() { k.next = 0 }

// forget keeps no more of what is read.
func (k *kept) forget() {
	k.read, k.next, k.forgot = k.read[k.next:], 0, true
}

// sayShown prints where the crawl is shown, unless that was printed already. With port 0 the port
// is different in each run of a schedule, and between two runs.
func (j *job) sayShown(at string) {
	if j.said != at {
		fmt.Fprintf(j.screen, "this crawl is shown at http://%s/\n", at)
		j.said = at
	}
}

// inFlags returns an error that keeps a crawl from starting, in terms of the command line.
func (j *job) inFlags(err error) error {
	var setting *crawl.SettingError
	var contact *crawl.ContactError
	var seeds *crawl.NoSeedsError
	var proxy *crawl.ProxyError
	var short *crawl.ShortListError
	switch {
	case errors.As(err, &setting) && setting.Setting != "":
		return cli.Usagef("--%w", setting)
	case errors.As(err, &setting):
		return cli.Usagef("%w", setting)
	case errors.As(err, &contact):
		text := fmt.Errorf("%w", cli.NeedContact("", contact.URL))
		if contact.Was != "" {
			text = fmt.Errorf("%w; so far this crawl has named %s", text, contact.Was)
		}
		return text
	case errors.As(err, &seeds) && len(seeds.Lists) == 0:
		if lost := cli.LostJob(j.dir); lost != nil {
			return lost
		}
		return cli.Usagef("no seeds: give URLs, or --seeds FILE")
	case errors.As(err, &seeds):
		return cli.Usagef("%w", seeds)
	case errors.As(err, &short):
		return fmt.Errorf("%w, and no page was fetched: give the whole list with --seeds, or go on without the rest: %s", short, j.resume())
	case errors.As(err, &proxy) && proxy.Login:
		return fmt.Errorf("%w; name it with its login, as http://USER:PASSWORD@HOST:PORT: %s --proxy URL", proxy.Err, j.resume())
	case errors.As(err, &proxy):
		return fmt.Errorf("%w; start it, or name another one or none: %s --proxy ''", proxy.Err, j.resume())
	}
	return err
}

func (j *job) log() *slog.Logger {
	return cli.NewLog(j.screen, j.verbose, j.settings.LogFormat == configs.LogJSON)
}

// withdrawn says how many of the mirrors that were found turned out to have pages of their own.
func withdrawn(n int64) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "; one of them lacked pages or had others in their place, so all of it is crawled"
	}
	return fmt.Sprintf("; %s of them lacked pages or had others in their place, so all of these are crawled", humanize.Count(n))
}
