package main

import (
	"io"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/version"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version, and the commit that it was built from",
		Example: "  crawl version",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return showVersion(cmd.OutOrStdout()) },
	}
}

// showVersion prints the output of crawl version and crawl --version.
func showVersion(w io.Writer) error {
	_, err := io.WriteString(w, version.Long())
	return err
}
