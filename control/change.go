package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/mirror/dust"
)

// MaxRules bounds the rules that are imported at once, in bytes of JSON.
const MaxRules = 256 << 20

// A RuleChange is what import and revoke ask of a job.
type RuleChange struct {
	Import []dust.Learned `json:"import,omitempty"`
	Revoke string         `json:"revoke,omitempty"` // the ID of a rule
}

// A RuleOutcome is what a RuleChange did.
type RuleOutcome struct {
	Imported int    `json:"imported"`
	Known    int    `json:"known"` // rules that the job had already
	Revoked  string `json:"revoked,omitempty"`
}

// ChangeRules changes the URL rules of a job.
func ChangeRules(ctx context.Context, in gatecrawl.URLRules, c RuleChange) (came RuleOutcome, err error) {
	if c.Revoke != "" {
		id, err := dust.ParseID(c.Revoke)
		if err != nil {
			return came, err
		}
		came.Revoked = c.Revoke
		return came, in.RevokeRule(ctx, id)
	}
	came.Imported, err = in.ImportRules(ctx, c.Import)
	came.Known = len(c.Import) - came.Imported
	return came, err
}

// changeRules answers POST /rules.
func changeRules(in gatecrawl.URLRules) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var c RuleChange
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, MaxRules)).Decode(&c); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		came, err := ChangeRules(r.Context(), in, c)
		switch {
		case errors.Is(err, gatecrawl.ErrUnknown):
			http.Error(w, err.Error(), http.StatusNotFound)
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		default:
			AnswerJSON(w, came)
		}
	}
}

// maxFaults bounds how many bad lines of a list are reported.
const maxFaults = 20

// AddedSeeds says what came of a list of seeds.
type AddedSeeds struct {
	Added  int      `json:"added"`            // URLs that were new
	Bad    int      `json:"bad"`              // lines that are not a URL, or one that the crawl may not ask
	Faults []string `json:"faults,omitempty"` // of the first bad lines
}

// Fault counts a line that is not added.
func (a *AddedSeeds) Fault(err error) {
	if a.Bad++; a.Bad <= maxFaults {
		a.Faults = append(a.Faults, err.Error())
	}
}

// Sum adds what came of another list.
func (a *AddedSeeds) Sum(b AddedSeeds) {
	a.Added, a.Bad = a.Added+b.Added, a.Bad+b.Bad
	a.Faults = append(a.Faults, b.Faults...)
}

// An AddSeeds adds a list of seeds to the crawl that runs. The name of the list is for
// messages.
type AddSeeds func(ctx context.Context, list io.Reader, name string) (AddedSeeds, error)

// addSeeds answers POST /seeds.
func addSeeds(add AddSeeds) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		came, err := add(r.Context(), r.Body, r.URL.Query().Get("name"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		AnswerJSON(w, came)
	}
}

// AnswerJSON answers a request with v as JSON.
func AnswerJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v) // a client that does not read it to its end gets no error
}
