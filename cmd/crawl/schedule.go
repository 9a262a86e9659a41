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
	cli.TimeVar(cmd.Flags(), &s.every, "every", 0, "run the job again `TIME` after each start, such as 6h, until Ctrl-C, with new entries of sitemaps and feeds first (--sitemaps, but for --depth 0); after a run that took longer the next one starts at once")
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

// run runs the job, and with a schedule again and again, until a run fails or is interrupted. show
// is called for each run.
func (s *schedule) run(ctx context.Context, j *job, show func(result) error) (r result, err error) {
	for {
		start := time.Now()
		r, err = j.run(ctx)
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
		next := start.Add(s.every)
		err = j.between(func() {
			s.tell(ctx, j, r, fault, post)
			if time.Until(next) > 0 && ctx.Err() == nil {
				fmt.Fprintf(j.screen, "the next run starts at %s\n", humanize.Moment(next))
				select {
				case <-time.After(time.Until(next)):
				case <-ctx.Done():
				}
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

// between calls wait between two runs. Meanwhile viewers see the job as the last run left it.
func (j *job) between(wait func()) error {
	g, err := j.shown.guarded()
	if err != nil {
		return err
	}
	if g != nil {
		job, err := cli.OpenToRead(j.dir)
		if err != nil {
			return err
		}
		at, shut, err := j.shown.serve(g, site{job: job, metrics: metrics.New(job)})
		if err != nil {
			return errors.Join(err, job.Close())
		}
		j.sayShown(at)
		defer func() { shut(); job.Close() }() // it was only read
	}
	wait()
	return nil
}
