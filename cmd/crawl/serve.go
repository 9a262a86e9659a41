package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/control/api"
	"gatecrawl.example/gatecrawl/control/guard"
	"gatecrawl.example/gatecrawl/control/live"
	"gatecrawl.example/gatecrawl/control/metrics"
	"gatecrawl.example/gatecrawl/crawl"
)

// A serving says where a job is served, and to whom. It applies to a run, and is not saved with the
// job.
type serving struct {
	addr      string // "": not served
	flag      string // that addr is the value of; "": --serve
	tokenFile string
	profiles  bool
	listened  bool         // at addr before
	guard     *guard.Guard // for all runs of a schedule, since a session may outlive a run
}

func (s *serving) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.tokenFile, "serve-token-file", "", "ask viewers of the live page for the token in `FILE` (mode 600)")
	cmd.Flags().BoolVar(&s.profiles, "serve-pprof", false, "also serve profiles of this program, at /debug/pprof/")
}

// guarded returns the guard of what is served, nil if nothing is.
func (s *serving) guarded() (*guard.Guard, error) {
	if s.guard != nil {
		return s.guard, nil
	}
	if s.addr == "" {
		if s.tokenFile != "" || s.profiles {
			return nil, cli.Usagef("--serve-token-file and --serve-pprof go with --serve ADDRESS")
		}
		return nil, nil
	}
	token := ""
	if s.tokenFile != "" {
		var err error
		if token, err = guard.ReadToken(s.tokenFile); err != nil {
			return nil, cli.Usagef("--serve-token-file: %w", err)
		}
	}
	g, err := guard.New(s.addr, token)
	if err != nil {
		return nil, cli.Usagef("%s: %w", cmp.Or(s.flag, "--serve"), err)
	}
	s.guard = g
	return g, nil
}

// metered returns a function that makes the metrics of a crawl. They cover the job from when it is
// opened.
func metered(o *crawl.Options) func(c *crawl.Crawl) *metrics.Metrics {
	var m *metrics.Metrics
	o.Timed = func(s crawl.Step, d time.Duration) {
		switch s {
		case crawl.StepGate:
			m.Gate(d)
		case crawl.StepCommit:
			m.Commit(d)
		}
	}
	return func(c *crawl.Crawl) *metrics.Metrics { // before the crawl starts
		m = metrics.New(c.Job())
		c.OnRecord(m.Page)
		return m
	}
}

// A site is what is served about a job.
type site struct {
	job     gatecrawl.Inspector
	running *control.Running // nil: no crawl works on it
	metrics *metrics.Metrics
}

// memorySampled is of how many bytes one is in the profile of memory: Go's default. Noting where they are allocated takes
// .8% of the processor time of a crawl.
const memorySampled = 512 << 10

// serve answers at the address until shut is called. It returns where. ctx ends only the wait for the address.
func (s *serving) serve(ctx context.Context, g *guard.Guard, of site) (at string, shut func(), err error) {
	l, err := s.listen(ctx)
	if err != nil {
		return "", nil, cli.Usagef("%s: %w", cmp.Or(s.flag, "--serve"), err)
	}
	stop := make(chan struct{})
	page := live.New(of.job, of.running, g.FormToken(), stop)
	g.Login = page.Login
	mux := http.NewServeMux()
	mux.Handle("/", page.Handler())
	mux.Handle(api.Base+"/", api.Handler(control.Answers(of.job, of.running), of.running))
	mux.Handle("GET /metrics", of.metrics.Handler())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if _, err := of.job.Status(r.Context()); err != nil {
			http.Error(w, "the job cannot be read", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	if s.profiles {
		runtime.MemProfileRate = memorySampled
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
		mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	}
	srv := &http.Server{Handler: g.Wrap(mux), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
	ended := make(chan struct{})
	go func() { // ends in shut
		defer close(ended)
		srv.Serve(l) // returns ErrServerClosed
	}()
	return l.Addr().String(), func() {
		close(stop)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if srv.Shutdown(ctx) != nil {
			srv.Close()
		}
		<-ended
		page.Wait()
	}, nil
}

func newServe() *cobra.Command {
	var dir string
	s := &serving{flag: "--at"}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show a finished job in a browser",
		Long: `serve shows the pages, hosts, duplicates and mirrors of a job that no crawl works on,
with metrics and the API under /api/v1, until Ctrl-C. If another command crawls or changes
the job meanwhile, it is shown again when that ends. To see a running crawl, and change it,
start it with crawl run --serve ADDRESS.`,
		Example: `  crawl serve --job news
  crawl serve --job news --at 0.0.0.0:8900 --serve-token-file token`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&dir, "job", cli.DefaultJob, "the job's folder `DIR`")
	cmd.Flags().StringVar(&s.addr, "at", "127.0.0.1:8900", "listen at `ADDRESS`; --serve is the same")
	s.flags(cmd)
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "serve" { // by the name of the flag of crawl run
			name = "at"
		}
		return pflag.NormalizedName(name)
	})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !crawl.Exists(dir) {
			return cli.NoJob(dir)
		}
		g, err := s.guarded()
		if err != nil {
			return err
		}
		job, err := cli.OpenToTell(dir)
		if cli.IsLocked(err) {
			return fmt.Errorf("a crawl works on %s: crawl top --job %s shows it, and crawl run --serve %s would have served it", dir, cli.Quoted(dir), s.addr)
		}
		if err != nil {
			return err
		}
		ctx, stop := cli.UntilInterrupt(cmd.Context(), cmd.ErrOrStderr(), "", func() {})
		defer stop()
		return s.show(ctx, g, dir, job, cmd.ErrOrStderr())
	}
	return cmd
}

