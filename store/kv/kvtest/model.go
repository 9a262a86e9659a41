package kvtest

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"gatecrawl.example/gatecrawl/store/kv"
)

// A Model is what a store should have: a map for each table, which is plain enough to be
// right.
type Model map[*kv.Table]map[string]string

// Clone returns a copy.
func (m Model) Clone() Model {
	c := make(Model, len(m))
	for t, rows := range m {
		c[t] = maps.Clone(rows)
	}
	return c
}

// put sets a row.
func (m Model) put(t *kv.Table, key, value string) {
	if m[t] == nil {
		m[t] = make(map[string]string)
	}
	m[t][key] = value
}

// between returns the rows of a table from one key to another, in rising order.
func (m Model) between(t *kv.Table, from, to []byte) (rows []kv.Entry) {
	for _, k := range slices.Sorted(maps.Keys(m[t])) {
		if k >= string(from) && (to == nil || k < string(to)) {
			rows = append(rows, kv.Entry{Key: []byte(k), Value: []byte(m[t][k])})
		}
	}
	return rows
}

// Differs says in what a store differs from the model; "": in nothing.
func (m Model) Differs(r kv.Reader) (string, error) {
	for _, t := range Tables() {
		want := m.between(t, nil, nil)
		for e, err := range kv.All(r, t) {
			if err != nil {
				return "", err
			}
			if len(want) == 0 || !bytes.Equal(want[0].Key, e.Key) || !bytes.Equal(want[0].Value, e.Value) {
				return fmt.Sprintf("table %s has a row at %q of %d bytes, want %s", t.Name, e.Key, len(e.Value), next(want)), nil
			}
			want = want[1:]
		}
		if len(want) > 0 {
			return fmt.Sprintf("table %s ends, want %s", t.Name, next(want)), nil
		}
	}
	return "", nil
}

func next(rows []kv.Entry) string {
	if len(rows) == 0 {
		return "the end of the table"
	}
	return fmt.Sprintf("a row at %q of %d bytes", rows[0].Key, len(rows[0].Value))
}

// Put puts a row into a store and into the model.
func (m Model) Put(tx kv.Tx, t *kv.Table, key, value string) {
	tx.Put(t, []byte(key), []byte(value))
	m.put(t, key, value)
}

// Change makes some random changes to a transaction and to the model: new rows, rows that
// were there before, and rows that go.
func (m Model) Change(rng *rand.Rand, tx kv.Tx) {
	for range 1 + rng.IntN(12) {
		t := Tables()[rng.IntN(len(Tables()))]
		key := fmt.Sprintf("%03d", rng.IntN(300))
		if t.Filter > 0 {
			key = fmt.Sprintf("%03d/%03d", rng.IntN(20), rng.IntN(20))
		}
		if rng.IntN(4) == 0 {
			tx.Delete(t, []byte(key))
			delete(m[t], key)
			continue
		}
		value := bytes.Repeat([]byte{byte(rng.IntN(256))}, rng.IntN(40))
		if rng.IntN(20) == 0 {
			value = bytes.Repeat(value, 100)
		}
		m.Put(tx, t, key, string(value))
	}
}
