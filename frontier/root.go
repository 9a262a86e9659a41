package frontier

import "strings"

// RootURL returns a seed as an address that adds the same root to a scope, and
// that many seeds share: its folder in prefix mode, else its site. It is what a
// store keeps, since it means something under every mode.
func (s *Scope) RootURL(u URL) string {
	if s.o.Mode == ScopePrefix {
		p := u.Path()
		return u.Origin() + p[:strings.LastIndexByte(p, '/')+1]
	}
	return u.Origin() + "/"
}
