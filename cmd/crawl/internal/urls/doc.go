// Package urls has the commands that answer for URLs without a job: their canonical form, and
// what a robots.txt says of them.
package urls

import "github.com/spf13/cobra"

// Commands are those of the command line.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		newURL(), newRobots(),
	}
}
