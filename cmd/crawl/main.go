// Command crawl is a web crawler with a duplicate gate.
//
// The files are named by their commands. run.go wires a crawl, demo.go uses the
// same wiring, control.go lets a running crawl answer questions, and exit.go
// has the exit codes. Results go to stdout and everything else to stderr.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	// A reader that goes away (| head) shall end the command in the ordinary
	// way, by the error of a write.
	signal.Ignore(syscall.SIGPIPE)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	code := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	runtime.KeepAlive(ballast)
	os.Exit(code)
}

// A collection begins when the heap has grown by collectAt percent of what lived after
// the last one and of the ballast, which is never touched and takes no memory. A
// crawl's heap is small and its garbage plenty: with the ballast collections are rare,
// and with less than Go's 100 percent a large heap, of a million hosts say, which holds
// few pointers and is quickly marked, does not take twice its size. GOGC in the
// environment counts instead, where it is set.
const collectAt = 60

var ballast = make([]byte, 64<<20)

// run runs one command and returns its exit code.
func run(args []string, in io.Reader, out, err io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(err)
	began := false
	root.PersistentPreRun = func(*cobra.Command, []string) { began = true }
	cmd, fault := root.ExecuteContextC(context.Background())
	if fault != nil && !began {
		fault = usagef("%w", fault) // a flag or an argument that cobra refused
	}
	return report(err, cmd.CommandPath(), fault)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "crawl",
		Short: "a web crawler with a duplicate gate",
		Long: `crawl fetches web pages, keeps each document once, and counts every copy it
meets as a vote for the page that it kept.

All state of a crawl lies in one job folder. A crawl that was stopped, by
Ctrl-C, a limit or a crash, goes on with the same command.

exit codes
` + exitCodes(),
		Example: `  crawl demo
  crawl run --job news --contact me@example.org -u https://example.org/
  crawl status --job news
  crawl dups --job news`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(
		newDemo(), newRun(), newSeeds(),
		newStatus(), newPages(), newDups(), newMirrors(), newRules(), newWhy(), newNear(), newAlive(), newCheck(),
		newView(), newURL(), newRobots(), newDedup(), newEval(), newIDF(), newConfig(), newBench(), newTestserver(), newVersion(),
		&cobra.Command{
			Use:   "exit-codes",
			Short: "What the exit codes mean",
			Long:  "crawl ends with one of these exit codes:\n\n" + exitCodes(),
		},
	)
	return root
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  crawl version",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "crawl", version())
			return err
		},
	}
}

// version is the module's, "devel" for a build from a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
