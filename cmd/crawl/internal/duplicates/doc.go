// Package duplicates has the commands about copies among pages of your own, and about the
// methods that find them.
package duplicates

import "gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"

// Commands are those of the command line.
func Commands() cli.Makers {
	return cli.Makers{
		"dedup":      newDedup,
		"near":       newNear,
		"methods":    newMethods,
		"fold":       newFold,
		"categories": newCategories,
		"eval":       newEval,
		"judge":      newJudge,
		"idf":        newIDF,
		"bench":      newBench,
	}
}
