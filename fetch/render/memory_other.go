//go:build !linux

package render

// processesOf returns nothing: Options.Memory is enforced only on Linux, whose /proc tells how
// much memory a process has.
func processesOf(int) []process { return nil }

func limitProcess(int, int64) {}

func killProcess(int) {}
