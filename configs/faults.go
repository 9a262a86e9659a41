package configs

import (
	"fmt"
	"strings"
)

// A Fault is one error in settings.
type Fault struct {
	Key     string // the setting; "" if several settings contradict each other
	Line    int    // line of the file, from 1; 0 if the setting does not come from a file
	Problem string
}

// Faults are all errors in settings. An error of Validate, Parse and Load has this type.
type Faults struct {
	File string // "" if there is no file
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

// problems splits an error of errors.Join.
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
