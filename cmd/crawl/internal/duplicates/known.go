package duplicates

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/earlier"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/store"
)

// readKnown reads the documents of earlier crawls into a temporary folder, for the gate of a
// batch. Call closeKnown when they are no longer asked.
func readKnown(cmd *cobra.Command, screen *console.Screen, s configs.Settings, o *corpus.Options) (known *earlier.Documents, closeKnown func() error, err error) {
	dir, err := os.MkdirTemp("", "crawl-known-*")
	if err != nil {
		return nil, nil, err
	}
	closeKnown = func() error { return errors.Join(known.Close(), os.RemoveAll(dir)) }
	known, err = earlier.Open(dir, earlier.Options{Dedup: o.Dedup, Reader: o.Reader, Words: o.Words})
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	faults := 0
	for _, name := range s.Known {
		source, _, err := known.Add(cmd.Context(), name, jobsHere{}, func(err error) {
			if faults++; faults <= cli.BadShown {
				fmt.Fprintln(screen, err)
			}
		})
		if _, missing := os.Stat(name); errors.Is(missing, fs.ErrNotExist) {
			err = fmt.Errorf("%s: no such job, file or folder", name)
		}
		if err != nil {
			return nil, nil, errors.Join(cli.Usagef("--known: %w", err), closeKnown())
		}
		fmt.Fprintln(screen, KnownLine(source))
	}
	return known, closeKnown, nil
}

// KnownLine says what an earlier crawl has.
func KnownLine(s earlier.Source) string {
	line := fmt.Sprintf("known: %s of %s", humanize.Many(s.Documents, "document", "documents"), s.Name)
	switch {
	case s.Repeats > 0:
		line += fmt.Sprintf("; %s of a document that is known", humanize.Many(s.Repeats, "other has the bytes", "others have the bytes"))
	case s.Documents == 0 && s.Skipped == 0:
		line += ": it has no page"
	}
	if s.Skipped > 0 {
		line += fmt.Sprintf("; %s could not be used", humanize.Many(s.Skipped, "line or record", "lines and records"))
	}
	return line
}

// jobsHere are the jobs of this machine, whether a crawl works on them or not.
type jobsHere struct{}

func (jobsHere) IsJob(dir string) bool { return store.Exists(dir) }

func (jobsHere) Rows(ctx context.Context, dir string, fn func(*gatecrawl.Row) error) error {
	return cli.Client(dir).Rows(ctx, gatecrawl.Wanted{Views: true}, fn)
}
