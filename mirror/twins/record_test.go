package twins

import (
	"testing"

	"gatecrawl.example/gatecrawl/store/kv/row"
)

func TestRecordsOfOldTwinsAreRead(t *testing.T) {
	e := row.Encoder{}
	e.Byte(1)
	for _, n := range []uint64{7, 5, 3} {
		e.Uint(n)
	}
	e.Bytes([]byte(`{"origin":"http://a.test","to":"http://b.test","map":[{"from":"/","to":"/"}],"class":"mirror","checked":4}`))
	r, err := decodeHost(e.B)
	if err != nil {
		t.Fatal(err)
	}
	if tw := r.trusted("http://a.test"); tw != nil {
		t.Errorf("%+v is trusted: nearly equal pages of a stranger are not enough any more", tw)
	}
	if len(r.Twins) != 1 {
		t.Fatalf("got %+v, want one twin", r)
	}
	tw := r.Twins[0]
	if tw.To != "http://b.test" || tw.Checked != 4 || r.deferred != 3 {
		t.Fatalf("got %+v with the twin %+v", r, tw)
	}
	b, err := r.encode()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := decodeHost(b); err != nil || len(again.Twins) != 1 || again.deferred != 3 {
		t.Errorf("written anew: %+v, %v", again, err)
	}
}
