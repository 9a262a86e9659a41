package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/purify/document"
)

// TestTheCommandsOfTheDocumentsAreTaken parses each command that README and docs show, as
// far as its flags: a command without a subcommand that it needs, a flag that is not there,
// and a value behind a switch are found.
func TestTheCommandsOfTheDocumentsAreTaken(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	root, seen := newRoot(), 0
	for _, file := range append(files, "../../README.md", "../../deploy/compose.yaml") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range shownCommands(string(text)) {
			seen++
			if fault := notTaken(root, line); fault != "" {
				t.Errorf("%s: %q: %s", filepath.Base(file), line, fault)
			}
		}
	}
	if seen < 100 {
		t.Errorf("%d commands in the documents, want a hundred or more", seen)
	}
}

func TestACommandThatIsNotTakenIsFound(t *testing.T) {
	for line, want := range map[string]string{
		"crawl rules --job site":                "needs a subcommand",
		"crawl run --obey-meta false":           "a switch takes its value behind =",
		"crawl run --no-such-flag":              "unknown flag",
		"crawl run --obey-meta=false --job x y": "",
		"crawl rules list --job site":           "",
	} {
		if got := notTaken(newRoot(), line); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("notTaken(%q) = %q, want %q", line, got, want)
		}
	}
}

var (
	codeSpan   = regexp.MustCompile("`(crawl [^`]+)`")
	codeLine   = regexp.MustCompile(`(?m)^(?:    |\$ |.*&& |)(?:sudo |go run \./cmd/)?(crawl [a-z][^\n]*)`)
	shellEnd   = regexp.MustCompile(`\s(?:[|&;#>]|2>|# )`)
	quoted     = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	continued  = regexp.MustCompile(`\\\n\s*`)
	inSpan     = regexp.MustCompile(`\s*\n\s*`)
	fencedText = regexp.MustCompile("(?ms)^```\n(.*?)^```|^(?:    [^\n]*\n)+")
)

// shownCommands returns the commands in a document's spans and blocks of code.
func shownCommands(text string) []string {
	var all []string
	for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
		all = append(all, inSpan.ReplaceAllString(m[1], " "))
	}
	for _, block := range fencedText.FindAllString(text, -1) {
		for _, m := range codeLine.FindAllStringSubmatch(continued.ReplaceAllString(block, " "), -1) {
			all = append(all, m[1])
		}
	}
	return all
}

// notTaken says why the command line cannot be one of crawl's, or nothing.
func notTaken(root *cobra.Command, line string) string {
	line = quoted.ReplaceAllString(line, "x")
	if end := shellEnd.FindStringIndex(line); end != nil {
		line = line[:end[0]]
	}
	args := strings.Fields(line)[1:]
	for i, arg := range args {
		if arg == "..." {
			args = args[:i] // and so on
			break
		}
	}
	if len(args) == 0 || unicode.IsUpper(rune(args[0][0])) || args[0] == document.Argument {
		return "" // crawl COMMAND -h
	}
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err.Error()
	}
	if cmd.HasSubCommands() && cmd.ValidateArgs(nil) != nil && len(rest) > 0 && rest[0] != "-h" {
		return "needs a subcommand"
	}
	if fault := valueOfSwitch(cmd, rest); fault != "" {
		return fault
	}
	if err := cmd.ParseFlags(rest); err != nil && strings.Contains(err.Error(), "unknown") {
		return err.Error()
	}
	return ""
}

func valueOfSwitch(cmd *cobra.Command, args []string) string {
	for i, arg := range args[:max(len(args)-1, 0)] {
		f := cmd.Flags().Lookup(strings.TrimPrefix(arg, "--"))
		if f != nil && f.NoOptDefVal != "" && (args[i+1] == "true" || args[i+1] == "false") {
			return "a switch takes its value behind =: " + arg + "=" + args[i+1]
		}
	}
	return ""
}

// TestThePageInTheReadmeIsReadAsItSays: its layout was that of an earlier version of purify.
func TestThePageInTheReadmeIsReadAsItSays(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, session, _ := strings.Cut(string(readme), "$ cat bees.html\n")
	session, _, _ = strings.Cut(session, "\n```")
	html, want, ok := strings.Cut(session, "$ crawl view bees.html\n")
	if !ok {
		t.Fatal("README has no bees.html")
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("bees.html", []byte(html), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, fault strings.Builder
	if code := run([]string{"view", "bees.html"}, strings.NewReader(""), &out, &fault); code != 0 || strings.TrimSpace(out.String()) != strings.TrimSpace(want) {
		t.Errorf("crawl view bees.html exits %d with\n%s%s\nREADME has\n%s", code, out.String(), fault.String(), want)
	}
}
