package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/purify"
)

// runFlags are the settings that have a flag; the others are set in a file.
var runFlags = []string{
	"url", "seeds", "column", "sitemaps", "contact", "scope", "surts", "include", "include-file",
	"exclude", "exclude-file", "depth",
	"max-pages", "max-pages-per-host", "max-new-per-host", "max-bytes", "time-limit",
	"workers", "max-links", "page-memory", "memory-limit", "delay", "delay-factor", "per-host", "per-ip", "queue-by", "dedup", "known", "dedup-distance", "dedup-resemblance", "parts", "idf", "mirrors", "topic", "log-format", "log-every",
	"user-agent", "hosts", "credentials", "cookies", "cookie-file", "insecure", "ca-file", "bandwidth", "quiet-hours",
	"proxy", "allow-private", "allow-ports", "obey-meta", "url-rules-learn", "url-rules", "keep-tracking", "render", "render-memory", "extract", "keep", "drop", "archive-compression", "archive-prefix", "archive-size", "archive-operator", "archive-description", "archive-part-of", "warc", "requisites", "requisites-per-page", "requisites-size", "refetch-after", "recrawl-copies", "recrawl-pages",
}

// flagged are settings as flags gave them. They are kept apart until the
// layers below them are read.
type flagged struct {
	file   string // --config
	order  []string
	values map[string][]string
}

// newFlagged gives cmd the flags of all settings that have one.
func newFlagged(cmd *cobra.Command) *flagged { return newFlaggedBy(cmd, runFlags) }

// newFlaggedBy gives cmd the flags of the named settings.
func newFlaggedBy(cmd *cobra.Command, names []string) *flagged {
	g := &flagged{values: make(map[string][]string)}
	fs := cmd.Flags()
	for _, k := range configs.Keys() {
		if !slices.Contains(names, k.Name) {
			continue
		}
		short := ""
		if k.Name == "url" {
			short = "u"
		}
		f := fs.VarPF(&settingFlag{given: g, key: k}, k.Name, short, k.Help)
		if k.Arg == "BOOL" {
			f.NoOptDefVal = "true" // --name alone
		}
	}
	fs.StringVar(&g.file, "config", "", "read settings from this YAML `FILE`; flags win over it")
	return g
}

// A settingFlag is one setting on the command line.
type settingFlag struct {
	given *flagged
	key   configs.Key
}

// Set checks and keeps one value.
func (f *settingFlag) Set(text string) error {
	values := []string{text}
	if f.key.List {
		values = append(f.given.values[f.key.Name], text)
	}
	return f.given.set(f.key.Name, values)
}

// add adds a value to a setting that is a list, as one more of its flags would.
func (g *flagged) add(name, text string) error { return g.set(name, append(g.values[name], text)) }

// set checks and keeps the values of a setting.
func (g *flagged) set(name string, values []string) error {
	scratch := configs.Default()
	if err := scratch.Set(name, values...); err != nil {
		return err
	}
	if _, ok := g.values[name]; !ok {
		g.order = append(g.order, name)
	}
	g.values[name] = values
	return nil
}

// String returns the default, which -h shows.
func (f *settingFlag) String() string {
	if f.given == nil {
		return ""
	}
	d := configs.Default()
	return strings.Join(d.Get(f.key.Name), ", ")
}

// Type returns the kind of value, which -h shows.
func (f *settingFlag) Type() string { return f.key.Arg }

// over puts the file and the flags over base. Start URLs add up instead:
// those of base are what an interrupted run has still to add.
func (g *flagged) over(base configs.Settings) (configs.Settings, error) {
	s, pendingURL, pendingSeeds := base, base.URL, base.Seeds
	s.URL, s.Seeds = nil, nil
	if g.file != "" {
		var err error
		if s, err = loadFile(g.file, s); err != nil {
			return base, err
		}
	}
	for _, name := range g.order {
		if err := s.Set(name, g.values[name]...); err != nil {
			return base, usagef("--%s: %w", name, err)
		}
	}
	// What lies below the flags is valid, so the flags are at fault.
	var faults *configs.Faults
	if errors.As(s.Validate(), &faults) {
		for i := range faults.List {
			if key := &faults.List[i].Key; *key != "" {
				*key = "--" + *key
			}
		}
		return base, usagef("%s", faults.Error())
	}
	s.URL = union(pendingURL, s.URL)
	s.Seeds = union(pendingSeeds, s.Seeds)
	return s, nil
}

// reader returns what reads pages by the settings that were given.
func (g *flagged) reader() (purify.Reader, error) {
	s, err := g.over(configs.Default())
	if err != nil {
		return purify.Reader{}, err
	}
	return s.CrawlOptions().Reader()
}

// loadFile reads a file that the user named. One that cannot be read is as bad
// as one with faults.
func loadFile(path string, base configs.Settings) (configs.Settings, error) {
	s, err := configs.Load(path, base)
	if err != nil && codeOf(err) != codeSettings {
		err = &exit{codeSettings, err}
	}
	return s, err
}

func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, v := range b {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}
