package frontier_test

import (
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

func parse(t testing.TB, text string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
