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

	Recrawled time.Time `json:"recrawled,omitzero"` // the last re-crawl began
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
		n.Statuses[strconv.Itoa(p.Status)]++
	}
	switch p.Verdict {
	case page.VerdictNew:
		n.New++
	case page.VerdictCopy:
		n.Copies++
		if p.Earlier() {
			n.Known++
		}
		n.Levels[strconv.Itoa(p.Level)]++
		n.Classes[p.Class]++
	case page.VerdictRefused:
		n.Refused++
		n.Rules[p.Rule]++
	case page.VerdictFailed:
		n.Failed++
		n.Reasons[p.Failure]++
	}
}

// Uncount takes a record out of the totals; what was transferred for it stays
// counted.
func (j *State) Uncount(p *page.Record) {
	n := &j.Totals
	n.Pages--
	if p.Status != 0 {
		n.Fetched--
		lower(n.Statuses, strconv.Itoa(p.Status))
	}
	switch p.Verdict {
	case page.VerdictRefused:
		n.Refused--
		lower(n.Rules, p.Rule)
	case page.VerdictFailed:
		n.Failed--
		lower(n.Reasons, p.Failure)
	}
}

// lower counts one less, and forgets a name that no longer occurs.
func lower(counts map[string]int64, name string) {
	if counts[name]--; counts[name] <= 0 {
		delete(counts, name)
	}
}

// A Renewal is the part of a re-crawl that asks for requisites again. It is part of the job's
// state, so that one that a crash cut short is brought to its end.
type Renewal struct {
	Before time.Time `json:"before"`         // files last asked for before then
	Turn   uint64    `json:"turn,omitempty"` // how many re-crawls there were before
	From   []byte    `json:"from,omitempty"` // the key that is looked at next
}
