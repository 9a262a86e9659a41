package robots

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFileExpires(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	f := File{Status: 200, Fetched: now}
	if f.Expired(now.Add(maxLife - 1)) {
		t.Error("expired early")
	}
	if !f.Expired(now.Add(maxLife)) {
		t.Error("not expired in time")
	}
	if !f.Expired(now.Add(-time.Hour)) {
		t.Error("a file counts for longer where the clock was set back")
	}
	if zero := (File{}); !zero.Expired(now) {
		t.Error("the zero file counts")
	}
}

// files are written to testdata in the first version of the format.
var files = []File{
	{},
	{Origin: "http://site.example", Status: 200, Body: []byte("User-agent: *\nDisallow: /新\n"), Fetched: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
	{Origin: "https://site.example:8443", Status: 503, Fetched: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Wait: time.Hour},
	{Origin: "http://site.example", Fetched: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Failure: "look up host site.example: no such host"},
}

func TestFileSurvivesStorage(t *testing.T) {
	for _, want := range files {
		b, err := want.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var got File
		if err := got.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		want.Origin = ""
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("differs (-want +got):\n%s", d)
		}
		for n := range b {
			if err := new(File).UnmarshalBinary(b[:n]); err == nil {
				t.Errorf("%d of %d bytes are accepted", n, len(b))
			}
		}
	}
}

func TestFilesOfEarlierVersionsAreRead(t *testing.T) {
	failed := files[3]
	failed.Phase, failed.Failure = "dns", "no such host"
	for name, want := range map[string]File{"file.v1": files[1], "file.v2": failed} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		var got File
		if err := got.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s differs (-want +got):\n%s", name, d)
		}
	}
}

func FuzzFile(f *testing.F) {
	for _, file := range files {
		b, _ := file.MarshalBinary()
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var first, second File
		if first.UnmarshalBinary(b) != nil {
			return
		}
		again, _ := first.MarshalBinary() // of an earlier version without its origin
		if err := second.UnmarshalBinary(again); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if third, _ := second.MarshalBinary(); !bytes.Equal(again, third) {
			t.Errorf("wrote %x, then %x", again, third)
		}
	})
}
