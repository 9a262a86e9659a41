package configs

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/fetch/access"
	"gatecrawl.example/gatecrawl/fetch/render"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/warc"
)

// Default returns the defaults of every package's Options.
func Default() Settings {
	scope, gate, score := frontier.DefaultScopeOptions(), dedup.DefaultOptions(), priority.DefaultOptions()
	crawl, job, wire := gatecrawl.DefaultOptions(), store.DefaultOptions(), fetch.Defaults()
	browser := render.Defaults()
	return Settings{
		Scope: scope.Mode,
		Depth: scope.MaxDepth,

		MaxParameters: scope.MaxParameters,
		KeepSessions:  scope.KeepSessions,

		Sitemaps:        crawl.Sitemaps,
		MaxPages:        crawl.MaxPages,
		MaxPagesPerHost: job.HostBudget,
		MaxNewPerHost:   job.NewBudget,
		MaxBytes:        Size(crawl.MaxBytes),
		TimeLimit:       Duration(crawl.TimeLimit),

		Workers:    crawl.Workers,
		PageMemory: Size(crawl.PageMemory),
		Delay:      Duration(job.Delay),
		MaxDelay:   Duration(job.MaxRest),
		PerHost:    job.PerHost,
		PerIP:      job.PerIP,
		QueueBy:    job.QueueBy,

		DelayFactor: float32(crawl.DelayFactor),
		ParkAfter:   job.ParkAfter,
		ParkFor:     Duration(job.ParkFor),

		RecrawlCopies: gatecrawl.DefaultCopies,

		Retries:  crawl.Retries,
		Timeout:  Duration(wire.Timeout),
		MaxBody:  Size(wire.MaxBody),
		MinRate:  Size(wire.MinRate),
		ObeyMeta: crawl.ObeyMeta,
		Soft404:  crawl.Soft404,
		MaxLinks: crawl.MaxLinks,
		Render:   crawl.Render,

		RenderMemory: Size(browser.Memory),

		Dedup:          gate.Mode,
		DedupDistance:  gate.Distance,
		DedupMinTokens: gate.MinTokens,
		DedupBands:     gate.Bands,

		DedupResemblance: gate.Resemblance,
		DedupSiblings:    gate.Siblings,
		DedupIndex:       gate.Index,
		DedupMemory:      gate.Memory,

		URLRulesLearn: job.Rules.Learn,

		Templates: job.Templates, Parts: job.Parts, Mirrors: job.Mirrors,

		TopicLearn: true, Explore: .2, FocusPatience: 1,
		FocusThreshold: crawl.OnTopic, FocusKeep: crawl.FocusKeep,
		StopTail: crawl.StopTail, StopAfterRelevant: crawl.StopAfterRelevant,
		ArchiveCompression: job.Archive.Compression, ArchivePrefix: job.Archive.Prefix, ArchiveSize: Size(job.Archive.MaxBytes),
		WARC: WARCPages, WARCCompression: warc.Gzip,

		Requisites: crawl.Requisites, RequisitesPerPage: job.Requisites.Files, RequisitesSize: Size(job.Requisites.Bytes),

		PriorityDepth:     score.Depth,
		PriorityCash:      score.Cash,
		PriorityRelevance: score.Relevance,
		PriorityAnchor:    score.Anchor,
		PriorityMirror:    score.Mirror,
		PriorityInlinks:   score.Inlinks,

		LogFormat: LogText,
		LogEvery:  Duration(time.Minute),
	}
}

// Again returns the options of a re-crawl: pages last visited before a time are visited again.
func (s Settings) Again(before time.Time) gatecrawl.Again {
	return gatecrawl.Again{Before: before, Copies: float64(s.RecrawlCopies), Pages: s.RecrawlPages, Requisites: s.Requisites}
}

