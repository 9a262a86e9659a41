package cluster

import (
	"context"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/linkrot"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store"
)

// A part is a partition of this process or of another one. Its methods do what those of store.Store
// do.
type part interface {
	gatecrawl.HostLister
	gatecrawl.URLRules

	Likeness(seq uint64) (*page.Likeness, error)
	Text(of dedup.Ref) (dedup.Text, bool, error)
	Record(seq uint64) (page.Record, error)
	Named(prefix []byte) (string, error)
	GroupOf(seq uint64, limit int) (gatecrawl.Group, bool, error)
	Decided(u weburl.URL) (uint64, dedup.Verdict, dedup.Signature, error)
	OnSite(sig dedup.Signature, text *dedup.Text) (dedup.Signature, *dedup.Text, error)
	EachKept(fn func(seq uint64, sig dedup.Signature) error) error
	EachElsewhere(fn func(seq uint64, place uint32, size group.Size) error) error
	Sites(ctx context.Context, grouped bool, fn func(mirror.Surveyed) error) error
	Document(ctx context.Context, url string) (mirror.Document, mirror.State, error)
	TextAt(ctx context.Context, url string) (string, bool, error)
	AddTwins(ps []mirror.Pair) error

	Status(ctx context.Context) (gatecrawl.Status, error)
	Pages(ctx context.Context, from uint64, fn func(page.Record) error) error
	Rows(ctx context.Context, want gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error
	LinksTo(ctx context.Context, urls []string, fn func(gatecrawl.Edge) error) error
	LinksFrom(ctx context.Context, url string, fn func(gatecrawl.Edge) error) error
	Groups(ctx context.Context, q gatecrawl.GroupQuery, fn func(gatecrawl.Group) error) error
	Refused(ctx context.Context, q gatecrawl.RefusedQuery) (gatecrawl.Refused, error)
	Why(ctx context.Context, url string) (gatecrawl.Why, error)
	Briefs(ctx context.Context, urls []string) ([]gatecrawl.Brief, error)
	View(ctx context.Context, url string) (*purify.DocView, error)
	Body(ctx context.Context, url string) ([]byte, error)
	Alive(ctx context.Context, url string) (linkrot.Lost, error)
	Park(ctx context.Context, host string, till time.Time) error
	Verify(ctx context.Context, fn func(gatecrawl.Breach) error) (gatecrawl.Verified, error)
}

// A gateway is the gate in this process or in another one.
type gateway interface {
	CheckBytes(d dedup.Digest) (dedup.Verdict, error)
	Check(sig dedup.Signature, text *dedup.Text) (dedup.Verdict, error)

	// speaksFor reports whether a page may have more copies.
	speaksFor(of dedup.Ref) (bool, error)

	// look is Check for a visit that is about to be settled: the gate keeps its text, which will be
	// needed again with the claim.
	look(sig dedup.Signature, text *dedup.Text) (dedup.Verdict, error)

	// forgetTexts makes the gate read the texts of these hosts again.
	forgetTexts(hosts []weburl.HostKey)

	neighbours(sig dedup.Signature, text *dedup.Text, want gatecrawl.NearQuery) ([]dedup.Neighbour, error)
	verify(ctx context.Context, fn func(gatecrawl.Breach) error) (int64, error)
	pages() (map[uint64]dedup.Signature, error)
}

var (
	_ part    = (*store.Store)(nil)
	_ part    = (*remotePart)(nil)
	_ gateway = (*gate)(nil)
	_ gateway = (*remoteGate)(nil)
)
