package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/purify"
)

// SettingFlags are the settings that flags have given. They are applied after the settings of
// files.
type SettingFlags struct {
	File     string // --config
	order    []string
	values   map[string][]string
	defaults configs.Settings // which -h shows
}

// NewSettingFlags gives cmd the flags of the named settings.
func NewSettingFlags(cmd *cobra.Command, names []string) *SettingFlags {
	g := &SettingFlags{values: make(map[string][]string), defaults: configs.Default()}
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
			if f.DefValue == "false" {
				f.Usage += " (default false)" // pflag prints no default that is false, and "[=true]" reads as one
			}
		}
	}
	fs.StringVar(&g.File, "config", "", "read settings from this YAML `FILE`; flags win over it")
	return g
}

// A settingFlag is one setting on the command line.
type settingFlag struct {
	given *SettingFlags
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

// Add adds a value to a setting that is a list, as one more flag would.
func (g *SettingFlags) Add(name, text string) error { return g.set(name, append(g.values[name], text)) }

// set checks and keeps the values of a setting.
func (g *SettingFlags) set(name string, values []string) error {
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
	return strings.Join(f.given.defaults.Get(f.key.Name), ", ")
}

// Type returns the kind of value, which -h shows.
func (f *settingFlag) Type() string { return f.key.Arg }

// Any reports whether a file or a setting was given.
func (g *SettingFlags) Any() bool { return g.File != "" || len(g.order) > 0 }

// Over applies the file and the flags to base. Start URLs are added instead: those of base are
// those that an interrupted run has not added yet.
func (g *SettingFlags) Over(base configs.Settings) (configs.Settings, error) {
	s, pendingURL, pendingSeeds := base, base.URL, base.Seeds
	s.URL, s.Seeds = nil, nil
	if g.File != "" {
		var err error
		if s, err = LoadFile(g.File, s); err != nil {
			return base, err
		}
	}
	for _, name := range g.order {
		values := g.values[name]
		if list := isList(name); list || name == "topic" {
			takes, err := takesAway(values, s.Get(name))
			if err != nil {
				return base, Usagef("--%s: %w", name, err)
			}
			if takes && list {
				values = nil
			}
		}
		if err := s.Set(name, values...); err != nil {
			return base, Usagef("--%s: %w", name, err)
		}
	}
	// All but the flags is valid, so the flags are at fault.
	var faults *configs.Faults
	if errors.As(s.Validate(), &faults) {
		for i := range faults.List {
			if key := &faults.List[i].Key; *key != "" {
				*key = "--" + *key
			}
		}
		return base, Usagef("%s", faults.Error())
	}
	s.URL = union(pendingURL, s.URL)
	s.Seeds = union(pendingSeeds, s.Seeds)
	return s, nil
}

func isList(name string) bool {
	return slices.ContainsFunc(configs.Keys(), func(k configs.Key) bool { return k.Name == name && k.List })
}

// takesAway reports whether a flag was given an empty text, which removes what was set before. If
// nothing was set, that is an error: mostly it is an unset variable of a script, and an empty
// expression matches every URL.
func takesAway(given, before []string) (bool, error) {
	switch {
	case !slices.ContainsFunc(given, func(text string) bool { return strings.TrimSpace(text) == "" }):
		return false, nil
	case len(given) > 1:
		return false, errors.New("one of the values is empty: an empty value alone takes away what was set before")
	case given[0] != "":
		return false, fmt.Errorf("%q is empty", given[0])
	case strings.Join(before, "") == "":
		return false, errors.New("the value is empty: it takes away what was set before, and nothing was")
	}
	return true, nil
}

// Reader returns the page reader for the given settings.
func (g *SettingFlags) Reader() (purify.Reader, error) {
	s, err := g.Over(configs.Default())
	if err != nil {
		return purify.Reader{}, err
	}
	return s.CrawlOptions().Reader()
}

// LoadFile reads a file that the user has named. A file that can't be read counts as one with
// faults.
func LoadFile(path string, base configs.Settings) (configs.Settings, error) {
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
