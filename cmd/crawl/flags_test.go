package main

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"

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
		if writers[f] == nil {
			t.Errorf("mirrors --format %s is offered and refused", f)
		}
	}
	if len(choices["format"]) != len(writers) {
		t.Errorf("mirrors has %d formats, and %d are offered", len(writers), len(choices["format"]))
	}
}

func TestEveryFlagHasACompletion(t *testing.T) {
	eachCommand(newRoot(), func(cmd *cobra.Command) {
		if f, ok := cmd.GetFlagCompletionFunc("job"); cmd.Flags().Lookup("job") != nil && (!ok || f == nil) {
			t.Errorf("%s --job has no completion", cmd.CommandPath())
		}
	})
}

func TestAMistypedFlagNamesTheNearest(t *testing.T) {
	names := []string{"job", "max-pages", "max-bytes", "delay", "workers", "exclude", "exclude-file"}
	for typed, want := range map[string]string{
		"max-page": "max-pages", "maxpages": "max-pages", "worker": "workers", "dealy": "delay", "jab": "job", "exlude": "exclude", "bogus": "", "x": "",
	} {
		if got := nearest(typed, names); got != want {
			t.Errorf("nearest(%q) = %q, want %q", typed, got, want)
		}
	}
}
