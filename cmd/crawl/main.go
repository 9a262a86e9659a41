// Command crawl is a web crawler with a duplicate gate.
//
// The files are named after their commands. run.go wires a crawl, and demo.go uses the same
// wiring; package control lets a running crawl answer questions. The commands that inspect a
// job, pages or URLs are in packages below, on what package cli has for all of them. Results go
// to stdout and everything else to stderr.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/duplicates"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/inspect"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/topics"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/urls"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/version"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/view"
	"gatecrawl.example/gatecrawl/purify/document"
)

func main() {
	// If the reader goes away (| head), the command must end in the ordinary way, by the error of a
	// write.
	signal.Ignore(syscall.SIGPIPE)
	if len(os.Args) == 2 && os.Args[1] == document.Argument {
		readDocument()
	}
	if os.Getenv(document.ReaderVariable) == "" {
		if self, err := os.Executable(); err == nil {
			os.Setenv(document.ReaderVariable, self) // fails for no name and no path
		}
	}
	log.SetOutput(io.Discard)  // see cli.NewLog
	runtime.MemProfileRate = 0 // nobody sees the profile of memory, unless it is served
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// readDocument is the main function of a process that only reads one PDF: see package document.
func readDocument() {
	if err := document.Serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(cli.CodeFailure)
	}
	os.Exit(0)
}

// run runs one command and returns its exit code.
func run(args []string, in io.Reader, out, err io.Writer) int {
	plainOut, plainErr := console.NewWriter(out), console.NewWriter(err)
	root := newRoot(args...)
	root.SetArgs(args)
	refuseUnknownHelp(root)
	refuseUnknownShell(root, args)
	if asksForCompletions(args) {
		eachCommand(root, completeFlags)
	}
	root.SetIn(in)
	root.SetOut(plainOut)
	root.SetErr(plainErr)
	started := false
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		started = true
		return checkFlags(cmd)
	}
	cmd, fault := root.ExecuteContextC(context.Background())
	if fault != nil && !started {
		fault = cli.Usagef("%w", fault) // a flag or an argument that cobra refused
	}
	if fault == nil {
		fault = plainOut.Flush()
	}
	code := cli.TellFault(plainErr, cmd.CommandPath(), fault)
	_ = plainErr.Flush() // there is nowhere to report an error
	return code
}

// newRoot returns the root command with the subcommands that a command line needs; without
// arguments, with all.
func newRoot(args ...string) *cobra.Command {
	root := &cobra.Command{
		Use:   "crawl",
		Short: "a web crawler with a duplicate gate",
		Long: `crawl fetches web pages, keeps each document once, and counts every copy it
meets as a vote for the page that it kept.

All state of a crawl is in one job folder. A crawl that was stopped, by
Ctrl-C, a limit or a crash, goes on with the same command.

exit codes
` + cli.ExitCodes(),
		Example: `  crawl demo
  crawl run --job news --contact me@example.org -u https://example.org/
  crawl status --job news
  crawl dups --job news`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version.Short(), // --version
	}
	root.SetVersionTemplate(version.Long())
	for _, make := range makersOf(args) {
		root.AddCommand(make())
	}
	root.SetFlagErrorFunc(nameFlag)
	groupHelp(root)
	eachCommand(root, wantSubcommand)
	eachCommand(root, wantArguments)
	return root
}

// makersOf returns the makers of the commands that a command line needs: of the one that its first
// word names, or of all. Making all takes some 1.5 ms, an eighth of a start.
func makersOf(args []string) cli.Makers {
	all := cli.Makers{
		"run": newRun, "demo": newDemo, "testserver": newTestserver, "seeds": newSeeds, "scope": newScopeCommand,
		"config": newConfig, "focus": newFocus, "top": newTop, "pause": newPause, "resume": newResume, "stop": newStop,
		"node": newNode, "set": newSet, "serve": newServe, "version": newVersion, "man": newMan, "exit-codes": newExitCodes,
	}
	for _, more := range []cli.Makers{inspect.Commands(), view.Commands(), duplicates.Commands(), urls.Commands()} {
		maps.Copy(all, more)
	}
	if len(args) > 0 && args[0] != "man" { // man describes all commands
		if one, ok := all[args[0]]; ok {
			return cli.Makers{args[0]: one}
		}
	}
	return all
}

func newFocus() *cobra.Command {
	cmd := topics.New()
	cmd.AddCommand(newFocusTry())
	return cmd
}

func newExitCodes() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes mean",
		Long:  "crawl ends with one of these exit codes:\n\n" + cli.ExitCodes(),
	}
}
