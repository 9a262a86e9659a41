package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// stdin is the name of standard input among the lists of seeds.
const stdin = "-"

// A start is what a crawl starts with: single URLs and lists of them.
type start struct {
	urls   []weburl.URL
	files  []string
	column string // of CSV files
	stdin  io.Reader
	bad    func(error) // called for each line that is not a seed

	first *seeds.Seed // read ahead, to refuse a start without any seed
	ended error       // what ended a list before it, a *seeds.ListError
	rest  func() (seeds.Seed, error, bool)
	stop  func()
}

// newStart checks what can be checked without reading the lists. Call start, and Close it.
func newStart(s *configs.Settings, in io.Reader, bad func(error)) (*start, error) {
	st := &start{files: s.Seeds, column: s.Column, stdin: in, bad: bad}
	for _, text := range s.URL {
		u, err := seeds.Parse(text)
		if err != nil {
			return nil, &SettingError{"url", err}
		}
		st.urls = append(st.urls, u)
	}
	for _, name := range s.Seeds {
		if err := isList(name, in); err != nil {
			return nil, &SettingError{"seeds", err}
		}
	}
	st.rest, st.stop = iter.Pull2(st.all())
	return st, nil
}

// staysHere refuses a start with a seed off this machine, wherever it stands in a list: a crawl
// without a contact has to be refused before any seed is queued. It comes before start, which
// reads the lists again.
func (st *start) staysHere() error {
	var read bytes.Buffer // of standard input
	in := st.stdin
	if in != nil {
		st.stdin = io.TeeReader(in, &read)
		defer func() { st.stdin = io.MultiReader(&read, in) }()
	}
	for seed, err := range st.all() {
		if err != nil {
			continue // start and seeds tell
		}
		if err := needContact("", seed.URL); err != nil {
			return err
		}
	}
	return nil
}

// start reads on to the first seed.
func (st *start) start() {
	for {
		seed, err, ok := st.rest()
		if !ok {
			return
		}
		if err == nil {
			st.first = &seed
			return
		}
		if _, ends := errors.AsType[*seeds.ListError](err); ends {
			st.ended = errors.Join(st.ended, err)
			continue
		}
		st.bad(err)
	}
}

// isList refuses what cannot be a list of seeds.
func isList(name string, in io.Reader) error {
	if name == stdin {
		if in == nil {
			return errors.New("- is standard input, which this program does not hand in: set Options.Stdin")
		}
		return nil
	}
	switch info, err := os.Stat(name); {
	case err != nil && (strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")):
		return fmt.Errorf("%s is a URL, not a file: name it without --seeds, or as url in settings; of a sitemap or feed the pages are fetched", name)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder, not a list of URLs", name)
	}
	return nil
}

// Close ends the reading. It may be called again.
func (st *start) Close() { st.stop() }

// all yields the URLs and then the lines of every list.
func (st *start) all() iter.Seq2[seeds.Seed, error] {
	return func(yield func(seeds.Seed, error) bool) {
		for _, u := range st.urls {
			if !yield(seeds.Seed{URL: u}, nil) {
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
func (st *start) list(name string, yield func(seeds.Seed, error) bool) bool {
	r, name := st.stdin, name
	if name == stdin {
		name = "standard input"
	} else {
		f, err := os.Open(name)
		if err != nil {
			return yield(seeds.Seed{}, &seeds.ListError{Err: err})
		}
		defer f.Close()
		r = f
	}
	for seed, err := range SeedsIn(r, name, st.column) {
		if !yield(seed, err) {
			return false
		}
	}
	return true
}

// seeds yields what newStart read ahead, and the rest. A seed on this machine is an
// error where the settings do not let the crawl go there. It ends early, with the fault
// set, when ctx ends.
func (st *start) seeds(ctx context.Context, s *configs.Settings, fault *error) iter.Seq2[seeds.Seed, error] {
	return func(yield func(seeds.Seed, error) bool) {
		if st.first == nil {
			return
		}
		seed, err, ok := *st.first, error(nil), true
		for ok {
			if *fault = ctx.Err(); *fault != nil {
				return
			}
			if err == nil && seed.URL.Loopback() && !s.AllowLoopback {
				seed, err = seeds.Seed{}, fmt.Errorf("%s is on this machine, where this crawl does not go since its first seed is not: "+
					"put it first, or set allow-loopback: true", seed.URL)
			}
			if !yield(seed, err) {
				return
			}
			seed, err, ok = st.rest()
		}
	}
}

// permitted turns seeds that the crawl may not ask into faults. It notes whether
// one is on this machine.
func permitted(list iter.Seq2[seeds.Seed, error], name string, s *configs.Settings, local *bool) iter.Seq2[seeds.Seed, error] {
	return func(yield func(seeds.Seed, error) bool) {
		for seed, err := range list {
			if err == nil {
				if err = mayAsk(s, seed.URL); err != nil {
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
func mayAsk(s *configs.Settings, u weburl.URL) error {
	if err := needContact(s.Contact, u); err != nil {
		return err
	}
	if u.Loopback() && !s.AllowLoopback {
		return fmt.Errorf("%s is on this machine, where the running crawl does not go: stop it, add the URL, and go on", u)
	}
	return nil
}

// absolute makes the names of files in the settings independent of the current
// folder, so that a saved job finds them again.
func absolute(s *configs.Settings) error {
	s.Seeds, s.URLRules, s.Known, s.PartitionDirs = slices.Clone(s.Seeds), slices.Clone(s.URLRules), slices.Clone(s.Known), slices.Clone(s.PartitionDirs)
	names := []*string{&s.IDF, &s.Categories, &s.Surts, &s.IncludeFile, &s.ExcludeFile, &s.Hosts, &s.Credentials, &s.CookieFile, &s.CAFile, &s.TopicModel}
	for _, list := range [][]string{s.Seeds, s.URLRules, s.Known, s.PartitionDirs} {
		for i := range list {
			names = append(names, &list[i])
		}
	}
	s.Like, s.Unlike = slices.Clone(s.Like), slices.Clone(s.Unlike)
	for _, list := range [][]string{s.Like, s.Unlike} {
		for i := range list {
			if !isURL(list[i]) {
				names = append(names, &list[i])
			}
		}
	}
	for _, name := range names {
		if *name == "" || *name == stdin {
			continue
		}
		path, err := filepath.Abs(*name)
		if err != nil {
			return err
		}
		*name = path
	}
	return nil
}

// pending returns what an interrupted run of a job has still to add, and the contact that
// the job named. A list on standard input is gone with that run.
func pending(dir string) (urls, lists []string, contact string, err error) {
	s, err := SettingsOf(dir)
	var damaged *DamagedSettingsError
	if errors.As(err, &damaged) {
		s, err = CopiedSettings(dir)
	}
	return s.URL, slices.DeleteFunc(slices.Clone(s.Seeds), func(name string) bool { return name == stdin }), s.Contact, err
}

// union returns what is in a or b, each once.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, v := range b {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}
