package cli

import "github.com/spf13/cobra"

// Makers make commands, by their names: a start makes the one that it is asked for, and no other.
type Makers map[string]func() *cobra.Command
