package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/corpus/labelled"
	"gatecrawl.example/gatecrawl/dedup/methods"
	"gatecrawl.example/gatecrawl/export"
	"gatecrawl.example/gatecrawl/humanize"
)

// choices has the values of flags that accept only a few, in the order in which they are offered,
// by the name of the flag, or of a command and its flag. A test compares them with what is
// accepted.
var choices = map[string][]string{
	"scope":           {"host", "domain", "prefix", "surt", "any"},
	"dedup":           {"discard", "mark", "off"},
	"dedup-index":     {"blocks", "halves"},
	"queue-by":        {"host", "domain", "ip"},
	"mirrors":         {"on", "watch", "off"},
	"render":          {"never", "auto", "always"},
	"url-rules-learn": {"skip", "defer", "off"},
	"log-format":      {"text", "json"},
	"warc":            {"pages", "all"},
	"verdict":         {"new", "copy", "refused", "failed"},
	"format":          {"table", "json", "csv", "dot", "svg", "html"},
	"probe":           {"store", "live"},
	"sort":            topOrders,

	"archive-compression": {"zstd", "gzip"},
	"warc-compression":    {"gzip", "zstd"},

	"export format":  {"jsonl", "csv", "parquet", "markdown", "text", "wet", "warc", "wacz", "edges"},
	"export verdict": {"new", "copy", "refused", "failed", "all"},
	"export fields":  export.FieldNames(),
	"near method":    methodNames(),
	"dedup method":   methodNames(),
}

// methodNames returns the names of the published methods and of the gate.
func methodNames() []string {
	var names []string
	for _, m := range methods.All(labelled.LeastOfPages) {
		if !slices.Contains(names, m.Name()) {
			names = append(names, m.Name())
		}
	}
	return names
}

// choicesOf returns the values that a command's flag accepts, if these are few.
func choicesOf(cmd *cobra.Command, flag string) []string {
	if values := choices[cmd.Name()+" "+flag]; values != nil {
		return values
	}
	return choices[flag]
}

// jobVariable is the environment variable that names the job if --job is not given.
const jobVariable = "CRAWL_JOB"

// eachCommand calls visit for a command and all below it.
func eachCommand(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		eachCommand(sub, visit)
	}
}

// asksForCompletions reports whether a shell asks for completions. For any other command they are
// not registered, which would take some 0.5 ms.
func asksForCompletions(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// completeFlags lets shells complete the values of a command's flags, and file names only for flags
// that take one.
func completeFlags(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		arg, _ := pflag.UnquoteUsage(f)
		complete := cobra.NoFileCompletions
		switch values := choicesOf(cmd, f.Name); {
		case values != nil:
			complete = cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
		case arg == "DIR":
			complete = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
		case slices.Contains([]string{"FILE", "FILE,...", "IN", "OUT", "PATH", "JOB|WARC|CDXJ"}, arg):
			complete = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return nil, cobra.ShellCompDirectiveDefault
			}
		}
		if err := cmd.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
			panic(fmt.Sprintf("%s --%s: %v: a flag is registered once", cmd.CommandPath(), f.Name, err))
		}
	})
}

// checkFlags returns an error for values that are invalid for every flag of the name.
func checkFlags(cmd *cobra.Command) error {
	f := cmd.Flags().Lookup("job")
	if dir := os.Getenv(jobVariable); dir != "" && f != nil && !f.Changed && f.DefValue == cli.DefaultJob {
		if err := f.Value.Set(dir); err != nil {
			return err
		}
	}
	if f != nil && f.Changed && f.Value.String() == "" {
		return cli.Usagef("--job: want the name of the job's folder")
	}
	if c := cmd.Flags().Lookup("cluster"); c != nil && c.Changed && f != nil && f.Value.String() != "" {
		if err := cli.CheckJobOfCluster(f.Value.String()); err != nil {
			return err
		}
	}
	if m := cmd.Flags().Lookup("method"); m != nil && m.Changed && m.Value.String() == "" {
		return cli.Usagef("--method: want the name of a method: crawl methods lists them")
	}
	if n, err := cmd.Flags().GetInt("limit"); err == nil && n < 0 {
		return cli.Usagef("--limit: %d: want 0, which is no limit, or more", n)
	}
	return nil
}

// insteadOfCluster says what there is for a job of a cluster in place of commands that do not take it.
var insteadOfCluster = map[string]string{
	"serve": "a cluster has no live page; crawl top --cluster watches a job",
	"list":  "crawl pages --cluster --json has what became of each URL",
	"judge": "crawl export --cluster writes the pages to a file, which crawl dedup and crawl eval read",
}

