package guard_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"gatecrawl.example/gatecrawl/control/guard"
)

// Without a token a page is served to this machine, by the names of this machine.
func Example() {
	g, err := guard.New("127.0.0.1:8900", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	h := g.Wrap(http.NotFoundHandler())
	for _, host := range []string{"localhost:8900", "rebound.example:8900"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "http://"+host+"/", nil))
		fmt.Println(host, w.Code)
	}
	// Output:
	// localhost:8900 404
	// rebound.example:8900 421
}
