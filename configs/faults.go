package configs

import (
	"fmt"
	"strings"
)

// A Fault is one thing that is wrong with settings.
type Fault struct {
	Key     string // the setting; "" where several settings together are at fault
	Line    int    // of the file, 1 is the first; 0 if no file is read
	Problem string
}

// Faults are all things wrong with settings. An error of Validate, Parse and
// Load has this type.
type Faults struct {
	File string // "" where no file is read
	List []Fault
}

// Error names every fault on a line of its own, as file:line: key: problem.
func (f *Faults) Error() string {
	lines := make([]string, len(f.List))
	for i, fault := range f.List {
		var b strings.Builder
		if f.File != "" {
			b.WriteString(f.File)
			b.WriteByte(':')
			if fault.Line > 0 {
				fmt.Fprintf(&b, "%d:", fault.Line)
			}
			b.WriteByte(' ')
		}
		if fault.Key != "" {
			b.WriteString(fault.Key + ": ")
		}
		b.WriteString(fault.Problem)
		lines[i] = b.String()
	}
	return strings.Join(lines, "\n")
}

// problems flattens what errors.Join joined.
func problems(err error) []string {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var all []string
		for _, e := range many.Unwrap() {
			all = append(all, problems(e)...)
		}
		return all
	}
	return []string{err.Error()}
}
