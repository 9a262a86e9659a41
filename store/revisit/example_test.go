package revisit_test

import (
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl/store/revisit"
)

// A page was visited once a day for a week, and had changed once.
func ExampleRate_PerDay() {
	var rate revisit.Rate
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := range 7 {
		rate = rate.Visited(day, day.AddDate(0, 0, 1), n == 3)
		day = day.AddDate(0, 0, 1)
	}
	fmt.Printf("%d visits, %d change, %.2f changes a day\n", rate.Visits, rate.Changes, rate.PerDay())
	// Output:
	// 7 visits, 1 change, 0.14 changes a day
}
