package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/control/hook"
	"gatecrawl.example/gatecrawl/control/metrics"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/fetch/access"
	"gatecrawl.example/gatecrawl/humanize"
)

// A schedule says when a job is run again, and who is notified of the end of each run. It applies
// to this command, and is not saved with the job.
type schedule struct {
	every      time.Duration // from the start of a run to that of the next; 0: one run
	hook       hook.Options
	secretFile string
}

func (s *schedule) flags(cmd *cobra.Command) {
	cli.TimeVar(cmd.Flags(), &s.every, "every", 0, "run the job again `TIME` after each start, such as 6h, until Ctrl-C or crawl stop, with new entries of sitemaps and feeds first (--sitemaps, but for --depth 0); after a run that took longer the next one starts at once")
	cmd.Flags().StringVar(&s.hook.URL, "hook-url", "", "POST the result of each run to `URL` as JSON, with up to three retries")
	cmd.Flags().StringVar(&s.secretFile, "hook-secret-file", "", "sign what is sent to --hook-url with the secret in `FILE` (mode 600), in the header "+hook.SignatureHeader)
	cmd.Flags().StringVar(&s.hook.Command, "hook-command", "", "run `COMMAND` with sh after each run, with the result as JSON on its standard input")
}

// check reads the secret and returns an error for invalid flags.
func (s *schedule) check() error {
	if s.every < 0 || s.every > 0 && s.every < time.Second {
		return cli.Usagef("--every: %v: want 1s or more", s.every)
	}
	if s.secretFile != "" {
		secret, err := access.ReadSecret(s.secretFile)
		if err != nil {
			return cli.Usagef("--hook-secret-file: %w", err)
		}
		if s.hook.Secret = bytes.TrimSpace(secret); len(s.hook.Secret) == 0 {
			return cli.Usagef("--hook-secret-file: %s is empty", s.secretFile)
		}
	}
	if err := s.hook.Validate(); err != nil {
		return cli.Usagef("--hook-url: %w", err)
	}
	return nil
}

// A hookEvent is the body of a request to a hook.
type hookEvent struct {
	Event string          `json:"event"` // run-ended, or run-failed with Error
	Job   string          `json:"job"`
	At    time.Time       `json:"at"`
	Ended gatecrawl.Ended `json:"ended,omitempty"`
	Run   gatecrawl.Tally `json:"run"`
	Error string          `json:"error,omitempty"`
}

// tell calls the hooks. A failure is reported, and does not end the schedule.
func (s *schedule) tell(ctx context.Context, j *job, r result, fault error, o hook.Options) {
	if o.URL == "" && o.Command == "" {
		return
	}
	t := hookEvent{Event: "run-ended", Job: j.dir, At: time.Now().UTC(), Ended: r.Ended, Run: r.Run}
	if fault != nil {
		t.Event, t.Error = "run-failed", fault.Error()
	}
	o.Output = j.screen
	if err := hook.Tell(ctx, o, t); err != nil {
		fmt.Fprintln(j.screen, err)
	}
}

// run runs the job, and with a schedule again and again, until a run fails, or is interrupted, or crawl stop ends the
// schedule. show is called for each run.
func (s *schedule) run(ctx context.Context, j *job, show func(result) error) (r result, err error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	for first := true; ; first = false {
		start := time.Now()
		r, err = j.run(ctx)
		for told := false; !first && cli.IsLocked(err) && ctx.Err() == nil; told = true {
			if !told {
				fmt.Fprintf(j.screen, "the run is due, and starts when this ends: %v\n", err)
			}
			time.Sleep(lockRest)
			r, err = j.run(ctx)
		}
		fault := err
		if err == nil {
			err = show(r)
		}
		command, post := s.hook, s.hook
		command.URL, post.Command = "", ""
		command.Secret = nil
		s.tell(ctx, j, r, fault, command)
		if err != nil || s.every == 0 || r.Ended == gatecrawl.Interrupted {
			s.tell(ctx, j, r, fault, post)
			return r, err
		}
		next := start.Round(0).Add(s.every) // by the wall clock: see awaitRun
		err = j.between(ctx, next, end, func(ctx context.Context) {
			s.tell(ctx, j, r, fault, post)
			if time.Until(next) > 0 && ctx.Err() == nil {
				fmt.Fprintf(j.screen, "the next run starts at %s\n", humanize.Moment(next))
				awaitRun(ctx, start, s.every, time.Now)
			}
		})
		if err != nil {
			return r, err
		}
		if ctx.Err() != nil {
			return r, nil // the job is as the last run left it
		}
		if j.settings, err = crawl.SettingsOf(j.dir); err != nil {
			return r, err
		}
		j.forgetStdin(&j.settings)
		if ctx.Err() != nil {
			return r, nil
		}
	}
}

