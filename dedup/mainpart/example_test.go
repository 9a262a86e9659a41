package mainpart_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/dedup/mainpart"
)

// Two pages of a site have one text, each with another date in its footer.
func ExampleCopies() {
	site := mainpart.NewSite()
	for _, text := range []string{"Swifts fly to Africa in August and come back in May.", "Swifts fly to Africa in August and come back in May.", "Trains to the coast leave at noon from the third platform."} {
		site.Add([]byte("<title>Notes</title><nav>Home</nav><main><p>"+text+"</main><footer>Imprint</footer>"), "text/html; charset=utf-8")
	}
	for _, p := range mainpart.Copies(site.Parts(), .8) {
		fmt.Println(p.A, p.B, p.Resemblance)
	}
	// Output:
	// 0 1 1
}
