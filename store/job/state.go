package job

import (
	"strconv"
	"time"

	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/revisit"
	"gatecrawl.example/gatecrawl/warc/segment"
)

// A State has what changes with every commit.
type State struct {
	Totals   page.Totals   `json:"totals"`
	Segments segment.End   `json:"segments"` // the end of the segments: rows refer only to what is before it
	Order    uint64        `json:"order"`    // of the URL discovered last
	Active   float64       `json:"active"`   // seconds
	Stopped  string        `json:"stopped,omitempty"`
	Again    *revisit.Plan `json:"again,omitempty"` // never changed in place, only replaced

	Renewal *Renewal `json:"renewal,omitempty"` // never changed in place, only replaced

	Recent page.Recent `json:"recent,omitzero"` // of Totals.Harvest
	Rated  Rated       `json:"rated,omitzero"`  // how the records are rated

	Recrawled time.Time `json:"recrawled,omitzero"` // when the last re-crawl started
	Recrawls  uint64    `json:"recrawls,omitempty"` // number of re-crawls
}

// A Rated says how far the kept pages of a focused crawl have the relevance of one state of what was learned of the topic.
type Rated struct {
	By uint64 `json:"by"` // names that state; 0: none
	To uint64 `json:"to"` // sequence number of the last page

	Kept float64 `json:"kept,omitempty"` // kept pages below that relevance are marked as off the topic; 0: none are
}

// Clone copies the state with its maps.
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

// Count adds a new record to the totals.
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

// Uncount removes a record from the totals; what was transferred for it stays counted.
func (j *State) Uncount(p *page.Record) {
	j.Totals.Pages--
	if p.Status != 0 {
		j.Totals.Fetched--
	}
	j.tally(p, -1)
}

// Replace removes a record from the totals because a later version of the page takes its place. The
// record stays.
func (j *State) Replace(p *page.Record) {
	j.Totals.Older++
	j.tally(p, -1)
}

// tally adds to the counts of a record's properties.
func (j *State) tally(p *page.Record, times int64) {
	n := &j.Totals
	if p.Status != 0 {
		add(n.Statuses, strconv.Itoa(p.Status), times)
	}
	if p.Unrendered() {
		n.Unrendered += times
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
		if p.Class != "" { // that of a copy of an earlier crawl's text is not known
			add(n.Classes, p.Class, times)
		}
	case page.VerdictRefused:
		n.Refused += times
		add(n.Rules, p.Rule, times)
	case page.VerdictFailed:
		n.Failed += times
		add(n.Reasons, p.Failure, times)
	}
}

// add adds to the count of a name, and removes one that is 0.
func add(counts map[string]int64, name string, times int64) {
	if counts[name] += times; counts[name] <= 0 {
		delete(counts, name)
	}
}

// A Renewal is the part of a re-crawl that fetches requisites again. It is part of the job's state,
// so that it can be finished after a crash.
type Renewal struct {
	Before time.Time `json:"before"`         // files last fetched before this time
	Turn   uint64    `json:"turn,omitempty"` // number of earlier re-crawls
	From   []byte    `json:"from,omitempty"` // the next key
}
