package page

import (
	"bytes"
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

func outlinkKeys(t *testing.T, urls ...string) (keys []byte) {
	t.Helper()
	for _, s := range urls {
		u, err := weburl.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		k := u.Key()
		keys = append(keys, k[:]...)
	}
	return keys
}

func TestOutlinksReadBackInTheirOrder(t *testing.T) {
	for _, urls := range [][]string{
		nil,
		{"http://a.test/"},
		{"http://a.test/", "http://a.test/b", "http://b.test/", "http://a.test/c"},
	} {
		keys := outlinkKeys(t, urls...)
		got, err := UnpackOutlinks(PackOutlinks(keys))
		if err != nil || !bytes.Equal(got, keys) {
			t.Errorf("%q: UnpackOutlinks = %x, %v; want %x", urls, got, err, keys)
		}
	}
}

func FuzzUnpackOutlinks(f *testing.F) {
	f.Add(PackOutlinks(bytes.Repeat([]byte("0123456789abcdef"), 3)))
	f.Fuzz(func(t *testing.T, b []byte) {
		keys, err := UnpackOutlinks(b)
		if err != nil {
			return
		}
		if again, err := UnpackOutlinks(PackOutlinks(keys)); err != nil || !bytes.Equal(again, keys) {
			t.Errorf("%x reads back as %x, %v", keys, again, err)
		}
	})
}
