package frontier

import (
	"strings"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// RootURL returns a URL that adds the same root to a scope as the seed u, and that many
// seeds share: its folder in prefix mode, else its site. It is what a store keeps, since
// it has a meaning in every mode.
func (s *Scope) RootURL(u weburl.URL) string {
	if s.o.Mode == ScopePrefix {
		p := u.Path()
		return u.Origin() + p[:strings.LastIndexByte(p, '/')+1]
	}
	return u.Origin() + "/"
}
