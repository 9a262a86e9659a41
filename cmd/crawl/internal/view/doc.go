// Package view has the command that prints a page without its template.
package view

import "github.com/spf13/cobra"

// Commands are that of the command line.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		newView(),
	}
}
