package version

import (
	"runtime/debug"
	"testing"
)

func TestVersionNamesTheCommit(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	checkout := []debug.BuildSetting{{Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: "2026-11-20T10:00:00Z"}, {Key: "vcs.modified", Value: "true"}}
	for _, c := range []struct {
		main     string
		settings []debug.BuildSetting
		Short    string
		said     string
	}{
		{"v1.2.3", nil, "v1.2.3", "crawl v1.2.3\nbuilt with go1.26.8\n"},
		{"(devel)", nil, "devel", "crawl devel\nbuilt with go1.26.8\n"},
		{"(devel)", checkout, "devel-0123456789ab+dirty",
			"crawl devel-0123456789ab+dirty\ncommit " + commit + " of 2026-11-20T10:00:00Z, with changes that are not committed\nbuilt with go1.26.8\n"},
		{"(devel)", checkout[:2], "devel-0123456789ab", "crawl devel-0123456789ab\ncommit " + commit + " of 2026-11-20T10:00:00Z\nbuilt with go1.26.8\n"},
	} {
		b := buildOf(&debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: c.main}, Settings: c.settings})
		if b.version != c.Short || b.String() != c.said {
			t.Errorf("of %q: version %q, said\n%swant %q,\n%s", c.main, b.version, b, c.Short, c.said)
		}
	}
}
