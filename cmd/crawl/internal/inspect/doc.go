// Package inspect has the commands that show what a job found: pages, copies, mirrors, rules,
// links, and why a URL became what it is. They ask the running crawl, or read the job's files.
package inspect

import "github.com/spf13/cobra"

// Commands are those of the command line.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		newStatus(), newPages(), newDups(), newParts(), newPopular(), newMirrors(), newRules(), newWhy(), newLinks(), newAlive(), newCheck(), newDiff(), newList(), newExport(), newReport(),
	}
}
