package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl"
	"gatecrawl/configs"
	"gatecrawl/frontier"
	"gatecrawl/store"
)

// A question about a job. The running crawl and the command answer it with the
// same function.
type question struct {
	verb    string            // status, pages, dups, mirrors, mirror, why, view, views, near or check
	url     string            // why, view, near: the address; mirror: a host or an origin
	other   string            // mirror: the other host or origin
	page    string            // near: an askedPage as JSON, for what is no page of the job; "" for url
	verdict gatecrawl.Verdict // pages: this verdict only
	from    uint64            // pages: from this place in crawl order on
	limit   int               // pages, dups, mirrors, near: at most so many; 0 is no limit
}

// answer writes the answer to a question as JSON lines.
func answer(ctx context.Context, in gatecrawl.Inspector, q question, w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	switch q.verb {
	case "status":
		s, err := in.Status(ctx)
		return put(enc, s, err)
	case "pages":
		return limited(q.limit, func(more func(any) error) error {
			return in.Pages(ctx, max(q.from, 1), func(p gatecrawl.Page) error {
				if q.verdict != "" && q.verdict != p.Verdict {
					return nil
				}
				return more(p)
			})
		}, enc)
	case "dups":
		return limited(q.limit, func(more func(any) error) error {
			return in.Groups(ctx, func(g gatecrawl.Group) error { return more(g) })
		}, enc)
	case "mirrors":
		return limited(q.limit, func(more func(any) error) error {
			pairs, err := in.Pairs(ctx)
			for _, p := range pairs {
				if err := more(p); err != nil {
					return err
				}
			}
			return err
		}, enc)
	case "mirror":
		pair, err := in.Pair(ctx, q.url, q.other)
		return put(enc, pair, err)
	case "rules", "rule":
		return answerRules(ctx, in, q, enc)
	case "why":
		why, err := in.Why(ctx, q.url)
		return put(enc, why, err)
	case "view":
		view, err := in.View(ctx, q.url)
		return put(enc, view, err)
	case "views":
		return in.Pages(ctx, 1, func(p gatecrawl.Page) error {
			if p.Verdict != gatecrawl.VerdictNew || p.ReplacedBy != 0 {
				return nil
			}
			view, err := in.View(ctx, p.URL)
			if errors.Is(err, gatecrawl.ErrUnknown) {
				return nil // no document, or one without text
			}
			return put(enc, view, err)
		})
	case "alive":
		return answerAlive(ctx, in, q, enc)
	case "near":
		return answerNear(ctx, in, q, enc)
	case "check":
		v, err := in.Verify(ctx, func(b gatecrawl.Breach) error { return enc.Encode(b) })
		return put(enc, v, err)
	}
	return fmt.Errorf("no such question: %q", q.verb)
}

func put(enc *json.Encoder, v any, err error) error {
	if err != nil {
		return err
	}
	return enc.Encode(v)
}

var errEnough = errors.New("enough")