// nameFlag adds to the error about an unknown flag the one that may have been meant. For a value
// that is not a number, it says what the flag takes.
func nameFlag(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var number *strconv.NumError
	if errors.As(err, &invalid) && errors.As(err, &number) {
		return fmt.Errorf("--%s: %q is not %s", invalid.GetFlag().Name, invalid.GetValue(), wantedOf(invalid.GetFlag().Value.Type(), number.Err))
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	if cmd.Flags().Lookup("config") != nil && slices.ContainsFunc(configs.Keys(), func(k configs.Key) bool { return k.Name == unknown.GetSpecifiedName() }) {
		return fmt.Errorf("%w: this setting has no flag here; write %s: VALUE into a file for --config", err, unknown.GetSpecifiedName())
	}
	if unknown.GetSpecifiedName() == "cluster" && len(havingFlag(cmd, "cluster")) == 0 {
		return fmt.Errorf("%w: %s", err, cmp.Or(insteadOfCluster[cmd.Name()], "this command does not work on a job of a cluster"))
	}
	if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 {
		if wrong := cmd.Args(cmd, words); wrong != nil {
			return wrong // a mistyped subcommand, whose flags are not those of this command
		}
	}
	if subs := havingFlag(cmd, unknown.GetSpecifiedName()); len(subs) > 0 {
		return misplaced(cmd, unknown.GetSpecifiedName(), subs)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if name := configs.Nearest(unknown.GetSpecifiedName(), names); name != "" {
		return fmt.Errorf("%w: did you mean --%s?", err, name)
	}
	return err
}

// havingFlag returns the names of the commands below one that have a flag.
func havingFlag(cmd *cobra.Command, flag string) (names []string) {
	for _, sub := range cmd.Commands() {
		if sub.Flags().Lookup(flag) != nil {
			names = append(names, sub.Name())
		}
	}
	return names
}

// misplaced says which command a flag belongs to that was given to its parent command, with an
// example.
func misplaced(cmd *cobra.Command, flag string, subs []string) error {
	text := fmt.Sprintf("--%s comes behind %s", flag, strings.Join(subs, " or "))
	for line := range strings.Lines(cmd.Example) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, cmd.CommandPath()) && strings.Contains(line, "--"+flag) {
			return fmt.Errorf("%s: such as %s", text, line)
		}
	}
	return errors.New(text)
}

// wantedOf returns what a flag of a type takes, in words.
func wantedOf(kind string, err error) string {
	switch {
	case errors.Is(err, strconv.ErrRange):
		return "a number that fits"
	case kind == "bool":
		return "true or false"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	case strings.HasPrefix(kind, "uint"):
		return "a whole number from 0 up"
	}
	return "a whole number"
}

// wantArguments makes a command's error about too few or too many arguments name the arguments.
func wantArguments(cmd *cobra.Command) {
	check := cmd.Args
	if check == nil {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if err == nil {
			return nil
		}
		if cmd.HasSubCommands() && len(args) > 0 && (!cli.IsExit(err) || nearSubcommand(cmd, args[0]) != "") {
			return unknownCommand(cmd, args[0])
		}
		if cli.IsExit(err) {
			return err
		}
		_, want, _ := strings.Cut(cmd.Use, " ")
		switch {
		case want == "":
			return cli.Usagef("%q is too much: this command takes no arguments", args[0])
		case len(args) == 0:
			return cli.Usagef("want %s", want)
		}
		return cli.Usagef("want %s, got %s", want, humanize.Many(int64(len(args)), "argument", "arguments"))
	}
}

// wantSubcommand makes a command that does nothing by itself list its subcommands, and suggest one
// for a mistyped name.
func wantSubcommand(cmd *cobra.Command) {
	if cmd.Runnable() || !cmd.HasSubCommands() || !cmd.HasParent() {
		return
	}
	refuse := func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cli.Usagef("want %s", strings.Join(subcommands(cmd), " or "))
		}
		return unknownCommand(cmd, args[0])
	}
	cmd.Args, cmd.RunE = refuse, refuse
}

// unknownCommand returns the error for a word that is none of a command's subcommands.
func unknownCommand(cmd *cobra.Command, word string) error {
	if name := nearSubcommand(cmd, word); name != "" {
		return cli.Usagef("unknown command %q: did you mean %s?", word, name)
	}
	return cli.Usagef("unknown command %q: want %s", word, strings.Join(subcommands(cmd), " or "))
}

// nearSubcommand returns the subcommand that a mistyped word may stand for; "" if there is none.
func nearSubcommand(cmd *cobra.Command, word string) string {
	return configs.Nearest(word, subcommands(cmd))
}

// subcommands returns the names of the commands below one.
func subcommands(cmd *cobra.Command) (names []string) {
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	return names
}
