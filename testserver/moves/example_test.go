package moves_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"gatecrawl.example/gatecrawl/testserver/moves"
)

// A page whose folder is renamed.
func ExampleSite_Move() {
	m, err := moves.New(moves.Options{Seed: 1, Pages: 4})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range m.Pages {
		if p.Kind != moves.Renamed {
			continue
		}
		fmt.Println(status(m, p.Old), status(m, p.New))
		m.Move()
		fmt.Println(status(m, p.Old), status(m, p.New))
		break
	}
	// Output:
	// 200 404
	// 404 200
}

func status(m *moves.Site, path string) int {
	w := httptest.NewRecorder()
	m.Site().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code
}