// awaitRun waits until `every` after start, or until ctx ends. Timers stand still while the machine
// sleeps, and the wall clock may be set back, so it returns when one of the two says that it is time.
func awaitRun(ctx context.Context, start time.Time, every time.Duration, wall func() time.Time) {
	next := start.Round(0).Add(every) // Round drops the reading of the clock that timers go by
	for ctx.Err() == nil {
		left := min(every-time.Since(start), next.Sub(wall().Round(0)))
		if left <= 0 {
			return
		}
		sleep(ctx, min(left, clockRest))
	}
}

const (
	clockRest = 10 * time.Second // between two looks at the wall clock: how late a run is after a sleep of the machine

	lockRest  = time.Second            // between two tries to run a job that another process has
	yieldRest = 200 * time.Millisecond // in which a command may take the lock, and between two tries to get it back

	servePatience = 3 * time.Second // with crawl serve, which lets go of a job when it has answered its viewers
)

// between calls wait between two runs. Meanwhile viewers see the job as the last run left it, crawl stop calls stop, and
// a command that changes the job gets its lock for a moment.
func (j *job) between(ctx context.Context, next time.Time, stop func(), wait func(context.Context)) error {
	ctx, cancel := context.WithCancel(ctx)
	waited := make(chan struct{})
	go func() { // ends with ctx
		defer close(waited)
		wait(ctx)
	}()
	defer func() { cancel(); <-waited }()
	for {
		wanted := make(chan struct{}, 1)
		if !cli.Wanted(j.dir) { // a repair opens the job several times
			shut, err := j.rest(ctx, next, stop, func() {
				select {
				case wanted <- struct{}{}:
				default:
				}
			})
			if err != nil && !cli.IsLocked(err) {
				return err
			}
			if err == nil {
				select {
				case <-waited:
				case <-wanted:
				}
				shut()
			}
		}
		select {
		case <-waited:
			return nil
		case <-time.After(yieldRest):
		}
	}
}

// rest opens the job for viewers, and for crawl stop, until shut is called. A command that changes the job calls yield.
func (j *job) rest(ctx context.Context, next time.Time, stop, yield func()) (shut func(), err error) {
	g, err := j.shown.guarded()
	if err != nil {
		return nil, err
	}
	open, err := cli.OpenToTell(j.dir)
	if err != nil {
		return nil, err
	}
	job := waitingJob{open, next}
	hush := func() {}
	if g != nil {
		var at string
		if at, hush, err = j.shown.serve(ctx, g, site{job: job, metrics: metrics.New(job)}); err != nil {
			return nil, errors.Join(err, job.Close())
		}
		j.sayShown(at)
	}
	deaf, err := control.ServeBetween(j.dir, job, stop, yield)
	if err != nil {
		fmt.Fprintf(j.screen, "crawl stop cannot reach this schedule until its next run: %v\n", err)
	}
	return func() {
		deaf()
		hush()
		job.Close() // it was only read
	}, nil
}

// A waitingJob is a job that waits for its next run.
type waitingJob struct {
	control.Job
	next time.Time
}

// Status implements gatecrawl.Inspector.
func (s waitingJob) Status(ctx context.Context) (gatecrawl.Status, error) {
	st, err := s.Job.Status(ctx)
	st.NextRun = &s.next
	return st, err
}
