package main

import (
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/frontier/seeds"
)

// checkStarts returns an error for arguments of run that are not URLs. A name without a dot is
// probably meant as a job, not a host.
func checkStarts(_ *cobra.Command, args []string) error {
	for _, text := range args {
		if !strings.ContainsAny(text, ".:/") && text != "localhost" {
			return cli.Usagef("%s is not a URL: want one such as https://%s.example/; a job is named by --job %s", text, text, text)
		}
		if _, err := seeds.Parse(text); err != nil {
			return cli.Usagef("%w", err)
		}
	}
	return nil
}
