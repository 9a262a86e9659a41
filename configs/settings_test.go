package configs

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
)

func TestDefaultsAreValid(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Errorf("Default().Validate() = %v, want nil", err)
	}
}

func TestDefaultsAreThoseOfThePackages(t *testing.T) {
	s := Default()
	if got, want := s.DedupOptions(), dedup.DefaultOptions(); got != want {
		t.Errorf("DedupOptions() = %+v, want %+v", got, want)
	}
	if diff := cmp.Diff(frontier.DefaultScopeOptions(), s.ScopeOptions()); diff != "" {
		t.Errorf("ScopeOptions(): -want +got\n%s", diff)
	}
	if got, want := s.FetchOptions(""), fetch.Defaults(); !reflect.DeepEqual(got, want) {
		t.Errorf("FetchOptions() = %+v, want %+v", got, want)
	}
}

func TestEveryKeyHasHelpAndCanBeSet(t *testing.T) {
	for _, k := range Keys() {
		if k.Name == "" || k.Arg == "" || k.Help == "" {
			t.Errorf("key %+v lacks a name, an argument or help", k)
		}
		d := Default()
		values := d.Get(k.Name)
		if err := d.Set(k.Name, values...); err != nil {
			t.Errorf("Set(%q, %q) = %v, want nil", k.Name, values, err)
		}
		if diff := cmp.Diff(Default(), d, empty); diff != "" {
			t.Errorf("Set(%q, Get(%q)) changed the settings:\n%s", k.Name, k.Name, diff)
		}
	}
}

// nil and empty lists are equal.
var empty = cmp.FilterValues(func(a, b []string) bool { return len(a)+len(b) == 0 }, cmp.Ignore())

func TestExampleFilesLoad(t *testing.T) {
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("Glob(*.yaml) = %q, %v, want the example files", files, err)
	}
	for _, f := range files {
		s, err := Load(f, Default())
		if err != nil {
			t.Errorf("Load(%q): %v", f, err)
		}
		if diff := cmp.Diff(Default(), s, empty); diff == "" {
			t.Errorf("Load(%q) changes nothing", f)
		}
	}
}

func TestFileSetsWhatItNames(t *testing.T) {
	got, err := Parse([]byte(`
# a comment
url: https://example.org/
include: ["\\.html$", '[0-9]+']
scope: domain
delay: 2.5        # seconds
time-limit: 1h30m
max-bytes: 2 GiB
depth: 3
dedup: mark
allow-private: true
topic: solar power
priority-mirror: 0.5
log-format: json
contact:
`), "f.yaml", Default())
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.URL = []string{"https://example.org/"}
	want.Include = []string{`\.html$`, "[0-9]+"}
	want.Scope = frontier.ScopeDomain
	want.Delay = Duration(2500 * time.Millisecond)
	want.TimeLimit = Duration(90 * time.Minute)
	want.MaxBytes = 2 << 30
	want.Depth = 3
	want.Dedup = dedup.ModeMark
	want.AllowPrivate = true
	want.Topic = "solar power"
	want.PriorityMirror = .5
	want.LogFormat = LogJSON
	if diff := cmp.Diff(want, got, empty); diff != "" {
		t.Errorf("Parse: -want +got\n%s", diff)
	}
}

