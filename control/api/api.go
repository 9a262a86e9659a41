// Package api is the REST interface of a crawl, under /api/v1.
//
// GET /api/v1/VERB answers each of control.Verbs as the socket in the job folder does, as JSON
// lines; POST changes a crawl that runs. openapi.json describes it, is served with it, and is
// held to it by a test. Nothing here decides who may ask: guard.Guard does.
package api

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"gatecrawl.example/gatecrawl/control"
)

// Base is the path under which the interface is.
const Base = "/api/v1"

//go:embed openapi.json
var openAPI []byte

// maxBody bounds what is posted, in bytes.
const maxBody = 4 << 20

// Handler serves the interface of the job that answers are about; running is nil where no crawl
// works on it.
func Handler(answers *control.Answerer, running *control.Running) http.Handler {
	a := &api{running}
	mux := http.NewServeMux()
	for _, verb := range control.Verbs {
		mux.Handle("GET "+Base+"/"+verb, http.StripPrefix(Base, answers))
	}
	mux.Handle("POST "+Base+"/near", http.StripPrefix(Base, answers))
	mux.Handle("POST "+Base+"/fold", http.StripPrefix(Base, answers))
	mux.HandleFunc("GET "+Base+"/openapi.json", describe)
	mux.HandleFunc("GET "+Base+"/settings", a.settings)
	mux.HandleFunc("POST "+Base+"/settings", a.change)
	yes, no := true, false
	mux.HandleFunc("POST "+Base+"/pause", a.told(control.Change{Pause: &yes}))
	mux.HandleFunc("POST "+Base+"/resume", a.told(control.Change{Pause: &no}))
	mux.HandleFunc("POST "+Base+"/stop", a.told(control.Change{Stop: true}))
	mux.HandleFunc("POST "+Base+"/seeds", a.seeds)
	return mux
}

func describe(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Write(openAPI)
}

type api struct{ running *control.Running }

// errStill says that there is nothing to change.
var errStill = fmt.Errorf("%w: no crawl works on this job", control.ErrNotRunning)

func (a *api) settings(w http.ResponseWriter, r *http.Request) {
	if a.running == nil {
		fail(w, errStill)
		return
	}
	control.AnswerJSON(w, control.SettingsOf(a.running.Controls()))
}

func (a *api) change(w http.ResponseWriter, r *http.Request) {
	var c control.Change
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		http.Error(w, "the change: "+err.Error(), http.StatusBadRequest)
		return
	}
	a.apply(w, r, c)
}

// told answers a request that has one meaning.
func (a *api) told(c control.Change) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { a.apply(w, r, c) }
}

func (a *api) apply(w http.ResponseWriter, r *http.Request, c control.Change) {
	if a.running == nil {
		fail(w, errStill)
		return
	}
	now, err := a.running.Apply(r.Context(), c)
	if err != nil {
		fail(w, err)
		return
	}
	control.AnswerJSON(w, now)
}

// seeds takes {"urls": [...]}, or any list of seeds as text/uri-list.
func (a *api) seeds(w http.ResponseWriter, r *http.Request) {
	if a.running == nil {
		fail(w, errStill)
		return
	}
	list := http.MaxBytesReader(w, r.Body, maxBody)
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		var given struct {
			URLs []string `json:"urls"`
		}
		dec := json.NewDecoder(list)
		dec.DisallowUnknownFields()
		if err := dec.Decode(&given); err != nil {
			http.Error(w, "the seeds: "+err.Error(), http.StatusBadRequest)
			return
		}
		came, err := a.running.Seeds(r.Context(), strings.NewReader(strings.Join(given.URLs, "\n")), "the request")
		a.added(w, came, err)
		return
	}
	came, err := a.running.Seeds(r.Context(), list, "the request")
	a.added(w, came, err)
}

func (a *api) added(w http.ResponseWriter, came control.AddedSeeds, err error) {
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
	case err != nil:
		fail(w, err)
	default:
		control.AnswerJSON(w, came)
	}
}

func fail(w http.ResponseWriter, err error) { http.Error(w, err.Error(), control.StatusOf(err)) }
