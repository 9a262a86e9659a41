package focus_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/priority/focus"
)

// A judge rates pages and the words of links by a topic.
func Example() {
	j, err := focus.New("grey heron", nil, nil)
	if err != nil {
		panic(err)
	}
	bird := j.Rate(focus.Doc{Title: "The grey heron", Body: "A grey heron stands by the river."})
	train := j.Rate(focus.Doc{Title: "Timetable", Body: "The train to the north leaves at noon."})
	fmt.Println(bird.Relevance > train.Relevance, j.Link("herons and egrets", "/birds") > 0)
	// Output:
	// true true
}
