package page

import "strconv"

// Totals count what is in a job. The maps have only names that occurred.
type Totals struct {
	Queued int64 `json:"queued"` // URLs that wait for their turn
	Later  int64 `json:"later"`  // URLs that wait for a retry
	Leased int64 `json:"leased"` // URLs that are being visited
	Held   int64 `json:"held"`   // URLs of hosts that have used up max-pages-per-host or max-new-per-host
	Parked int64 `json:"parked"` // URLs of hosts that are parked because they do not answer or are too busy, or by a user
	Hosts  int64 `json:"hosts"`  //

	ParkedHosts int64 `json:"parked_hosts"`         // hosts that are parked
	Aside       int64 `json:"parked_by_user"`       // URLs of hosts that a user parked
	AsideHosts  int64 `json:"parked_hosts_by_user"` // these hosts

	Requisites     int64 `json:"requisites,omitempty"`       // files that are needed to show pages and were fetched
	RequisiteBytes int64 `json:"requisite_bytes,omitempty"`  // of their bodies
	Unmet          int64 `json:"requisites_unmet,omitempty"` // requisites that failed, or that a rule refused
	MoreRequisites int64 `json:"more_requisites,omitempty"`  // requisites beyond what a page may have, which were not fetched

	Seen       int64            `json:"seen"`                 // distinct URLs met, refused ones too
	MoreLinks  int64            `json:"more_links,omitempty"` // links of pages beyond Options.MaxLinks, which were left out
	Pages      int64            `json:"pages"`                // records
	Older      int64            `json:"older,omitempty"`      // of these, versions that a later visit has replaced; the counts below, except Fetched and bytes, leave them out
	Fetched    int64            `json:"fetched"`              // records with an HTTP status
	New        int64            `json:"new"`                  //
	Copies     int64            `json:"copies"`               //
	Known      int64            `json:"known,omitempty"`      // of these, copies of documents of earlier crawls
	Unrendered int64            `json:"unrendered,omitempty"` // records of pages whose scripts did not run to their end: they were read as sent
	Refused    int64            `json:"refused"`              // records refused; links refused are under Rules too
	Failed     int64            `json:"failed"`               //
	Retries    int64            `json:"retries"`              // failed tries that are repeated
	Revisits   int64            `json:"revisits"`             // visits that did not change a document's record
	Bytes      int64            `json:"bytes"`                // of bodies, decompressed
	Wire       int64            `json:"wire_bytes"`           //
	Votes      int64            `json:"votes"`                // copies that are votes for a kept page
	Levels     map[string]int64 `json:"levels"`               // copies by the level that decided
	Classes    map[string]int64 `json:"classes"`              // copies by class
	Rules      map[string]int64 `json:"rules"`                // URLs refused, by rule
	Reasons    map[string]int64 `json:"reasons"`              // URLs failed, by reason
	Statuses   map[string]int64 `json:"statuses"`             // records by HTTP status
	Mirrors    map[string]int64 `json:"mirrors"`              // found; deferred, explored, wrong, reopened URLs; given-up

	Harvest *Harvest `json:"harvest,omitempty"` // of a focused crawl; nil: it has no topic, or nothing answered yet

	Avoided  map[string]int64 `json:"avoided"`  // URLs left out as copies, by the kind of rule
	Explored int64            `json:"explored"` // documents fetched to test whether a rule is still valid
	Wrong    int64            `json:"wrong"`    // of these, different documents
	Reopened int64            `json:"reopened"` // URLs left out that were queued again
}

// Answered is how many URLs a server answered: what a limit of pages counts. Further visits of a URL make its
// record an older one.
func (t *Totals) Answered() int64 { return t.Fetched - t.Older }

// Demote counts a page that was counted as new as the copy that it turned out to be.
func (t *Totals) Demote(p *Record) {
	t.New--
	t.Copies++
	t.Levels[strconv.Itoa(p.Level)]++
	if p.Class != "" { // that of a copy of an earlier crawl's text is not known
		t.Classes[p.Class]++
	}
}

// Plus returns the sum of the counts of two parts of a job, without Harvest, which can't be
// computed from two parts.
func (t Totals) Plus(o Totals) Totals {
	for _, n := range []struct {
		to   *int64
		more int64
	}{
		{&t.Queued, o.Queued}, {&t.Later, o.Later}, {&t.Leased, o.Leased}, {&t.Held, o.Held}, {&t.Parked, o.Parked}, {&t.Hosts, o.Hosts},
		{&t.ParkedHosts, o.ParkedHosts}, {&t.Aside, o.Aside}, {&t.AsideHosts, o.AsideHosts},
		{&t.Requisites, o.Requisites}, {&t.RequisiteBytes, o.RequisiteBytes}, {&t.Unmet, o.Unmet}, {&t.MoreRequisites, o.MoreRequisites},
		{&t.Seen, o.Seen}, {&t.MoreLinks, o.MoreLinks}, {&t.Pages, o.Pages}, {&t.Older, o.Older}, {&t.Fetched, o.Fetched}, {&t.New, o.New},
		{&t.Copies, o.Copies}, {&t.Known, o.Known}, {&t.Unrendered, o.Unrendered}, {&t.Refused, o.Refused}, {&t.Failed, o.Failed}, {&t.Retries, o.Retries},
		{&t.Revisits, o.Revisits}, {&t.Bytes, o.Bytes}, {&t.Wire, o.Wire}, {&t.Votes, o.Votes},
		{&t.Explored, o.Explored}, {&t.Wrong, o.Wrong}, {&t.Reopened, o.Reopened},
	} {
		*n.to += n.more
	}
	for _, m := range []struct {
		to   *map[string]int64
		more map[string]int64
	}{
		{&t.Levels, o.Levels}, {&t.Classes, o.Classes}, {&t.Rules, o.Rules}, {&t.Reasons, o.Reasons},
		{&t.Statuses, o.Statuses}, {&t.Mirrors, o.Mirrors}, {&t.Avoided, o.Avoided},
	} {
		sum := make(map[string]int64, len(*m.to)+len(m.more))
		for _, counts := range []map[string]int64{*m.to, m.more} {
			for name, n := range counts {
				sum[name] += n
			}
		}
		*m.to = sum
	}
	t.Harvest = nil
	return t
}