// CrawlOptions returns the options of package gatecrawl.
func (s Settings) CrawlOptions() gatecrawl.Options {
	o := gatecrawl.DefaultOptions()
	o.Workers, o.Retries, o.Mode = s.Workers, s.Retries, s.Dedup
	o.MaxPages, o.MaxBytes, o.TimeLimit = s.MaxPages, int64(s.MaxBytes), time.Duration(s.TimeLimit)
	o.DelayFactor = float64(s.DelayFactor)
	o.PageMemory = int64(s.PageMemory)
	o.Sitemaps, o.Soft404 = s.Sitemaps, s.Soft404
	o.LoopbackOnly, o.ObeyMeta = s.Contact == "", s.ObeyMeta
	o.Render, o.MaxLinks = s.Render, s.MaxLinks
	o.Requisites = s.Requisites
	if s.UserAgent != "" {
		_, o.Token = fetch.OwnAgent(s.UserAgent, s.Contact)
	}
	o.Extract, o.Keep, o.Drop = s.Extract, s.Keep, s.Drop
	o.OnTopic, o.FocusKeep, o.StopTail, o.StopAfterRelevant = s.FocusThreshold, s.FocusKeep, s.StopTail, s.StopAfterRelevant
	return o
}

// ScopeOptions returns the options of package frontier without the contents of files: LoadScope
// reads those.
func (s Settings) ScopeOptions() frontier.ScopeOptions {
	o := frontier.DefaultScopeOptions()
	o.Mode, o.Include, o.Exclude, o.MaxDepth = s.Scope, s.Include, s.Exclude, s.Depth
	o.MaxParameters, o.KeepSessions, o.AllowPorts = s.MaxParameters, s.KeepSessions, s.AllowPorts
	return o
}

// DedupOptions returns the options of package dedup.
func (s Settings) DedupOptions() dedup.Options {
	o := dedup.DefaultOptions()
	o.Mode, o.Distance, o.MinTokens = s.Dedup, s.DedupDistance, s.DedupMinTokens
	o.Bands, o.Resemblance, o.Siblings = s.DedupBands, s.DedupResemblance, s.DedupSiblings
	o.Index, o.Memory = s.DedupIndex, s.DedupMemory
	return o
}

// Focused reports whether the crawl has a topic.
func (s Settings) Focused() bool { return s.Topic != "" || len(s.Like) > 0 || s.TopicModel != "" }

// PriorityOptions returns the options of package priority.
func (s Settings) PriorityOptions() priority.Options {
	o := priority.DefaultOptions()
	o.Focused = s.Focused()
	o.Depth, o.Cash, o.Relevance, o.Anchor = s.PriorityDepth, s.PriorityCash, s.PriorityRelevance, s.PriorityAnchor
	o.Mirror, o.Inlinks = s.PriorityMirror, s.PriorityInlinks
	return o
}

// FetchOptions returns the options of package fetch. The version is this program's, for the
// User-Agent.
func (s Settings) FetchOptions(version string) fetch.Options {
	o := fetch.Defaults()
	o.Agent, o.Token = fetch.Agent(s.Contact, version), fetch.Token
	if s.UserAgent != "" {
		o.Agent, o.Token = fetch.OwnAgent(s.UserAgent, s.Contact)
	}
	for _, host := range s.Insecure {
		if site, err := access.ParseSite(host); err == nil { // faults reports others
			o.Insecure = append(o.Insecure, site)
		}
	}
	o.Bandwidth = int64(s.Bandwidth)
	o.Timeout, o.MaxBody = time.Duration(s.Timeout), int64(s.MaxBody)
	o.MinRate, o.Proxy = int64(s.MinRate), s.Proxy
	o.AllowPrivate, o.AllowLoopback, o.AllowPorts = s.AllowPrivate, s.AllowLoopback, s.AllowPorts
	o.MaxIdlePerHost = max(o.MaxIdlePerHost, s.PerHost)
	return o
}

// shortestPatience is the shortest time that focus-patience is multiplied with. With delay 0 a host
// has no delay between requests but still only one request in progress, which takes less than this
// on most sites.
const shortestPatience = time.Second

