package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/mirror/dust"
)

// MaxRules bounds the JSON of the rules that are imported at once, in bytes.
const MaxRules = 256 << 20

// A RuleChange adds URL rules to a job or revokes one.
type RuleChange struct {
	Import []dust.Learned `json:"import,omitempty"`
	Revoke string         `json:"revoke,omitempty"` // the ID of a rule to revoke
}

// A RuleOutcome is the result of a RuleChange.
type RuleOutcome struct {
	Imported int    `json:"imported"`
	Known    int    `json:"known"` // rules that the job had before
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
		if err != nil {
			refuse(w, err)
			return
		}
		AnswerJSON(w, came)
	}
}

// maxFaults bounds how many bad lines of a list are reported.
const maxFaults = 20

// AddedSeeds is the result of adding a list of seeds.
type AddedSeeds struct {
	Added  int      `json:"added"`            // URLs that were new, or had been refused when a page linked to them
	Bad    int      `json:"bad"`              // lines that are not a URL, or have a URL that the crawl may not visit
	Faults []string `json:"faults,omitempty"` // of the first bad lines
}

// Fault counts a line that is not added.
func (a *AddedSeeds) Fault(err error) {
	if a.Bad++; a.Bad <= maxFaults {
		a.Faults = append(a.Faults, err.Error())
	}
}

// Sum adds the result of another list.
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
			refuse(w, err)
			return
		}
		AnswerJSON(w, came)
	}
}

// ReadJSON reads one JSON object, all of whose fields v must have. Its error speaks of JSON and not
// of Go.
func ReadJSON(r io.Reader, v any) error {
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("want a JSON object, got nothing")
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("want a JSON object, got %s", jsonValue(kind.Value))
	case errors.As(err, &kind):
		return fmt.Errorf("%s: want %s, got %s", kind.Field, humanize.JSON(kind.Type.Kind()), jsonValue(kind.Value))
	case err != nil:
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("want one JSON object, got more behind it")
	}
	return nil
}

// jsonValue translates the name that encoding/json gives a kind of value.
func jsonValue(told string) string {
	if told == "array" {
		return "a list"
	}
	if told == "object" {
		return "an object"
	}
	return "a " + told
}

// AnswerJSON answers a request with v as JSON.
func AnswerJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v) // a client that stops reading gets no error
}
