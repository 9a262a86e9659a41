package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gatecrawl/configs"
	"gatecrawl/frontier"
)

// badShown is how many bad lines of seed lists are shown one by one.
const badShown = 20

// A start is what a crawl is asked to begin with: single URLs and lists.
type start struct {
	urls  []frontier.URL
	files []string
	stdin io.Reader
	say   io.Writer
	bad   int // lines that are no URL

	first *frontier.Seed // read ahead, to refuse a start without any seed
	rest  func() (frontier.Seed, error, bool)
	stop  func()
}

// newStart checks what can be checked without reading the lists, and reads on
// to the first seed. Close it.
func newStart(s *configs.Settings, stdin io.Reader, say io.Writer) (*start, error) {
	st := &start{files: s.Seeds, stdin: stdin, say: say}
	for _, text := range s.URL {
		u, err := frontier.ParseSeed(text)
		if err != nil {
			return nil, usagef("--url: %w", err)
		}
		st.urls = append(st.urls, u)
	}
	for _, name := range s.Seeds {
		if name == "-" {
			continue
		}
		if info, err := os.Stat(name); err != nil {
			return nil, usagef("--seeds: %w", err)
		} else if info.IsDir() {
			return nil, usagef("--seeds: %s is a folder, not a list of URLs", name)
		}
	}
	st.rest, st.stop = iter.Pull2(st.all())
	for {
		seed, err, ok := st.rest()
		if !ok {
			return st, nil
		}
		if err == nil {
			st.first = &seed
			return st, nil
		}
		st.tell(err)
	}
}

// Close ends the reading, and says how many bad lines were not shown. It may
// be called again.
func (st *start) Close() {
	st.stop()
	if st.bad > badShown {
		fmt.Fprintf(st.say, "and %s more lines that are no URL\n", count(int64(st.bad-badShown)))
	}
	st.bad = 0
}

// all yields the URLs and then the lines of every list.
func (st *start) all() iter.Seq2[frontier.Seed, error] {
	return func(yield func(frontier.Seed, error) bool) {
		for _, u := range st.urls {
			if !yield(frontier.Seed{URL: u}, nil) {
				return
			}
		}
		for _, name := range st.files {
			if !st.list(name, yield) {
				return
			}
		}
	}
}

// list yields the lines of one list and reports whether more is wanted.
func (st *start) list(name string, yield func(frontier.Seed, error) bool) bool {
	r, name := st.stdin, name
	if name == "-" {
		name = "standard input"
	} else {
		f, err := os.Open(name)
		if err != nil {
			return yield(frontier.Seed{}, err)
		}
		defer f.Close()
		r = f
	}
	for seed, err := range seedsIn(r, name) {
		if !yield(seed, err) {
			return false
		}
	}
	return true
}

// seeds yields what newStart read ahead, and the rest. A seed on this machine is an
// error where the settings do not let the crawl go there. It ends early, with the fault
// set, at a seed that may not be asked without a contact, and when ctx ends.
func (st *start) seeds(ctx context.Context, s *configs.Settings, fault *error) iter.Seq2[frontier.Seed, error] {
	return func(yield func(frontier.Seed, error) bool) {
		if st.first == nil {
			return
		}
		seed, err, ok := *st.first, error(nil), true
		for ok {
			if *fault = ctx.Err(); *fault != nil {
				return
			}
			if err == nil {
				if *fault = needContact(s.Contact, seed.URL); *fault != nil {
					return
				}
				if seed.URL.Loopback() && !s.AllowLoopback {
					seed, err = frontier.Seed{}, fmt.Errorf("%s is on this machine, where this crawl does not go since its first seed is not: "+
						"put it first, or say allow-loopback: true in a --config file", seed.URL)
				}
			}
			if !yield(seed, err) {
				return
			}
			seed, err, ok = st.rest()
		}
	}
}

// tell reports a bad line; the first few are shown, the others counted.
func (st *start) tell(err error) {
	st.bad++
	if st.bad <= badShown {
		fmt.Fprintln(st.say, err)
	}
}

// needContact refuses an address off loopback where nobody is named for a
// webmaster to turn to.
func needContact(contact string, u frontier.URL) error {
	if contact != "" || u.Loopback() {
		return nil
	}
	return usagef("%s is not on this machine: say with --contact where its owner can reach you, "+
		"for example --contact you@example.org; the address goes into the User-Agent", u)
}

// without is the fault of a start that has no seed.
func (st *start) without() error {
	if len(st.files) > 0 {
		return usagef("no seeds: there is no URL in %s; a list has one URL a line", strings.Join(st.files, ", "))
	}
	return usagef("no seeds: give -u URL or --seeds FILE")
}

// absolute makes the names of lists independent of the current folder, so that
// a saved job finds them again.
func absolute(files []string) ([]string, error) {
	files = slices.Clone(files)
	for i, name := range files {
		if name == "-" {
			continue
		}
		path, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		files[i] = path
	}
	return files, nil
}
