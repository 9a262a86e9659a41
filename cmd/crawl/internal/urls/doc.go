// Package urls has the commands about URLs that need no job: canonical forms, and the verdicts of a
// robots.txt.
package urls

import "github.com/spf13/cobra"

// Commands are those of the command line.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		newURL(), newRobots(),
	}
}
