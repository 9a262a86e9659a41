// Package version says what this program was built from.
package version

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// release is the version that a release is built with, by -ldflags -X.
var release = ""

// Short is what the User-Agent and archives have.
func Short() string { return readBuild().version }

// Date is the day of the commit, YYYY-MM-DD; "": not known.
func Date() string {
	day, _, _ := strings.Cut(readBuild().at, "T")
	return day
}

// A build says what this program was built from.
type build struct {
	version string // the module's, or devel and the commit for a build from a checkout
	commit  string // "": not known
	at      string // when the commit was made
	dirty   bool   // with changes that are in no commit
	with    string // the version of Go
}

func readBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build{version: "devel"}
	}
	return buildOf(info)
}

func buildOf(info *debug.BuildInfo) build {
	b := build{version: info.Main.Version, with: info.GoVersion}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.commit = s.Value
		case "vcs.time":
			b.at = s.Value
		case "vcs.modified":
			b.dirty = s.Value == "true"
		}
	}
	if release != "" {
		b.version = release
	}
	if b.version != "" && b.version != "(devel)" {
		return b
	}
	b.version = "devel"
	if b.commit != "" {
		b.version += "-" + b.commit[:min(len(b.commit), 12)]
		if b.dirty {
			b.version += "+dirty"
		}
	}
	return b
}

// String is the version in one line, and what else is known in others.
func (b build) String() string {
	s := fmt.Sprintf("crawl %s\n", b.version)
	if b.commit != "" {
		s += "commit " + b.commit
		if b.at != "" {
			s += " of " + b.at
		}
		if b.dirty {
			s += ", with changes that are not committed"
		}
		s += "\n"
	}
	if b.with != "" {
		s += "built with " + b.with + "\n"
	}
	return s
}

// Long is the version in one line, and what else is known of the build in others.
func Long() string { return readBuild().String() }
