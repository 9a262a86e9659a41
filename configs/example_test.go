package configs_test

import (
	"fmt"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl/configs"
)

// Default returns the defaults. A setting has one name, in a file and in Set.
func Example() {
	s := configs.Default()
	s.URL, s.MaxPages = []string{"https://example.org/"}, 1000
	if err := s.Set("delay", "2s"); err != nil {
		panic(err)
	}
	fmt.Println(s.MaxPages, time.Duration(s.Delay), s.Get("delay"), s.Validate())
	// Output:
	// 1000 2s [2s] <nil>
}

// A file may have some of the settings. Each fault is reported with its line.
func ExampleParse() {
	file := "contact: me@example.org\nworkers: 0\nmax-page: 10\n"
	_, err := configs.Parse([]byte(file), "polite.yaml", configs.Default())
	fmt.Println(err)
	// Output:
	// polite.yaml:2: workers: 0: want 1 to 10000
	// polite.yaml:3: max-page: no such setting: did you mean max-pages?
}

// Validate names every setting that is out of its range.
func ExampleSettings_Validate() {
	s := configs.Default()
	s.DedupDistance, s.Render = 9, "sometimes"
	fmt.Println(s.Validate())
	// Output:
	// render: "sometimes": want never, auto or always
	// dedup-distance: distance: want 0 to 6 bits, got 9
}

// WriteYAML writes what Parse reads, with a comment for each setting.
func ExampleSettings_WriteYAML() {
	s := configs.Default()
	s.MaxPages = 1000
	var file strings.Builder
	if err := s.WriteYAML(&file); err != nil {
		panic(err)
	}
	for line := range strings.Lines(file.String()) {
		if strings.Contains(line, "max-pages:") {
			fmt.Print(line)
		}
	}
	// Output:
	// max-pages: 1000
}
