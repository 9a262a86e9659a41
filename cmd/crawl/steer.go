package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cluster/jetstream"
	"gatecrawl.example/gatecrawl/cluster/node"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/humanize"
)

func newPause() *cobra.Command {
	return steering("pause", "Pause a running crawl", `pause keeps a running crawl from starting pages until crawl resume; the pages in hand
are finished. A crawl that is stopped and started again is not paused.`, func(c *control.Change) { yes := true; c.Pause = &yes }, (*node.Cluster).Pause)
}

func newResume() *cobra.Command {
	return steering("resume", "Let a paused crawl go on", "resume continues a crawl that was paused by crawl pause or by the button of the live page.",
		func(c *control.Change) { no := false; c.Pause = &no }, (*node.Cluster).Resume)
}

// steering makes a command that asks a running crawl, or a cluster, for one change.
func steering(name, short, long string, ask func(*control.Change), inCluster func(*node.Cluster, context.Context, string) error) *cobra.Command {
	var dir string
	var at cli.Cluster
	cmd := &cobra.Command{Use: name, Short: short, Long: long, Example: "  crawl " + name + " --job news", Args: cobra.NoArgs}
	cmd.Flags().StringVar(&dir, "job", cli.DefaultJob, "the job's folder `DIR`")
	at.Flags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if at.Given() {
			return steerCluster(cmd, &at, name, dir, inCluster)
		}
		var c control.Change
		ask(&c)
		return change(cmd, dir, c, nobody)
	}
	return cmd
}

// doneInCluster says what a job of a cluster does after a command. It has the job's name, and the flags
// that name the job for the command that undoes it.
var doneInCluster = map[string]string{
	"pause":  "job %s is paused: nodes finish the pages in hand, and crawl resume %s lets it go on\n",
	"resume": "job %s goes on: crawl status %s shows it\n",
	"stop":   "the nodes finish the pages in hand and stop job %s; crawl resume %s continues it\n",
}

// steerCluster makes one change to a job of a cluster, and says what it does.
func steerCluster(cmd *cobra.Command, at *cli.Cluster, name, job string, do func(*node.Cluster, context.Context, string) error) error {
	return at.With(cmd.Context(), func(_ *jetstream.Engine, all *node.Cluster) error {
		if err := do(all, cmd.Context(), job); err != nil {
			return err
		}
		_, err := fmt.Fprintf(cmd.OutOrStdout(), doneInCluster[name], job, at.Named()+" --job "+job)
		return err
	})
}

// nobody is for changes that only a running crawl can make.
func nobody() (control.Settings, error) { return control.Settings{}, control.ErrNotRunning }

func newSet() *cobra.Command {
	var dir, delay string
	var workers int
	var pages int64
	var hostDelays, parks []string
	var c control.Change
	var at cli.Cluster
	cmd := &cobra.Command{
		Use:   "set",
		Short: "Change a crawl, whether it runs or not: delay, workers, limits, patterns, parked hosts",
		Long: `set changes the settings of a crawl, saves them with the job, and prints them; without a
flag it only prints them. A running crawl takes them at once, a stopped one when it goes
on. Patterns are added to the existing ones, and queued URLs are checked again. The nodes of
a cluster finish the pages in hand and open a job again with its new settings; workers are
those of each node.`,
		Example: `  crawl set --job news --delay 2s --host-delay slow.example=10s
  crawl set --job news --exclude '/tag/' --park busy.example=1h
  crawl set --cluster 127.0.0.1:4222 --job news --delay 5s`,
		Args: cobra.NoArgs,
	}
	fs := cmd.Flags()
	fs.StringVar(&dir, "job", cli.DefaultJob, "the job's folder `DIR`, or its name in a cluster")
	at.Flags(cmd)
	fs.StringVar(&delay, "delay", "", "rest `TIME` between two requests to one host")
	fs.StringArrayVar(&hostDelays, "host-delay", nil, "time between two requests to this host, `HOST=TIME`; 0s removes it; may be given more than once")
	fs.IntVar(&workers, "workers", 0, "fetch `N` pages at the same time")
	fs.Int64Var(&pages, "max-pages", 0, "stop after `N` answered pages; 0 means no limit")
	fs.StringArrayVar(&c.Include, "include", nil, "add the regular expression `RE` to the patterns, one of which a link must match to be followed; may be given more than once")
	fs.StringArrayVar(&c.Exclude, "exclude", nil, "also leave out URLs that match `RE`; may be given more than once")
	fs.StringArrayVar(&parks, "park", nil, "leave a host alone for a time, `HOST=TIME`; 0s asks it again; may be given more than once")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if fs.Changed("delay") {
			c.Delay = &delay
		}
		if fs.Changed("workers") {
			c.Workers = &workers
		}
		if fs.Changed("max-pages") {
			c.MaxPages = &pages
		}
		if c.HostDelay, err = pairs("host-delay", hostDelays); err != nil {
			return err
		}
		if c.Park, err = pairs("park", parks); err != nil {
			return err
		}
		if at.Given() {
			return setInCluster(cmd, &at, dir, c)
		}
		if _, err := c.Controls(); err != nil {
			return cli.Usagef("%w", err)
		}
		return change(cmd, dir, c, func() (now control.Settings, err error) {
			if !crawl.Exists(dir) {
				return now, cli.NoJob(dir)
			}
			err = crawl.Adjust(dir, func(job *crawl.Crawl) error {
				now, err = (&control.Running{Crawl: job}).Apply(cmd.Context(), c)
				return err
			})
			return now, err
		})
	}
	return cmd
}

