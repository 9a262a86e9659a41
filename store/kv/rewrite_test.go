package kv_test

import (
	"context"
	"encoding/binary"
	"testing"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// TestForgetTakesOutTheWrongRowsOfATableThatFillsManyTransactions compares with what is
// counted of the same rows by hand.
func TestForgetTakesOutTheWrongRowsOfATableThatFillsManyTransactions(t *testing.T) {
	ctx := context.Background()
	s, err := mem.Open([]*kv.Table{pages})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const rows = 12_345
	key := func(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }
	err = s.Update(ctx, func(tx kv.Tx) error {
		for n := range rows {
			tx.Put(pages, key(n), []byte{byte(n % 3)})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = kv.Forget(ctx, s, pages, func(_ kv.Reader, _, v []byte) (bool, error) { return v[0] == 1, nil })
	if err != nil {
		t.Fatal(err)
	}
	err = s.View(ctx, func(r kv.Reader) error {
		n := 0
		err := kv.Each(r, pages, func(k, v []byte) error {
			if v[0] == 1 {
				t.Errorf("row %x is still there", k)
			}
			n++
			return nil
		})
		if want := rows - rows/3; n != want {
			t.Errorf("%d rows are left, want %d", n, want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