func TestBadFilesAreRefusedWithTheirLines(t *testing.T) {
	for _, c := range []struct {
		name, file string
		want       []string // lines of the message, a part of each
	}{
		{"unknown key", "delay: 1s\nfoo: 1\n", []string{"f.yaml:2: foo: no such setting"}},
		{"letters exchanged", "dleay: 1s\n", []string{"f.yaml:1: dleay: no such setting: did you mean delay?"}},
		{"mistyped key", "max_pages: 10\n", []string{"f.yaml:1: max_pages: no such setting: did you mean max-pages?"}},
		{"no number", "\n\nworkers: many\n", []string{`f.yaml:3: workers: "many" is not a whole number`}},
		{"out of range", "depth: 2\nworkers: 0\n", []string{"f.yaml:2: workers: 0: want 1 to"}},
		{"bad distance", "dedup-distance: 9\n", []string{"f.yaml:1: dedup-distance: "}},
		{"no duration", "delay: soon\n", []string{`f.yaml:1: delay: "soon" is not a time`}},
		{"negative duration", "delay: -1s\n", []string{`f.yaml:1: delay: "-1s" is negative`}},
		{"no size", "max-bytes: 10 apples\n", []string{`f.yaml:1: max-bytes: "10 apples" is not a size`}},
		{"zero timeout", "timeout: 0\n", []string{"f.yaml:1: timeout: 0: want more"}},
		{"bad scope", "scope: world\n", []string{"f.yaml:1: scope: "}},
		{"bad mode", "dedup: maybe\n", []string{"f.yaml:1: dedup: "}},
		{"bad pattern", "delay: 1s\nexclude:\n  - ok\n  - '['\n", []string{"f.yaml:2: exclude: "}},
		{"bad contact", "contact: me\n", []string{`f.yaml:1: contact: "me" is neither`}},
		{"list for a value", "delay: [1s, 2s]\n", []string{"f.yaml:1: delay: want one value, got 2"}},
		{"mapping", "delay:\n  min: 1s\n", []string{"f.yaml:1: delay: want a plain value"}},
		{"list", "- delay\n", []string{"f.yaml:1: want lines of the form key: value"}},
		{"text", "hello\n", []string{"f.yaml:1: want lines of the form key: value"}},
		{"twice", "delay: 1s\ndelay: 2s\n", []string{"f.yaml:2: "}},
		{"broken", "delay: [1s\n", []string{"f.yaml:1: "}},
		{"two documents", "delay: 1s\n---\ndelay: 2s\n", []string{"f.yaml:3: a second document"}},
		{"several at once", "workers: 0\nfoo: 1\ndelay: x\n", []string{"f.yaml:1: workers: ", "f.yaml:2: foo: ", "f.yaml:3: delay: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.file), "f.yaml", Default())
			var faults *Faults
			if !errors.As(err, &faults) {
				t.Fatalf("Parse(%q) = %v, want *Faults", c.file, err)
			}
			got := strings.Split(err.Error(), "\n")
			if len(got) != len(c.want) {
				t.Fatalf("Parse(%q) = %q, want %d faults", c.file, got, len(c.want))
			}
			for i := range got {
				if !strings.HasPrefix(got[i], c.want[i]) {
					t.Errorf("Parse(%q): fault %d is %q, want it to start with %q", c.file, i+1, got[i], c.want[i])
				}
			}
		})
	}
}

func TestValidateNamesTheSettingsAtFault(t *testing.T) {
	s := Default()
	s.Workers, s.PerHost, s.DedupDistance = 0, 0, 99
	var faults *Faults
	if !errors.As(s.Validate(), &faults) {
		t.Fatalf("Validate() = %v, want *Faults", s.Validate())
	}
	var keys []string
	for _, f := range faults.List {
		keys = append(keys, f.Key)
	}
	if want := []string{"workers", "per-host", "dedup-distance"}; !slices.Equal(keys, want) {
		t.Errorf("Validate() names %q, want %q", keys, want)
	}
}

// TestAFaultOfATopicIsToldOnce: with a topic the store's options have it too, in other units.
func TestAFaultOfATopicIsToldOnce(t *testing.T) {
	s := Default()
	s.Topic, s.Explore, s.FocusPatience = "birds", 2, -1
	want := &Faults{List: []Fault{{Key: "focus-patience", Problem: "-1: want 0 to 1000 times delay"}, {Key: "explore", Problem: "2: want a share of the requests, 0 to 1"}}}
	if got := s.Validate(); !reflect.DeepEqual(got, error(want)) {
		t.Errorf("Validate() = %v, want %v", got, want)
	}
}

