package configs_test

import (
	"os"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/configs"
)

// TestDocsHaveEverySettingWithItsDefault compares docs/settings.md with the settings.
func TestDocsHaveEverySettingWithItsDefault(t *testing.T) {
	text, err := os.ReadFile("../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	said := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.Contains(line, "---") || strings.TrimSpace(cells[1]) == "setting" {
			continue
		}
		key := strings.TrimSpace(cells[1])
		if _, twice := said[key]; twice {
			t.Errorf("%s is there twice", key)
		}
		said[key] = strings.TrimSpace(cells[2])
	}
	defaults := configs.Default()
	for _, k := range configs.Keys() {
		got, ok := said[k.Name]
		if want := strings.Join(defaults.Get(k.Name), ", "); !ok || got != want {
			t.Errorf("%s: the docs say %q (%v), the default is %q", k.Name, got, ok, want)
		}
		delete(said, k.Name)
	}
	for key := range said {
		t.Errorf("the docs have %s, which is no setting", key)
	}
}
