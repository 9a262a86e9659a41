package theme_test

import (
	"fmt"
	"log"
	"net/http/httptest"
	"strings"

	"gatecrawl.example/gatecrawl/testserver/theme"
)

// A blog each page of which has its own text to compare with.
func ExampleNew() {
	sites, err := theme.New(theme.Options{Seed: 1, Posts: 12})
	if err != nil {
		log.Fatal(err)
	}
	blog := sites[0]
	for _, p := range blog.Pages {
		if p.Class == "post" {
			w := httptest.NewRecorder()
			blog.Handler().ServeHTTP(w, httptest.NewRequest("GET", p.Path, nil))
			title, _, _ := strings.Cut(p.Text, "\n")
			fmt.Println(blog.Name, w.Code, strings.Contains(w.Body.String(), title))
			break
		}
	}
	// Output:
	// column.en 200 true
}