// limited encodes what each produces, at most limit values where limit is
// above 0.
func limited(limit int, each func(more func(any) error) error, enc *json.Encoder) error {
	n := 0
	err := each(func(v any) error {
		if err := enc.Encode(v); err != nil {
			return err
		}
		if n++; n == limit {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// ask puts a question to the crawl that works on a job, or answers it from the
// job's file. Close the answer.
func ask(ctx context.Context, dir string, q question) (io.ReadCloser, error) {
	if !store.Exists(dir) {
		return nil, fmt.Errorf("no job at %s: start one with crawl run --job %s -u URL", dir, dir)
	}
	// A crawl that begins or ends has its file locked for a moment without an
	// answering socket.
	deadline := time.Now().Add(5 * time.Second)
	for {
		resp, err := askRunning(ctx, dir, q)
		if err == nil {
			return answered(resp)
		}
		if !errors.Is(err, errNotRunning) {
			return nil, fmt.Errorf("asking the running crawl: %w", err)
		}
		st, err := openToRead(dir)
		var locked *store.LockedError
		if errors.As(err, &locked) && time.Now().Before(deadline) && ctx.Err() == nil {
			pause(ctx, 50*time.Millisecond)
			continue
		}
		if err != nil {
			return nil, err
		}
		return fromFile(ctx, st, q), nil
	}
}

// openToRead opens a job that no crawl works on. Its scores are explained by
// the weights that it was crawled with.
func openToRead(dir string) (*store.Store, error) {
	s, err := loadSaved(dir)
	if err != nil {
		s = configs.Default() // broken settings are no reason to hide what was collected
	}
	o := s.StoreOptions()
	o.ReadOnly = true
	return store.Open(dir, o)
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// answered returns the answer of a running crawl.
func answered(resp *http.Response) (io.ReadCloser, error) {
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	if err != nil {
		return nil, fmt.Errorf("asking the running crawl: %w", err)
	}
	return nil, &refusal{strings.TrimSpace(string(text)), resp.StatusCode == http.StatusNotFound}
}

// A refusal is why a running crawl does not answer.
type refusal struct {
	text    string
	unknown bool
}

func (r *refusal) Error() string { return r.text }

// Is reports what the crawl's own error was.
func (r *refusal) Is(target error) bool { return r.unknown && target == gatecrawl.ErrUnknown }

// fromFile answers while it is read, and closes the job with the answer.
func fromFile(ctx context.Context, st *store.Store, q question) io.ReadCloser {
	ctx, cancel := context.WithCancel(ctx)
	r, w := io.Pipe()
	closed := make(chan error, 1)
	go func() { // ends with the answer, or when its reader closes
		w.CloseWithError(answer(ctx, st, q, w))
		closed <- st.Close()
	}()
	return &fileAnswer{PipeReader: r, cancel: cancel, closed: closed}
}

type fileAnswer struct {
	*io.PipeReader
	cancel func()
	closed chan error
}

func (a *fileAnswer) Close() error {
	a.cancel()
	a.PipeReader.Close()
	return <-a.closed
}

// An asker is a command that puts one question and shows the answer.
type asker struct {
	dir    string
	asJSON bool
}

func (a *asker) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.dir, "job", defaultJob, "the job's folder `DIR`")
	cmd.Flags().BoolVar(&a.asJSON, "json", false, "print JSON, one object a line")
}

// each asks, and hands each line of the answer to show, or passes it through.
func each[T any](a *asker, cmd *cobra.Command, q question, show func(T) error) error {
	r, err := ask(cmd.Context(), a.dir, q)
	if err != nil {
		return err
	}
	defer r.Close() // a job opened to be read has nothing to lose
	out := cmd.OutOrStdout()
	if a.asJSON {
		_, err := io.Copy(out, r)
		return cutOff(err)
	}
	dec := json.NewDecoder(r)
	for {
		var v T
		if err := dec.Decode(&v); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return cutOff(err)
		}
		if err := show(v); err != nil {
			return err
		}
	}
}

// cutOff explains an answer that ended early.
func cutOff(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the crawl ended while it answered: ask again")
	}
	return err
}

func newStatus() *cobra.Command {
	var a asker
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Show a job at a glance: counters and rates",
		Example: "  crawl status --job news\n  crawl status --job news --json | jq .pages_per_second",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return each(&a, cmd, question{verb: "status"}, func(s gatecrawl.Status) error {
				return showStatus(cmd.OutOrStdout(), s)
			})
		},
	}
	a.flags(cmd)
	return cmd
}

func newPages() *cobra.Command {
	var a asker
	q := question{verb: "pages"}
	verdict := ""
	cmd := &cobra.Command{
		Use:     "pages",
		Short:   "List the records of pages in crawl order",
		Example: "  crawl pages --job news --verdict failed\n  crawl pages --job news --json | jq -r 'select(.verdict==\"copy\") | .of'",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch v := gatecrawl.Verdict(verdict); v {
			case "", gatecrawl.VerdictNew, gatecrawl.VerdictCopy, gatecrawl.VerdictRefused, gatecrawl.VerdictFailed:
				q.verdict = v
			default:
				return usagef("--verdict: %q is none: want new, copy, refused or failed", verdict)
			}
			return each(&a, cmd, q, func(p gatecrawl.Page) error { return showPage(cmd.OutOrStdout(), p) })
		},
	}
	a.flags(cmd)
	cmd.Flags().StringVar(&verdict, "verdict", "", "only pages with this `VERDICT`: new, copy, refused or failed")
	cmd.Flags().IntVar(&q.limit, "limit", 0, "at most `N` pages; 0 is no limit")
	cmd.Flags().Uint64Var(&q.from, "from", 1, "begin at place `N` of the crawl order")
	return cmd
}

