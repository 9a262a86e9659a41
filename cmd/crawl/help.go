package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/configs"
)

// commandGroups are the headings of commands in crawl -h; commands in no group come last.
var commandGroups = []struct {
	title string
	names []string
}{
	{"Crawl", []string{"run", "node", "demo", "seeds", "scope", "config"}},
	{"Watch and change a running crawl", []string{"top", "pause", "resume", "stop", "set", "serve"}},
	{"See what a job found", []string{"status", "pages", "why", "dups", "parts", "popular", "mirrors", "rules", "near", "alive", "links", "list", "diff", "view", "export", "report", "check"}},
	{"Duplicates among pages of your own", []string{"dedup", "methods", "eval", "judge", "fold", "categories", "idf"}},
}

// runGroups are the headings of flags in crawl run -h. The flags that most users need come first;
// flags in no group come last.
var runGroups = []struct {
	title string
	names []string
}{
	{"Most used", []string{"job", "contact", "url", "seeds", "scope", "exclude", "max-pages", "depth", "delay", "workers"}},
	{"Where it goes", []string{"column", "include", "include-file", "exclude-file", "surts", "sitemaps", "max-pages-per-host", "max-new-per-host", "max-bytes", "max-links", "time-limit", "allow-ports", "allow-private", "proxy"}},
	{"How politely", []string{"delay-factor", "per-host", "per-ip", "queue-by", "bandwidth", "quiet-hours", "obey-meta"}},
	{"What requests carry", []string{"user-agent", "header", "hosts", "credentials", "cookies", "cookie-file", "insecure", "ca-file"}},
	{"Archives", []string{"warc", "warc-compression", "requisites", "requisites-per-page", "requisites-size", "archive-compression", "archive-prefix", "archive-size", "archive-operator", "archive-description", "archive-part-of"}},
	{"What is kept", []string{"extract", "keep", "drop", "render", "render-memory", "categories"}},
	{"A topic", []string{"topic", "like", "unlike", "topic-model", "topic-learn", "focus-threshold", "focus-keep", "focus-patience", "explore", "stop-tail", "stop-after-relevant"}},
	{"Duplicates", []string{"dedup", "known", "dedup-distance", "dedup-resemblance", "parts", "idf", "mirrors", "url-rules", "url-rules-learn", "keep-tracking"}},
	{"Again and again", []string{"recrawl", "recrawl-copies", "recrawl-pages", "refetch-after", "every", "hook-url", "hook-secret-file", "hook-command"}},
	{"Several disks, or machines", []string{"partitions", "partition-dirs", "cluster", "secret-file", "tls-ca", "detach"}},
	{"Watching it", []string{"serve", "serve-token-file", "serve-pprof", "verbose", "json", "log-every", "log-format"}},
}

// groupHelp puts the commands of -h, and the flags of run, under headings.
func groupHelp(root *cobra.Command) {
	for _, g := range commandGroups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range root.Commands() {
			if slices.Contains(g.names, c.Name()) {
				c.GroupID = g.title
			}
		}
	}
	for _, c := range root.Commands() {
		if c.Name() == "run" {
			c.SetUsageFunc(groupedUsage)
		}
	}
}

// groupedUsage prints the usage of run.
func groupedUsage(cmd *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n\nExamples:\n%s\n", cmd.UseLine(), cmd.Example)
	shown := make(map[string]bool)
	section := func(title string, names []string) {
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		fs.SortFlags = false
		for _, name := range names {
			if f := cmd.Flags().Lookup(name); f != nil && !f.Hidden && !shown[name] {
				fs.AddFlag(f)
				shown[name] = true
			}
		}
		if fs.HasFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s", title, fs.FlagUsages())
		}
	}
	for _, g := range runGroups {
		section(g.title, g.names)
	}
	var others []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { others = append(others, f.Name) })
	section("Others", others)
	_, err := fmt.Fprint(cmd.OutOrStderr(), b.String())
	return err
}

// refuseUnknownShell makes crawl completion with another word than a shell's name an error. To cobra it is a question for help.
func refuseUnknownShell(root *cobra.Command, args []string) {
	if len(args) == 0 || args[0] != "completion" {
		return
	}
	root.InitDefaultCompletionCmd(args...)
	for _, c := range root.Commands() {
		if c.Name() == args[0] {
			c.RunE = nil
			c.Run = nil
			wantSubcommand(c)
		}
	}
}

// refuseUnknownHelp makes crawl help fail for an unknown command: cobra would print all of the
// help, and succeed.
func refuseUnknownHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, help := range root.Commands() {
		if help.Name() != "help" {
			continue
		}
		help.Args = func(_ *cobra.Command, args []string) error {
			if _, rest, err := root.Find(args); err == nil && len(rest) == 0 {
				return nil
			}
			var names []string
			for _, c := range root.Commands() {
				names = append(names, c.Name())
			}
			want := "crawl help lists the commands"
			if name := configs.Nearest(args[0], names); name != "" && name != args[0] {
				want = fmt.Sprintf("did you mean %s?", name)
			}
			return cli.Usagef("there is no command %q: %s", strings.Join(args, " "), want)
		}
	}
}
