// Package inspect has the commands that show what a job found: pages, copies, mirrors, rules,
// links, and why a URL has its verdict. They ask the running crawl, or read the job's files.
package inspect

import "gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"

// Commands are those of the command line.
func Commands() cli.Makers {
	return cli.Makers{
		"status":  newStatus,
		"pages":   newPages,
		"dups":    newDups,
		"parts":   newParts,
		"popular": newPopular,
		"mirrors": newMirrors,
		"rules":   newRules,
		"why":     newWhy,
		"links":   newLinks,
		"alive":   newAlive,
		"check":   newCheck,
		"diff":    newDiff,
		"list":    newList,
		"export":  newExport,
		"report":  newReport,
	}
}
