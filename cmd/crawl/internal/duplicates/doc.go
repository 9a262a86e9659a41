// Package duplicates has the commands about copies among pages of your own, and about the
// methods that find them.
package duplicates

import "github.com/spf13/cobra"

// Commands are those of the command line.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		newDedup(), newNear(), newMethods(), newFold(), newCategories(), newEval(), newJudge(), newIDF(), newBench(),
	}
}
