package configs

import (
	"fmt"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// ParseHostDelay reads a value of the setting host-delay: a host, with its port if that is not the
// default one, and the delay between its requests, HOST=TIME.
func ParseHostDelay(text string) (host string, d time.Duration, err error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return "", 0, fmt.Errorf("%q: want HOST=TIME, such as example.org=5s", text)
	}
	u, err := weburl.Parse("http://" + strings.TrimSpace(name) + "/")
	if err != nil || u.Path() != "/" {
		return "", 0, fmt.Errorf("%q is not the name of a host", name)
	}
	var of Duration
	if err := of.UnmarshalText([]byte(strings.TrimSpace(value))); err != nil {
		return "", 0, fmt.Errorf("%s: %w", u.Host(), err)
	}
	if of < 0 {
		return "", 0, fmt.Errorf("%s: %v: want a time of 0 or more", u.Host(), time.Duration(of))
	}
	return u.Host(), time.Duration(of), nil
}
