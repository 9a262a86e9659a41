package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/version"
)

// newMan writes what packages ship with the program.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write man pages and shell completions into a folder",
		Long:    "man writes a man page for each command into DIR/man1, and completions for bash, zsh and\nfish into DIR/completions, as packages install them.",
		Example: "  crawl man /usr/local/share/crawl",
		Hidden:  true,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			pages, completions := filepath.Join(args[0], "man1"), filepath.Join(args[0], "completions")
			for _, dir := range []string{pages, completions} {
				if err := os.MkdirAll(dir, 0o755); err != nil {
					return err
				}
			}
			root := cmd.Root()
			root.InitDefaultHelpFlag()
			var fault error
			eachCommand(root, func(c *cobra.Command) {
				if c.Hidden || c.Name() == "help" || fault != nil {
					return
				}
				name := strings.ReplaceAll(c.CommandPath(), " ", "-")
				fault = os.WriteFile(filepath.Join(pages, name+".1"), []byte(manPage(c)), 0o644)
			})
			if fault != nil {
				return fault
			}
			for name, write := range map[string]func(string) error{
				"crawl.bash": func(f string) error { return root.GenBashCompletionFileV2(f, true) },
				"_crawl":     root.GenZshCompletionFile,
				"crawl.fish": func(f string) error { return root.GenFishCompletionFile(f, true) },
			} {
				if err := write(filepath.Join(completions, name)); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// manParagraphs returns paragraphs that are filled to the width of the reader's terminal, but for
// those with lines that are indented or in columns, such as lists and examples.
func manParagraphs(text string) string {
	var b strings.Builder
	for i, p := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 { // a section starts with a paragraph by itself
			b.WriteString(".PP\n")
		}
		if strings.Contains("\n"+p, "\n ") || strings.Contains(p, "\t") || strings.Contains(p, "  ") {
			fmt.Fprintf(&b, ".nf\n%s\n.fi\n", manText(p))
		} else {
			fmt.Fprintf(&b, "%s\n", manText(p))
		}
	}
	return b.String()
}

// manPage returns the manual of a command, in the macros of man(7).
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %s 1 \"%s\" \"crawl %s\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n",
		strings.ToUpper(name), version.Date(), manText(version.Short()), manText(name), manText(cmd.Short), manText(cmd.UseLine()))
	if cmd.Long != "" {
		b.WriteString(".SH DESCRIPTION\n" + manParagraphs(cmd.Long))
	}
	if flags := cmd.NonInheritedFlags(); flags.HasAvailableFlags() {
		b.WriteString(".SH OPTIONS\n")
		flags.VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			arg, usage := pflag.UnquoteUsage(f)
			short := ""
			if f.Shorthand != "" {
				short = "\\-" + f.Shorthand + ", "
			}
			fmt.Fprintf(&b, ".TP\n.B %s\\-\\-%s %s\n%s", short, manText(f.Name), manText(arg), manText(usage))
			if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" && f.DefValue != "0" {
				fmt.Fprintf(&b, " (default %s)", manText(f.DefValue))
			}
			b.WriteByte('\n')
		})
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", manText(cmd.Example))
	}
	var see []string
	if p := cmd.Parent(); p != nil {
		see = append(see, strings.ReplaceAll(p.CommandPath(), " ", "-")+"(1)")
	}
	for _, c := range cmd.Commands() {
		if !c.Hidden && c.Name() != "help" {
			see = append(see, strings.ReplaceAll(c.CommandPath(), " ", "-")+"(1)")
		}
	}
	if len(see) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", manText(strings.Join(see, ", ")))
	}
	return b.String()
}

// manText escapes what roff would read: backslashes, hyphens, and dots and quotes that start a
// line.
func manText(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
