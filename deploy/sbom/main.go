// Command sbom prints the modules that a program is built of, with their licences, as
// CycloneDX 1.5: sbom PROGRAM VERSION
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A component is a module.
type component struct {
	Type     string    `json:"type"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	PURL     string    `json:"purl,omitempty"`
	Licenses []licence `json:"licenses,omitempty"`
}

type licence struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM VERSION")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(program, version string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	all := []component{{Type: "library", Name: "std", Version: strings.TrimPrefix(info.GoVersion, "go"), PURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"), Licenses: licences("BSD-3-Clause")}}
	for _, m := range info.Deps {
		id, err := licenceOf(m.Path, m.Version)
		if err != nil {
			return err
		}
		all = append(all, component{Type: "library", Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path + "@" + m.Version, Licenses: licences(id)})
	}
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", " ")
	return e.Encode(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":   map[string]any{"component": component{Type: "application", Name: "crawl", Version: version, Licenses: licences("Apache-2.0")}},
		"components": all,
	})
}

func licences(id string) []licence {
	l := licence{}
	l.License.ID = id
	return []licence{l}
}

// licenceOf tells the licence of a module by the text in the module cache. One that it does
// not know is an error, so that none comes in unseen.
func licenceOf(path, version string) (string, error) {
	cache := os.Getenv("GOMODCACHE")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(home, "go", "pkg", "mod")
	}
	var escaped strings.Builder // a file system may not tell case apart
	for _, r := range path {
		if 'A' <= r && r <= 'Z' {
			escaped.WriteByte('!')
			r += 'a' - 'A'
		}
		escaped.WriteRune(r)
	}
	files, err := filepath.Glob(filepath.Join(cache, escaped.String()+"@"+version, "[Ll][Ii][Cc][Ee][Nn]*"))
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("%s %s has no licence in %s: %v", path, version, cache, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		return "", err
	}
	text := strings.Join(strings.Fields(string(b)), " ")
	for _, known := range []struct{ words, id string }{
		{"Apache License Version 2.0", "Apache-2.0"},
		{"Permission is hereby granted, free of charge", "MIT"},
		{"Neither the name", "BSD-3-Clause"},
		{"Redistribution and use in source and binary forms", "BSD-2-Clause"},
		{"Permission to use, copy, modify, and/or distribute", "ISC"},
	} {
		if strings.Contains(text, known.words) {
			return known.id, nil
		}
	}
	return "", fmt.Errorf("%s %s: the licence in %s is not known", path, version, files[0])
}
