package frontier

import (
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

func TestPortsOfOtherProtocolsAreRefusedUnlessTheyAreAllowed(t *testing.T) {
	for _, c := range []struct {
		url     string
		allowed []string
		refused bool
	}{
		{"http://a.test/", nil, false},
		{"http://a.test:80/", nil, false},
		{"https://a.test:8443/", nil, false},
		{"http://a.test:22/", nil, true},
		{"https://a.test:25/", nil, true},
		{"http://a.test:6379/", nil, true},
		{"http://a.test:10080/", nil, true},
		{"http://[2001:db8::25]/", nil, false},
		{"http://[2001:db8::1]:25/", nil, true},
		{"http://127.0.0.1:40025/", nil, false},
		{"http://a.test:22/", []string{"25"}, true},
		{"http://a.test:22/", []string{"25", "22"}, false},
	} {
		u, err := weburl.Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		o := DefaultScopeOptions()
		o.Mode, o.AllowPorts = ScopeAny, c.allowed
		s, err := NewScope(o)
		if err != nil {
			t.Fatal(err)
		}
		for how, r := range map[string]Refusal{"Check": s.Check(u, 1, Trail{}), "CheckSeed": s.CheckSeed(u)} {
			if (r.Rule == "port") != c.refused {
				t.Errorf("%s of %s with %v allowed = %+v, want refused: %v", how, c.url, c.allowed, r, c.refused)
			}
		}
	}
	o := DefaultScopeOptions()
	o.AllowPorts = []string{"ssh"}
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), `allow-ports has "ssh"`) {
		t.Errorf("Validate = %v, want the port named", err)
	}
}
