// Package urls has the commands about URLs that need no job: canonical forms, and the verdicts of a
// robots.txt.
package urls

import "gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"

// Commands are those of the command line.
func Commands() cli.Makers {
	return cli.Makers{
		"url":    newURL,
		"robots": newRobots,
	}
}