func TestLongDelayRaisesMaxDelay(t *testing.T) {
	s := Default()
	s.Delay = Duration(time.Hour)
	if err := s.Validate(); err != nil {
		t.Errorf("Validate() with a delay of 1h = %v, want nil", err)
	}
}

func TestLoadRefusesWhatIsNoFileOfSettings(t *testing.T) {
	dir := t.TempDir()
	big := filepath.Join(dir, "big.yaml")
	if err := os.WriteFile(big, bytes.Repeat([]byte("# filler\n"), MaxFileBytes/8), 0o600); err != nil {
		t.Fatal(err)
	}
	var faults *Faults
	for _, path := range []string{dir, big} {
		if _, err := Load(path, Default()); !errors.As(err, &faults) {
			t.Errorf("Load(%q) = %v, want *Faults", path, err)
		}
	}
	if _, err := Load(filepath.Join(dir, "none.yaml"), Default()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Load of no file = %v, want os.ErrNotExist", err)
	}
}

func TestWhatIsWrittenIsReadAsTheSame(t *testing.T) {
	s := Default()
	s.URL = []string{"https://example.org/?q=\"a\"#b", "http://例え.jp/ü"}
	s.Include = []string{`\.html?$`, "a: b", "- c", "tab\there", "line\nbreak", "it's", "null", ""}
	s.Contact, s.Topic = "me@example.org", "电池 \\ storage\u00a0\u2028"
	s.Scope, s.Dedup, s.LogFormat = frontier.ScopePrefix, dedup.ModeOff, LogJSON
	s.MaxBytes, s.TimeLimit, s.PriorityDepth = 12345678901, Duration(1500*time.Millisecond), 1.25
	wantRoundTrip(t, s)
}

func wantRoundTrip(t *testing.T, s Settings) {
	t.Helper()
	var b bytes.Buffer
	if err := s.WriteYAML(&b); err != nil {
		t.Fatal(err)
	}
	got, err := Parse(b.Bytes(), "f.yaml", Default())
	if err != nil {
		t.Fatalf("Parse of what was written: %v\n%s", err, b.Bytes())
	}
	if diff := cmp.Diff(s, got, empty); diff != "" {
		t.Errorf("Parse of what was written: -want +got\n%s\n%s", diff, b.Bytes())
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "delay: 1s", "url:\n  - a\n  - b", "topic: |\n  a\n  b", "a: &x 1\nb: *x", "? a\n: b", "\"topic\": \"\\u4e2d\"", "topic: !!str 1", "---\n...\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse(data, "f.yaml", Default())
		if err != nil {
			return
		}
		if !validText(s) {
			return
		}
		wantRoundTrip(t, s)
	})
}

// validText reports whether all text is UTF-8 that YAML can represent.
func validText(s Settings) bool {
	for _, k := range Keys() {
		for _, v := range s.Get(k.Name) {
			if strings.ContainsFunc(strings.ToValidUTF8(v, "\uFFFD"), func(r rune) bool { return r == '\uFFFD' || r < ' ' || r == 0x7f }) {
				return false
			}
		}
	}
	return true
}

// With delay 0 a host has no delay, but its request in progress is waited for.
func TestFocusPatienceIsASecondAtLeast(t *testing.T) {
	for _, c := range []struct {
		delay, want time.Duration
		patience    float64
	}{
		{0, time.Second, 1}, {0, 0, 0}, {10 * time.Millisecond, 2 * time.Second, 2}, {3 * time.Second, 3 * time.Second, 1},
	} {
		s := Default()
		s.Topic, s.Delay, s.FocusPatience = "herons", Duration(c.delay), c.patience
		if got := s.StoreOptions().Patience; got != c.want {
			t.Errorf("focus-patience %v with delay %v is %v, want %v", c.patience, c.delay, got, c.want)
		}
	}
}
