package crawl

import (
	"context"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
)

// A Step is a part of a page's way that is timed.
type Step string

// The steps that are timed.
const (
	StepGate   Step = "gate"   // the gate was asked for the bytes, or for the text, of a page
	StepCommit Step = "commit" // a visit became durable, together with those that it shared a commit with
)

// A timed store tells how long its steps take.
type timed struct {
	gatecrawl.Store
	observe func(Step, time.Duration)
}

func (t timed) CheckBytes(d dedup.Digest) (dedup.Verdict, error) {
	defer t.since(StepGate, time.Now())
	return t.Store.CheckBytes(d)
}

func (t timed) Check(sig dedup.Signature, text *dedup.Text) (dedup.Verdict, error) {
	defer t.since(StepGate, time.Now())
	return t.Store.Check(sig, text)
}

func (t timed) Settle(ctx context.Context, v *page.Visit) (page.Record, error) {
	defer t.since(StepCommit, time.Now())
	return t.Store.Settle(ctx, v)
}

func (t timed) since(s Step, start time.Time) { t.observe(s, time.Since(start)) }
