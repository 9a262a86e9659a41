// Package view has the command that prints a page without its template.
package view

import "gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"

// Commands are that of the command line.
func Commands() cli.Makers {
	return cli.Makers{
		"view": newView,
	}
}