// StoreOptions returns the options of package store.
func (s Settings) StoreOptions() store.Options {
	o := store.DefaultOptions()
	o.Dedup, o.Priority = s.DedupOptions(), s.PriorityOptions()
	o.Templates, o.Parts, o.Mirrors = s.Templates, s.Parts, s.Mirrors
	o.Archive.Compression, o.Archive.Prefix, o.Archive.MaxBytes = s.ArchiveCompression, s.ArchivePrefix, int64(s.ArchiveSize)
	o.Rules.Learn = s.URLRulesLearn
	o.Requisites.Files, o.Requisites.Bytes = s.RequisitesPerPage, int64(s.RequisitesSize)
	o.PerHost, o.Delay, o.HostBudget = s.PerHost, time.Duration(s.Delay), s.MaxPagesPerHost
	o.NewBudget, o.Selectors = s.MaxNewPerHost, s.CrawlOptions().BodyVersion()
	o.PerIP, o.QueueBy, o.ParkAfter, o.ParkFor = s.PerIP, s.QueueBy, s.ParkAfter, time.Duration(s.ParkFor)
	if o.OnTopic = s.FocusThreshold; s.Focused() {
		o.Explore, o.Patience = s.Explore, time.Duration(s.FocusPatience*float64(max(time.Duration(s.Delay), shortestPatience)))
	}
	o.MaxRest = max(time.Duration(s.MaxDelay), time.Duration(s.Delay), o.Backoff)
	o.MaxProbes = s.CrawlOptions().Spare // workers must be left for hosts that answer
	if s.Proxy != "" {
		o.PerIP = 0 // all requests go to the proxy's IP address
	}
	return o
}

