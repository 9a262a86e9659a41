package passage_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/dedup/passage"
)

// CompareByGrain says what each of two texts has alone, and how much they share.
func ExampleCompareByGrain() {
	here := "The ferry leaves on Monday at noon.\nBring food."
	there := "The ferry leaves on Friday at noon.\nBring food."
	c := passage.CompareByGrain(here, there)
	for _, s := range c.Here.Only {
		fmt.Println("only here:", here[s.From:s.To])
	}
	for _, s := range c.There.Only {
		fmt.Println("only there:", there[s.From:s.To])
	}
	fmt.Printf("%d of %d words are shared\n", c.Here.Shared, c.Here.Words)
	// Output:
	// only here: Monday
	// only there: Friday
	// 8 of 9 words are shared
}
