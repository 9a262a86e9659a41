package kv_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// TestDividedRowsAreThoseOfOneTable compares with a map, and looks where the rows are.
func TestDividedRowsAreThoseOfOneTable(t *testing.T) {
	ctx := context.Background()
	d := &kv.Divided{Large: &kv.Table{Name: "rows"}, Small: &kv.Table{Name: "rows-small", ID: 1}, Most: 8}
	s, err := mem.Open(d.Tables())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := make(map[string]string)
	old := []byte("key of an earlier version")
	want[string(old)] = "short"
	err = s.Update(ctx, func(tx kv.Tx) error { tx.Put(d.Large, old, []byte("short")); return nil })
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(81, 1))
	for range 400 {
		key := fmt.Appendf(nil, "key %d", rng.IntN(20))
		value := bytes.Repeat([]byte("v"), rng.IntN(17))
		err := s.Update(ctx, func(tx kv.Tx) error {
			if rng.IntN(5) == 0 {
				delete(want, string(key))
				return d.Delete(tx, key)
			}
			want[string(key)] = string(value)
			return d.Put(tx, key, value)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err = s.View(ctx, func(r kv.Reader) error {
		got := make(map[string]string)
		for e, err := range d.All(r) {
			if _, twice := got[string(e.Key)]; err != nil || twice {
				return fmt.Errorf("%q is there twice: %v, %w", e.Key, twice, err)
			}
			got[string(e.Key)] = string(e.Value)
		}
		if !maps.Equal(got, want) {
			t.Errorf("rows are %v, want %v", got, want)
		}
		for key, value := range want {
			if v, err := d.Get(r, []byte(key)); err != nil || string(v) != value {
				t.Errorf("Get(%q) = %q, %v, want %q", key, v, err, value)
			}
			small, err := kv.Has(r, d.Small, []byte(key))
			if short := len(value) <= d.Most && key != string(old); err != nil || small != short {
				t.Errorf("%q with %d bytes is in the scattered table: %v, %v", key, len(value), small, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	err = s.Update(ctx, func(tx kv.Tx) error {
		if err := d.Put(tx, old, []byte("new")); err != nil {
			return err
		}
		stays, err := kv.Has(tx, d.Large, old)
		if stays {
			t.Error("a row of an earlier version that is written again stays where it was")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