// ArchiveAbout returns the first record of each WARC file (ISO 28500, section 6.2). The version is
// this program's.
func (s Settings) ArchiveAbout(version string) warc.Fields {
	about := warc.Fields{
		{Name: "software", Value: strings.TrimSpace(fetch.Token + " " + version)},
		{Name: "format", Value: "WARC File Format 1.1"},
		{Name: "conformsTo", Value: "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
		{Name: "robots", Value: "obey"}, // always, whatever the settings
		{Name: "http-header-user-agent", Value: s.FetchOptions(version).Agent},
	}
	for _, f := range []warc.Field{
		{Name: "operator", Value: cmp.Or(s.ArchiveOperator, s.Contact)},
		{Name: "description", Value: s.ArchiveDescription},
		{Name: "isPartOf", Value: s.ArchivePartOf},
	} {
		if f.Value != "" {
			about = append(about, f)
		}
	}
	return about
}

// Validate reports every fault at once, as a *Faults.
//
// The packages describe faults in their own words; the setting is found by trying each one alone
// among defaults. A fault that only several of them cause together has no key.
func (s Settings) Validate() error {
	left := s.faults()
	faults := &Faults{}
	for _, k := range Keys() {
		alone := Default()
		mine, _ := s.field(k.Name)
		theirs, _ := alone.field(k.Name)
		if reflect.DeepEqual(mine.Interface(), theirs.Interface()) {
			continue
		}
		theirs.Set(mine)
		for _, p := range alone.faults() {
			if i := slices.Index(left, p); i >= 0 {
				left = slices.Delete(left, i, i+1)
				faults.List = append(faults.List, Fault{Key: k.Name, Problem: strings.TrimPrefix(p, k.Name+" is ")})
			}
		}
	}
	for _, p := range left {
		faults.List = append(faults.List, Fault{Problem: p})
	}
	if len(faults.List) == 0 {
		return nil
	}
	return faults
}

// leastMemoryLimit is the memory of a crawl that has just started.
const leastMemoryLimit = 64 << 20

// partitionFaults returns the settings that cannot be used with partitions.
func (s Settings) partitionFaults() (all []string) {
	if s.Partitions < 0 || s.Partitions > frontier.MaxPartitions {
		all = append(all, fmt.Sprintf("partitions is %d: want 0 (none) to %d", s.Partitions, frontier.MaxPartitions))
	}
	if len(s.PartitionDirs) > 0 && s.Partitions == 0 {
		all = append(all, "partition-dirs is given without partitions: say how many there are to be")
	}
	if s.Partitions == 0 {
		return all
	}
	for _, no := range []struct {
		set bool
		why string
	}{
		{s.Requisites, "requisites does not go with partitions: the files of a page may belong to several"},
		{s.Focused(), "a topic does not go with partitions yet"},
		{s.QueueBy == frontier.ByIP, "queue-by is ip, but with partitions the hosts at one address may be in several: want host or domain"},
	} {
		if no.set {
			all = append(all, no.why)
		}
	}
	return all
}

// faults returns the problems, without duplicates.
func (s Settings) faults() []string {
	var all []string
	// These are options of the store only with a topic, and it would say the same again.
	if !(s.Explore >= 0 && s.Explore <= 1) {
		all = append(all, fmt.Sprintf("explore is %v: want a share of the requests, 0 to 1", s.Explore))
		s.Explore = 0
	}
	if !(s.FocusPatience >= 0 && s.FocusPatience <= 1000) {
		all = append(all, fmt.Sprintf("focus-patience is %v: want 0 to 1000 times delay", s.FocusPatience))
		s.FocusPatience = 0
	}
	for _, o := range []interface{ Validate() error }{
		s.CrawlOptions(), s.scopeWithoutFiles(), s.FetchOptions(""), s.StoreOptions(), s.Again(time.Time{}),
	} {
		for _, p := range problems(o.Validate()) {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	if len(s.Unlike) > 0 && !s.Focused() {
		all = append(all, "unlike is given without a topic, like or topic-model")
	}
	if !s.Focused() {
		for name, given := range map[string]bool{"focus-keep": s.FocusKeep, "stop-tail": s.StopTail > 0, "stop-after-relevant": s.StopAfterRelevant > 0} {
			if given {
				all = append(all, name+" is given without a topic, like or topic-model: no page is on the topic then")
			}
		}
	}
	if s.Contact != "" && !strings.Contains(s.Contact, "@") && !strings.Contains(s.Contact, "://") {
		all = append(all, fmt.Sprintf("%q is neither a web page (https://...) nor a mail address", s.Contact))
	}
	all = append(all, s.partitionFaults()...)
	if s.Proxy != "" && s.QueueBy == frontier.ByIP {
		all = append(all, "queue-by is ip, but with a proxy no host's address is known: want host or domain")
	}
	// Package fetch reads zero as its default, which a user who writes 0 does not expect.
	if s.MaxDelay < 0 { // StoreOptions takes the largest of three
		all = append(all, fmt.Sprintf("max-delay is %v: want 0 or more", time.Duration(s.MaxDelay)))
	}
	for _, text := range s.HostDelay {
		if _, _, err := ParseHostDelay(text); err != nil {
			all = append(all, fmt.Sprintf("host-delay is %v", err))
		}
	}
	if len(s.Known) > 0 && s.Dedup != dedup.ModeDiscard {
		all = append(all, fmt.Sprintf("known leaves out what earlier crawls have, but dedup is %v: want discard", s.Dedup))
	}
	for _, host := range s.Insecure {
		if _, err := access.ParseSite(host); err != nil {
			all = append(all, fmt.Sprintf("insecure is %v", err))
		}
	}
	for name, text := range map[string]string{"archive-operator": s.ArchiveOperator, "archive-description": s.ArchiveDescription, "archive-part-of": s.ArchivePartOf} {
		if strings.ContainsAny(text, "\r\n") {
			all = append(all, name+" has several lines: want one")
		}
	}
	if _, err := ParseQuietHours(s.QuietHours); err != nil {
		all = append(all, fmt.Sprintf("quiet-hours is %v", err))
	}
	if s.UserAgent != "" {
		if _, token := fetch.OwnAgent(s.UserAgent, ""); token == "" || strings.EqualFold(token, "mozilla") {
			all = append(all, fmt.Sprintf("user-agent is %q: want the crawler's name first, in letters, - and _, such as mybot/1.0", s.UserAgent))
		}
	}
	if s.Timeout == 0 {
		all = append(all, "timeout is 0: want more")
	}
	if s.MaxBody == 0 {
		all = append(all, "max-body is 0: want more")
	}
	if s.RenderMemory < render.LeastMemory {
		all = append(all, fmt.Sprintf("render-memory is %d: want %d bytes or more, or no page fits", s.RenderMemory, render.LeastMemory))
	}
	if s.Render != gatecrawl.RenderNever && s.Proxy != "" {
		all = append(all, "render does not go with a proxy: give one of the two")
	}
	if s.MemoryLimit != 0 && s.MemoryLimit < leastMemoryLimit {
		all = append(all, fmt.Sprintf("memory-limit is %d: want 0 (none), or %d bytes or more: with less a crawl does little but collect garbage", s.MemoryLimit, leastMemoryLimit))
	}
	if s.MinRate == 0 {
		all = append(all, "min-rate is 0: want 1 byte a second or more")
	}
	return all
}