// setInCluster changes the settings of a job of a cluster, and prints those that it has then.
func setInCluster(cmd *cobra.Command, at *cli.Cluster, job string, c control.Change) error {
	switch {
	case c.MaxPages != nil:
		return cli.Usagef("--max-pages does not go with --cluster: nodes do not count together")
	case len(c.Park) > 0:
		return cli.Usagef("--park does not go with --cluster: give the host a delay of up to %v with --host-delay, or leave it out with --exclude", gatecrawl.LongestDelay)
	}
	ch, err := c.Controls()
	if err != nil {
		return cli.Usagef("%w", err)
	}
	return at.With(cmd.Context(), func(_ *jetstream.Engine, all *node.Cluster) error {
		s, state, err := all.Set(cmd.Context(), job, ch)
		if err != nil {
			return err
		}
		return tellControls(cmd.OutOrStdout(), "the job is "+string(state), control.SettingsOf(crawl.ControlsOf(&s)))
	})
}

// pairs reads values of the form HOST=TIME.
func pairs(flag string, texts []string) (map[string]string, error) {
	m := make(map[string]string)
	for _, text := range texts {
		host, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, cli.Usagef("--%s: %q: want HOST=TIME, such as example.org=1h", flag, text)
		}
		m[host] = value
	}
	return m, nil
}

// notRunning returns the error that no crawl works on a job, with advice; or that there is no such
// job, or that this user may not ask its crawl, as err says.
func notRunning(err error, dir, advice string) error {
	switch {
	case !crawl.Exists(dir):
		return cli.NoJob(dir)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("job %s: %w", dir, err)
	}
	return fmt.Errorf("no crawl works on job %s now%s", dir, advice)
}

// stop asks a running crawl to end its run, or a schedule to end. For a moment between a run and the wait for the next
// one nobody answers.
func stop(cmd *cobra.Command, dir string) (err error) {
	for range 5 {
		if _, err = cli.Client(dir).Steer(cmd.Context(), control.Change{Stop: true}, nobody); !errors.Is(err, control.ErrNotRunning) {
			break
		}
		time.Sleep(yieldRest)
	}
	if errors.Is(err, control.ErrNotRunning) {
		return notRunning(err, dir, "")
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "the crawl finishes the pages in hand and stops; crawl run --job %s continues it\n", cli.Quoted(dir))
	return err
}

// change makes a change, by stopped if no crawl works on the job, and prints the resulting settings.
func change(cmd *cobra.Command, dir string, c control.Change, stopped func() (control.Settings, error)) error {
	state := "the crawl is running"
	now, err := cli.Client(dir).Steer(cmd.Context(), c, func() (control.Settings, error) {
		state = "no crawl works on the job now; the next run has these settings"
		return stopped()
	})
	if errors.Is(err, control.ErrNotRunning) {
		return notRunning(err, dir, fmt.Sprintf(": crawl run --job %s goes on with it", cli.Quoted(dir)))
	}
	if err != nil {
		return err
	}
	if now.Paused {
		state = "the crawl is paused: crawl resume lets it go on"
	}
	return tellControls(cmd.OutOrStdout(), state, now)
}

// tellControls prints the state of a crawl and the settings that can be changed.
func tellControls(out io.Writer, state string, now control.Settings) error {
	limit := "no limit of pages"
	if now.MaxPages > 0 {
		limit = humanize.Many(now.MaxPages, "page", "pages") + " at most"
	}
	_, err := fmt.Fprintf(out, "%s\ndelay %s, %s, %s\n", state, now.Delay, humanize.Many(int64(now.Workers), "worker", "workers"), limit)
	for _, host := range slices.Sorted(maps.Keys(now.HostDelay)) {
		fmt.Fprintf(out, "delay %s of %s\n", now.HostDelay[host], host)
	}
	for _, p := range now.Include {
		fmt.Fprintf(out, "include %s\n", p)
	}
	for _, p := range now.Exclude {
		fmt.Fprintf(out, "exclude %s\n", p)
	}
	return err
}
