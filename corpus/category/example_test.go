package category_test

import (
	"fmt"
	"log"

	"gatecrawl.example/gatecrawl/corpus/category"
)

// The pages of a site that name their category teach a model, which tells that of others.
func Example() {
	var known category.Sample
	for i := range 10 {
		url := fmt.Sprintf("https://example.org/%d", i)
		known.Add("example.org", url, "astronomy", "A telescope", "the mirror of a telescope gathers the light of stars and planets in the night sky over the observatory dome")
		known.Add("example.org", url+"/cake", "baking", "A cake", "flour butter sugar and eggs are stirred into dough which the oven bakes until its crust turns brown and crisp")
	}
	model, err := category.Fit(known.Examples())
	if err != nil {
		log.Fatal(err)
	}
	name, _, ok := model.Tell("A new dome", "over the observatory the night sky has stars and planets whose light a mirror gathers for the telescope")
	fmt.Println(name, ok)
	// Output: astronomy true
}
