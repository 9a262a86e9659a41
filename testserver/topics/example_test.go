package topics_test

import (
	"fmt"
	"log"

	"gatecrawl.example/gatecrawl/testserver/topics"
)

// A subject, and how many pages about it a crawl can find.
func ExampleNew() {
	o := topics.Defaults()
	o.Blogs, o.Manuals, o.Articles = 2, 0, 20
	web, err := topics.New(o)
	if err != nil {
		log.Fatal(err)
	}
	subject := web.Subjects()[0]
	fmt.Println(subject.Name, subject.Lang, len(subject.URLs))
	// Output:
	// quay pilot en 1
}
