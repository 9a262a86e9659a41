package testserver_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"gatecrawl.example/gatecrawl/testserver"
)

// A web on this machine, every copy of which is known.
func Example() {
	o := testserver.Demo()
	o.Hosts, o.Pages = 12, 20
	web, err := testserver.New(o)
	if err != nil {
		log.Fatal(err)
	}
	if err := web.Start(context.Background()); err != nil {
		log.Fatal(err)
	}
	defer web.Close()
	r, err := http.Get(web.Seeds()[0])
	if err != nil {
		log.Fatal(err)
	}
	r.Body.Close()
	fmt.Println(r.Status)
	// Output:
	// 200 OK
}
