package job

import (
	"strconv"
	"time"

	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/revisit"
	"gatecrawl.example/gatecrawl/warc/segment"
)

// A State is what changes with every commit.
type State struct {
	Totals   page.Totals   `json:"totals"`
	Segments segment.End   `json:"segments"` // behind it no place names anything
	Order    uint64        `json:"order"`    // of the URL discovered last
	Active   float64       `json:"active"`   // seconds
	Stopped  string        `json:"stopped,omitempty"`
	Again    *revisit.Plan `json:"again,omitempty"` // never changed, but replaced

	Renewal *Renewal `json:"renewal,omitempty"` // never changed, but replaced

	Recent page.Recent `json:"recent,omitzero"` // of Totals.Harvest

	Recrawled time.Time `json:"recrawled,omitzero"` // the last re-crawl started
	Recrawls  uint64    `json:"recrawls,omitempty"` // how many there were
}

// Clone copies the counts by name too.
func (j State) Clone() State {
	for _, m := range []*map[string]int64{
		&j.Totals.Levels, &j.Totals.Classes, &j.Totals.Rules, &j.Totals.Reasons, &j.Totals.Statuses,
		&j.Totals.Mirrors, &j.Totals.Avoided,
	} {
		c := make(map[string]int64, len(*m)+1)
		for k, v := range *m {
			c[k] = v
		}
		*m = c
	}
	if h := j.Totals.Harvest; h != nil {
		c := *h
		j.Totals.Harvest = &c
	}
	return j
}

// Count brings the totals up to date with a new record.
func (j *State) Count(p *page.Record) {
	n := &j.Totals
	n.Pages++
	n.Bytes += p.Bytes
	n.Wire += p.Wire
	n.MoreLinks += int64(p.MoreLinks)
	if p.Status != 0 {
		n.Fetched++
	}
	j.tally(p, 1)
}

// Uncount takes a record out of the totals; what was transferred for it stays
// counted.
func (j *State) Uncount(p *page.Record) {
	j.Totals.Pages--
	if p.Status != 0 {
		j.Totals.Fetched--
	}
	j.tally(p, -1)
}

// Replace takes what a record says out of the totals where a later version of the page takes
// its place. The record stays.
func (j *State) Replace(p *page.Record) {
	j.Totals.Older++
	j.tally(p, -1)
}

// tally counts what a record says so many times more.
func (j *State) tally(p *page.Record, times int64) {
	n := &j.Totals
	if p.Status != 0 {
		add(n.Statuses, strconv.Itoa(p.Status), times)
	}
	switch p.Verdict {
	case page.VerdictNew:
		n.New += times
	case page.VerdictCopy:
		n.Copies += times
		if p.Earlier() {
			n.Known += times
		}
		add(n.Levels, strconv.Itoa(p.Level), times)
		add(n.Classes, p.Class, times)
	case page.VerdictRefused:
		n.Refused += times
		add(n.Rules, p.Rule, times)
	case page.VerdictFailed:
		n.Failed += times
		add(n.Reasons, p.Failure, times)
	}
}

// add counts a name so many times more, and forgets one that no longer occurs.
func add(counts map[string]int64, name string, times int64) {
	if counts[name] += times; counts[name] <= 0 {
		delete(counts, name)
	}
}

// A Renewal is the part of a re-crawl that asks for requisites again. It is part of the job's
// state, so that after a crash it is finished later.
type Renewal struct {
	Before time.Time `json:"before"`         // files last asked for before then
	Turn   uint64    `json:"turn,omitempty"` // how many re-crawls there were before
	From   []byte    `json:"from,omitempty"` // the key that is looked at next
}
