package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/inspect"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/dedup/methods"
	"gatecrawl.example/gatecrawl/export"
)

func TestTheValuesThatShellsOfferAreTaken(t *testing.T) {
	settings := configs.Default()
	for _, k := range configs.Keys() {
		for _, v := range choices[k.Name] {
			if err := settings.Set(k.Name, v); err != nil {
				t.Errorf("--%s %s is offered and refused: %v", k.Name, v, err)
			}
		}
		if def := configs.Default(); choices[k.Name] != nil && !slices.Equal(def.Get(k.Name), choices[k.Name][:1]) {
			t.Errorf("--%s: offered are %v; want the default %v first", k.Name, choices[k.Name], def.Get(k.Name))
		}
	}
	for _, f := range choices["export format"] {
		if _, err := export.ParseFormat(f); err != nil {
			t.Errorf("export --format %s is offered and refused: %v", f, err)
		}
	}
	for _, name := range choices["dedup method"] {
		if _, err := methods.Parse(name, 0.8); err != nil {
			t.Errorf("dedup --method %s is offered and refused: %v", name, err)
		}
	}
	for _, f := range choices["format"] {
		if inspect.Writers[f] == nil {
			t.Errorf("mirrors --format %s is offered and refused", f)
		}
	}
	if len(choices["format"]) != len(inspect.Writers) {
		t.Errorf("mirrors has %d formats, and %d are offered", len(inspect.Writers), len(choices["format"]))
	}
}

func TestEveryFlagHasACompletion(t *testing.T) {
	root := newRoot()
	eachCommand(root, completeFlags)
	eachCommand(root, func(cmd *cobra.Command) {
		if f, ok := cmd.GetFlagCompletionFunc("job"); cmd.Flags().Lookup("job") != nil && (!ok || f == nil) {
			t.Errorf("%s --job has no completion", cmd.CommandPath())
		}
	})
}

func TestAMistypedFlagNamesTheNearest(t *testing.T) {
	names := []string{"job", "max-pages", "max-bytes", "delay", "workers", "exclude", "exclude-file"}
	for typed, want := range map[string]string{
		"max-page": "max-pages", "maxpages": "max-pages", "worker": "workers", "dealy": "delay", "jab": "job", "jbo": "job", "dleay": "delay", "exlude": "exclude", "bogus": "", "x": "",
	} {
		if got := configs.Nearest(typed, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", typed, got, want)
		}
	}
}

// commandLine is a command in a text, as far as the next one, flagIn one of its flags, and underWay a line
// of a table about what is not there yet.
var (
	underWay    = regexp.MustCompile(`(?m)^\|.*\| under way \|$`)
	commandLine = regexp.MustCompile("crawl ([a-z]+)((?:[^`|;<>\\n]|\\\\\n)*)")
	flagIn      = regexp.MustCompile(`(?:^|\s)--([a-z][a-z0-9-]*)`)
)

// What the documents and the help have users type is there.
func TestDocumentedFlagsAreThere(t *testing.T) {
	texts := make(map[string]string)
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, "../../README.md") {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(b)
	}
	root := newRoot()
	eachCommand(root, func(cmd *cobra.Command) { texts[cmd.CommandPath()+" -h"] = cmd.Long + "\n" + cmd.Example })
	checked := 0
	for where, text := range texts {
		text = underWay.ReplaceAllString(text, "")
		for _, m := range commandLine.FindAllStringSubmatch(text, -1) {
			line, _, _ := strings.Cut(m[2], "crawl ")
			line, _, _ = strings.Cut(line, ". ") // the next sentence
			cmd, _, err := root.Find(append([]string{m[1]}, strings.Fields(line)...))
			if err != nil || !cmd.HasParent() {
				continue // a sentence
			}
			for _, f := range flagIn.FindAllStringSubmatch(line, -1) {
				checked++
				if cmd.Flags().Lookup(f[1]) == nil && cmd.InheritedFlags().Lookup(f[1]) == nil {
					t.Errorf("%s: %s has no flag --%s", where, cmd.CommandPath(), f[1])
				}
			}
		}
	}
	if checked < 200 {
		t.Errorf("%d flags were found in the documents, want some hundreds", checked)
	}
}

// "[=true]" after a flag says what the flag alone means, and reads as if it were on by default.
func TestTheHelpOfASettingThatIsOnOrOffNamesItsDefault(t *testing.T) {
	defaults, n := configs.Default(), 0
	for line := range strings.Lines(newRun().Flags().FlagUsages()) {
		flag, rest, ok := strings.Cut(line, " BOOL[=true]")
		if !ok {
			continue
		}
		n++
		name := strings.TrimLeft(flag, " -")
		if want := "(default " + defaults.Get(name)[0] + ")"; strings.Count(rest, "(default ") != 1 || !strings.Contains(rest, want) {
			t.Errorf("--%s: %q, want %s in it", name, strings.TrimSpace(rest), want)
		}
	}
	if n == 0 {
		t.Error("the help has no such flag")
	}
}
