package api_test

import (
	"fmt"
	"log"
	"net/http/httptest"
	"os"

	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/control/api"
	"gatecrawl.example/gatecrawl/control/board"
	"gatecrawl.example/gatecrawl/crawl"
)

// The interface of a crawl of one's own. A server that others can reach wants guard.Guard
// before it.
func Example() {
	dir, err := os.MkdirTemp("", "job")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s := configs.Default()
	s.URL, s.Contact = []string{"https://example.org/"}, "me@example.org"
	c, err := crawl.Open(dir, s)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	running := &control.Running{Crawl: c, Board: board.New()}
	h := api.Handler(control.Answers(c.Job(), running), running)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", api.Base+"/pause", nil))
	fmt.Println(w.Code, c.Controls().Paused)
	// Output:
	// 200 true
}
