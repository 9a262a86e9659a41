package weburl_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A URL is canonical: what leads to one place has one text, and one key.
func Example() {
	u, err := weburl.Parse("HTTP://Example.org:80/a/../b?#top")
	if err != nil {
		panic(err)
	}
	v, err := u.Parse("./b")
	if err != nil {
		panic(err)
	}
	fmt.Println(u, u.Domain(), u.SURT())
	fmt.Println(v, u.Key() == v.Key())
	// Output:
	// http://example.org/b example.org http://(org,example,)/b
	// http://example.org/b true
}

func ExampleURL_WithoutSession() {
	u, err := weburl.Parse("https://shop.example/cart;jsessionid=0123456789ABCDEF0123456789ABCDEF?item=7")
	if err != nil {
		panic(err)
	}
	fmt.Println(u.WithoutSession())
	// Output:
	// https://shop.example/cart?item=7 true
}