func newDups() *cobra.Command {
	var a asker
	q := question{verb: "dups"}
	differs := false
	cmd := &cobra.Command{
		Use:     "dups",
		Short:   "List groups of copies: the kept page, then its copies",
		Long:    "dups lists each kept page that has copies, and its copies. With --diff near copies\nare followed by the longest passages that only they or only the kept page have.",
		Example: "  crawl dups --job news\n  crawl dups --job news --json | jq 'select(.degree > 1) | .url'",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return each(&a, cmd, q, func(g gatecrawl.Group) error { return showGroup(cmd.OutOrStdout(), g, differs) })
		},
	}
	a.flags(cmd)
	cmd.Flags().IntVar(&q.limit, "limit", 0, "at most `N` groups; 0 is no limit")
	cmd.Flags().BoolVar(&differs, "diff", false, "show what near copies do not share with the kept page")
	return cmd
}

// eachOf asks about one address, written as a user writes it.
func eachOf[T any](a *asker, cmd *cobra.Command, verb, address string, show func(T) error) error {
	u, err := frontier.ParseSeed(address)
	if err != nil {
		return usagef("%w", err)
	}
	return each(a, cmd, question{verb: verb, url: u.String()}, show)
}

func newWhy() *cobra.Command {
	var a asker
	cmd := &cobra.Command{
		Use:     "why URL",
		Short:   "Tell all that is known of one address",
		Long:    "why tells where an address was found, its score term by term, when it was\nfetched, and what the gate decided and why.",
		Example: "  crawl why --job news https://example.org/2024/story.html",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachOf(&a, cmd, "why", args[0], func(w gatecrawl.Why) error {
				return showWhy(cmd.OutOrStdout(), w)
			})
		},
	}
	a.flags(cmd)
	return cmd
}

func newCheck() *cobra.Command {
	var a asker
	repair := false
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the invariants of a job, and mend what does not hold",
		Long: `check verifies what must hold in a job's files. It prints each breach and ends
with exit code 1 if there is any. With --json the last line says what was looked at.

With --repair, which wants no crawl at work on the job, all that is derived is made
anew first (the index, the filter, queue, votes and counts); a page of which
something is altered or gone leaves the job, its copies with it, and their
addresses are queued again. What was done goes to stderr.`,
		Example: "  crawl check --job news\n  crawl check --job news --repair",
		Args:    cobra.NoArgs,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if repair {
			if err := repairJob(cmd, a.dir); err != nil {
				return err
			}
		}
		breaches, err := checkJob(&a, cmd)
		switch {
		case err != nil || breaches == 0:
			return err
		case repair:
			return fmt.Errorf("%d invariants still do not hold in %s: keep the folder for a report, and begin a new job", breaches, a.dir)
		}
		return fmt.Errorf("%d invariants do not hold in %s: stop the crawl if one is at work, and run crawl check --job %s --repair", breaches, a.dir, a.dir)
	}
	a.flags(cmd)
	cmd.Flags().BoolVar(&repair, "repair", false, "mend the job first")
	return cmd
}

// repairJob mends a job with the settings that it was crawled with.
func repairJob(cmd *cobra.Command, dir string) error {
	s, err := loadSaved(dir)
	if err != nil {
		return fmt.Errorf("settings of the job: %w", err)
	}
	return store.Repair(cmd.Context(), dir, s.StoreOptions(), func(b gatecrawl.Breach) error {
		_, err := fmt.Fprintf(cmd.ErrOrStderr(), "repair: %s: %s\n", b.Invariant, b.Detail)
		return err
	})
}

// checkJob prints the answer to check and counts the breaches in it.
func checkJob(a *asker, cmd *cobra.Command) (breaches int64, err error) {
	out, through := cmd.OutOrStdout(), a.asJSON
	enc := json.NewEncoder(out)
	lines := *a
	lines.asJSON = false // each line is looked at
	err = each(&lines, cmd, question{verb: "check"}, func(line struct {
		*gatecrawl.Breach
		*gatecrawl.Verified
	}) error {
		switch {
		case line.Breach != nil && through:
			return enc.Encode(line.Breach)
		case line.Breach != nil:
			_, err := fmt.Fprintf(out, "%s: %s\n", line.Invariant, line.Detail)
			return err
		case line.Verified != nil && through:
			breaches = line.Breaches
			return enc.Encode(line.Verified)
		case line.Verified != nil:
			breaches = line.Breaches
			return showVerified(out, *line.Verified)
		}
		return nil
	})
	return breaches, err
}
