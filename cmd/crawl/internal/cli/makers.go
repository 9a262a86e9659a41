package cli

import "github.com/spf13/cobra"

// Makers make commands, by name, so that a start makes only the command that it runs.
type Makers map[string]func() *cobra.Command
