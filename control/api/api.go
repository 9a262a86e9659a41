// Package api is the REST interface of a crawl, under /api/v1.
//
// GET /api/v1/VERB answers each of control.Verbs with JSON lines, as the socket in the job folder
// does; POST changes a running crawl. openapi.json describes the interface, and is served with it;
// a test checks that both agree. The package does not decide who may ask: guard.Guard does.
package api

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/control"
)

// Base is the path under which the interface is.
const Base = "/api/v1"

//go:embed openapi.json
var openAPI []byte

// maxBody bounds the body of a POST, in bytes.
const maxBody = 4 << 20

// Handler serves the interface of the job of answers; running is nil if no crawl works on it.
func Handler(answers *control.Answerer, running *control.Running) http.Handler {
	a := &api{running}
	mux := http.NewServeMux()
	of := parameters()
	for _, verb := range control.Verbs {
		mux.Handle("GET "+Base+"/"+verb, http.StripPrefix(Base, known(of["/"+verb], answers)))
	}
	mux.Handle("POST "+Base+"/near", http.StripPrefix(Base, answers))
	mux.Handle("POST "+Base+"/fold", http.StripPrefix(Base, answers))
	mux.HandleFunc("GET "+Base+"/openapi.json", describe)
	mux.HandleFunc("GET "+Base+"/{$}", index)
	mux.HandleFunc("GET "+Base+"/settings", a.settings)
	mux.HandleFunc("POST "+Base+"/settings", a.change)
	yes, no := true, false
	mux.HandleFunc("POST "+Base+"/pause", a.told(control.Change{Pause: &yes}))
	mux.HandleFunc("POST "+Base+"/resume", a.told(control.Change{Pause: &no}))
	mux.HandleFunc("POST "+Base+"/stop", a.told(control.Change{Stop: true}))
	mux.HandleFunc("POST "+Base+"/seeds", a.seeds)
	return mux
}

// A parameter is a parameter of a question, as openapi.json describes it.
type parameter struct {
	Name     string
	Required bool
}

// parameters returns the parameters of each GET, by path.
func parameters() map[string][]parameter {
	var described struct {
		Paths map[string]struct {
			Get struct{ Parameters []parameter }
		}
	}
	if err := json.Unmarshal(openAPI, &described); err != nil {
		panic(err) // it is part of the program, and tested
	}
	of := make(map[string][]parameter, len(described.Paths))
	for path, p := range described.Paths {
		of[path] = p.Get.Parameters
	}
	return of
}

// known refuses a request that lacks a required parameter or has an unknown one: without the check,
// a mistyped filter would be ignored and the answer have everything.
func known(of []parameter, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := r.URL.Query()
		for _, p := range of {
			if p.Required && given.Get(p.Name) == "" {
				http.Error(w, p.Name+" is missing: see "+Base+"/openapi.json", http.StatusBadRequest)
				return
			}
		}
		for name := range given {
			if !slices.ContainsFunc(of, func(p parameter) bool { return p.Name == name }) {
				http.Error(w, fmt.Sprintf("there is no parameter %q here: see %s/openapi.json", name, Base), http.StatusBadRequest)
				return
			}
		}
		h.ServeHTTP(w, r)
	})
}

func describe(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Write(openAPI)
}

// index lists what there is to ask, a line each, for whoever opens the interface in a browser.
func index(w http.ResponseWriter, _ *http.Request) {
	var described struct {
		Paths map[string]map[string]struct{ Summary string }
	}
	if err := json.Unmarshal(openAPI, &described); err != nil {
		panic(err) // it is part of the program, and tested
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	for _, path := range slices.Sorted(maps.Keys(described.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(described.Paths[path])) {
			fmt.Fprintf(w, "%-4s %-21s  %s\n", strings.ToUpper(method), Base+path, described.Paths[path][method].Summary)
		}
	}
}

type api struct{ running *control.Running }

// errStill says that no crawl works on the job.
var errStill = fmt.Errorf("%w: crawl run goes on with this job", control.ErrNotRunning)

func (a *api) settings(w http.ResponseWriter, r *http.Request) {
	if a.running == nil {
		fail(w, errStill)
		return
	}
	control.AnswerJSON(w, control.SettingsOf(a.running.Controls()))
}

func (a *api) change(w http.ResponseWriter, r *http.Request) {
	var c control.Change
	if err := control.ReadJSON(http.MaxBytesReader(w, r.Body, maxBody), &c); err != nil {
		http.Error(w, "the change: "+err.Error(), http.StatusBadRequest)
		return
	}
	a.apply(w, r, c)
}

// told answers a POST that always makes the same change.
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

// seeds answers a POST of seeds, as {"urls": [...]} or as a list of seeds of the type
// text/uri-list.
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
		if err := control.ReadJSON(list, &given); err != nil {
			http.Error(w, "the seeds: "+err.Error(), http.StatusBadRequest)
			return
		}
		if given.URLs == nil {
			http.Error(w, "the seeds: urls is missing: want the list of URLs", http.StatusBadRequest)
			return
		}
		came, err := a.running.Seeds(r.Context(), strings.NewReader(strings.Join(given.URLs, "\n")), "the request")
		a.added(w, came, err)
		return
	}
	in := bufio.NewReader(list)
	if _, err := in.Peek(1); err == io.EOF {
		http.Error(w, "the seeds: want a list of URLs, got nothing", http.StatusBadRequest)
		return
	}
	came, err := a.running.Seeds(r.Context(), in, "the request")
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