// show serves a job until ctx ends, and closes it. While another command changes the job, or crawls
// it, show does not have it, and serves a page that says so.
func (s *serving) show(ctx context.Context, g *guard.Guard, dir string, job control.Job, screen io.Writer) error {
	for first := true; ; first = false {
		at, shut, err := s.serve(ctx, g, site{job: job, metrics: metrics.New(job)})
		if err != nil {
			return errors.Join(err, job.Close())
		}
		s.addr = at // also if the system has chosen the port
		if first {
			fmt.Fprintf(screen, "the job is shown at http://%s/ until Ctrl-C\n", at)
		} else {
			fmt.Fprintln(screen, "the job is shown again")
		}
		for ctx.Err() == nil && !cli.Wanted(dir) {
			sleep(ctx, yieldRest)
		}
		shut()
		if err := job.Close(); err != nil || ctx.Err() != nil {
			return err
		}
		fmt.Fprintln(screen, "another command has the job; it is shown again when that ends")
		if job, err = s.waitFor(ctx, g, dir); err != nil || job == nil {
			return err
		}
	}
}

// listenAgain is how long an address that was listened at before may be in use: the system may have given its port to
// somebody's connection in the moment in which nobody listened.
const listenAgain = 10 * time.Second

// listen listens at the address.
func (s *serving) listen(ctx context.Context) (net.Listener, error) {
	for until := time.Now().Add(listenAgain); ; sleep(ctx, lockRest) {
		l, err := net.Listen("tcp", s.addr)
		if err == nil {
			s.listened = true
			return l, nil
		}
		if !s.listened || !errors.Is(err, syscall.EADDRINUSE) || ctx.Err() != nil || time.Now().After(until) {
			return nil, err
		}
	}
}

// waitFor serves a page that says that another command has the job, until the job can be opened
// again. It returns nil if ctx ends before.
func (s *serving) waitFor(ctx context.Context, g *guard.Guard, dir string) (control.Job, error) {
	l, err := s.listen(ctx)
	if err != nil {
		return nil, fmt.Errorf("crawl serve: %w", err)
	}
	srv := &http.Server{Handler: g.Wrap(http.HandlerFunc(absent)), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
	ended := make(chan struct{})
	go func() { // ends with srv
		defer close(ended)
		srv.Serve(l) // returns ErrServerClosed
	}()
	defer func() {
		srv.Close() // what it answers is short
		<-ended
	}()
	for {
		if sleep(ctx, lockRest); ctx.Err() != nil {
			return nil, nil
		}
		if cli.Wanted(dir) {
			continue
		}
		if job, err := cli.OpenToTell(dir); !cli.IsLocked(err) {
			return job, err
		}
	}
}

// absent answers while another command has the job.
func absent(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "5")
	w.Header().Set("Refresh", "5")
	http.Error(w, "Another command changes or crawls this job now. This page shows the job again when that ends; crawl status and crawl top show a crawl meanwhile.", http.StatusServiceUnavailable)
}

// sleep waits for a time, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
