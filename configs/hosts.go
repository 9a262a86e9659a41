package configs

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/fetch/access"
)

// A HostRule has the settings of one host that differ from those of all others: an entry of the
// file that the setting hosts names.
type HostRule struct {
	Host    string           // with its port if that is not the default one
	Delay   time.Duration    // used if it is longer than the setting delay; 0: not set
	PerHost int              // 0: not set
	Pages   int64            // instead of max-pages-per-host; 0: not set
	New     int64            // instead of max-new-per-host; 0: not set
	Render  gatecrawl.Render // "": not set
	Headers []access.Header
}

// LoadHosts reads the file that the setting hosts names, if any.
func (s Settings) LoadHosts() ([]HostRule, error) {
	if s.Hosts == "" {
		return nil, nil
	}
	data, err := os.ReadFile(s.Hosts)
	if err != nil {
		return nil, fmt.Errorf("hosts: %w", err)
	}
	if len(data) > MaxFileBytes {
		return nil, fmt.Errorf("hosts: %s has more than %d bytes", s.Hosts, MaxFileBytes)
	}
	r, rules, secret, seen := newReading(s.Hosts), []HostRule(nil), 0, make(map[string]bool)
	r.hosts(data, func(host keyed, rest []keyed) {
		site, err := access.ParseSite(host.of.text)
		if err != nil {
			r.fault(host.line, "host", "%v", err)
			return
		}
		h := HostRule{}
		for _, k := range rest {
			if k.name == "headers" {
				secret, h.Headers = k.line, r.headers(site, k.of.keys)
				continue
			}
			if err := h.set(k.name, r.text(k)); err != nil {
				r.fault(k.line, k.name, "%v", err)
			}
		}
		if seen[site.Host()] {
			r.fault(host.line, "host", "%s is there twice", site.Host())
		}
		h.Host, seen[site.Host()] = site.Host(), true
		rules = append(rules, h)
	})
	if secret > 0 && len(r.faults.List) == 0 {
		if _, err := access.ReadSecret(s.Hosts); err != nil {
			r.fault(secret, "headers", "a file with headers is its owner's alone: %v", err)
		}
	}
	return rules, r.err()
}

// headers reads the headers of a site.
func (r *reading) headers(site access.Site, of []keyed) (all []access.Header) {
	for _, f := range of {
		header, err := access.NewHeader(site, f.name, r.text(f))
		if err != nil {
			r.fault(f.line, "headers", "%v", err)
		}
		all = append(all, header)
	}
	return all
}

// set sets one value of a rule.
func (h *HostRule) set(name, text string) error {
	switch name {
	case "delay":
		var d Duration
		err := d.UnmarshalText([]byte(text))
		h.Delay = time.Duration(d)
		return err
	case "per-host":
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 10_000 {
			return fmt.Errorf("%q: want 1 to 10000 requests at the same time", text)
		}
		h.PerHost = n
		return nil
	case "max-pages", "max-new":
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			return fmt.Errorf("%q: want 1 page or more", text)
		}
		if name == "max-new" {
			h.New = n
		} else {
			h.Pages = n
		}
		return nil
	case "render":
		return h.Render.UnmarshalText([]byte(text))
	}
	return fmt.Errorf("no such key: want delay, per-host, max-pages, max-new, render or headers")
}
