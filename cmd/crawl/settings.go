package main

import (
	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
)

// runFlags are the settings that have a flag; the others are set in a file.
var runFlags = []string{
	"url", "seeds", "column", "sitemaps", "contact", "scope", "surts", "include", "include-file",
	"exclude", "exclude-file", "depth",
	"partitions", "partition-dirs", "max-pages", "max-pages-per-host", "max-new-per-host", "max-bytes", "time-limit",
	"workers", "max-links", "page-memory", "memory-limit", "delay", "delay-factor", "per-host", "per-ip", "queue-by", "dedup", "known", "dedup-distance", "dedup-resemblance", "parts", "idf", "categories", "mirrors",
	"topic", "like", "unlike", "topic-model", "topic-learn", "focus-threshold", "focus-keep", "focus-patience", "explore", "stop-tail", "stop-after-relevant", "log-format", "log-every",
	"user-agent", "hosts", "credentials", "cookies", "cookie-file", "insecure", "ca-file", "bandwidth", "quiet-hours",
	"proxy", "allow-private", "allow-ports", "obey-meta", "url-rules-learn", "url-rules", "keep-tracking", "render", "render-memory", "extract", "keep", "drop", "archive-compression", "archive-prefix", "archive-size", "archive-operator", "archive-description", "archive-part-of", "warc", "warc-compression", "requisites", "requisites-per-page", "requisites-size", "refetch-after", "recrawl-copies", "recrawl-pages",
}

// newFlagged gives cmd the flags of all settings that have one.
func newFlagged(cmd *cobra.Command) *cli.SettingFlags { return cli.NewSettingFlags(cmd, runFlags) }
