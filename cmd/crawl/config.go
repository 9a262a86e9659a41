package main

import (
	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/configs"
)

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config",
		Short:   "Check a file of settings, or show the settings in effect",
		Example: "  crawl config show > crawl.yaml\n  crawl config check crawl.yaml",
	}
	check := &cobra.Command{
		Use:     "check FILE...",
		Short:   "Check files of settings and print every fault with its line",
		Example: "  crawl config check crawl.yaml",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			for _, f := range files {
				if _, err := cli.LoadFile(f, configs.Default()); err != nil {
					return err
				}
			}
			return nil
		},
	}
	show := &cobra.Command{
		Use:     "show",
		Short:   "Print the settings in effect as YAML with comments",
		Long:    "show prints all settings as a file that --config reads. Flags override the given\nfile, and the file overrides the defaults.",
		Example: "  crawl config show > crawl.yaml\n  crawl config show --config crawl.yaml --delay 5s",
		Args:    cobra.NoArgs,
	}
	given := newFlagged(show)
	show.RunE = func(cmd *cobra.Command, _ []string) error {
		s, err := given.Over(configs.Default())
		if err != nil {
			return err
		}
		return s.WriteYAML(cmd.OutOrStdout())
	}
	cmd.AddCommand(check, show)
	return cmd
}
